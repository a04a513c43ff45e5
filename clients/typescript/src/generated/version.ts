// Made from docs/openapi.json by `npm run clients`.

/** The version of Steno that this client was made from. */
export const version = '1.1.0';
