// Made from docs/openapi.json by `npm run clients`.

/** The version of the API that this client was made from. */
export const apiVersion = '1.1.0';
