/**
 * Reading of answers whose shape nobody promises: every step may be missing.
 * Nothing here throws; what is not there is `undefined` or null.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at the end of a path of keys and indexes, `undefined` where the path ends early. */
export const at = (value: unknown, ...path: readonly (string | number)[]): unknown => {
  let here = value;
  for (const step of path) {
    if (typeof step === 'number') here = Array.isArray(here) ? here[step] : undefined;
    else here = isObject(here) ? here[step] : undefined;
    if (here === undefined) return undefined;
  }
  return here;
};

/** The list at the end of a path; empty where there is none. */
export const listAt = (value: unknown, ...path: readonly (string | number)[]): readonly unknown[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};

/** The string at the end of a path; null where there is none. */
export const stringAt = (value: unknown, ...path: readonly (string | number)[]): string | null => {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : null;
};

/** A number, also where the platform writes it as a string of digits (`lengthSeconds`). */
export const numberAt = (value: unknown, ...path: readonly (string | number)[]): number | null => {
  const found = at(value, ...path);
  if (typeof found === 'number') return Number.isFinite(found) ? found : null;
  return typeof found === 'string' && /^\d{1,15}$/.test(found) ? Number(found) : null;
};

/** A text in any of the platform's four wrappings: plain, `simpleText`, `runs` and `content`. */
export const textAt = (value: unknown, ...path: readonly (string | number)[]): string | null => {
  const found = at(value, ...path);
  if (typeof found === 'string') return found;
  const plain = stringAt(found, 'simpleText') ?? stringAt(found, 'content');
  if (plain !== null) return plain;
  const runs = at(found, 'runs');
  if (!Array.isArray(runs)) return null;
  return runs.map((run) => stringAt(run, 'text') ?? '').join('');
};
