/**
 * Hidden fields of the registration form: programs that fill in every field like these names, and neither browsers nor
 * password managers know them, so that nobody's browser makes a trap of its autofill.
 */
export const hiddenTraps = ['subject', 'message'] as const;

/** Honeypots: no form shows them. Browsers fill in the last two by themselves, so they are in no form at all. */
const traps: ReadonlySet<string> = new Set([...hiddenTraps, 'website', 'company']);

/** Whether a field of a registration is filled in that only a program fills in. */
export const isTrapped = (fields: Iterable<readonly [name: string, value: unknown]>): boolean =>
  [...fields].some(([name, value]) => traps.has(name) && (value ?? '') !== '');
