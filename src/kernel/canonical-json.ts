import { hash } from 'node:crypto';

/**
 * Canonical JSON (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers and strings as
 * ECMAScript writes them. Values that JSON cannot express are refused, and so are texts that the log does not
 * store (lone surrogates, NUL): after a round trip through the database they would have another hash.
 */
export const canonicalJson = (value: unknown): string => {
  if (typeof value === 'string') return canonicalText(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    return canonicalObject(value);
  }
  throw new TypeError(`JSON has no word for ${typeof value}`);
};

/** Names of members as JSON writes them. The same few occur in every event. */
const names = new Map<string, string>();
const [namesKept, longestKept] = [2_000, 64];

const canonicalName = (key: string): string => {
  const known = names.get(key);
  if (known !== undefined) return known;
  const name = `${canonicalText(key)}:`;
  if (names.size < namesKept && key.length <= longestKept) names.set(key, name);
  return name;
};

const canonicalObject = (value: object): string => {
  const members = value as Readonly<Record<string, unknown>>;
  let json = '';
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member === undefined) continue;
    json += (json === '' ? '' : ',') + canonicalName(key) + canonicalJson(member);
  }
  return `{${json}}`;
};

/** Texts that JSON writes as they are; most are. */
const plain = /^[ !#-[\]-~]*$/;

const canonicalText = (text: string): string => {
  if (plain.test(text)) return `"${text}"`;
  const json = JSON.stringify(text);
  // Refused characters are written as escapes, which make the text longer.
  if (json.length > text.length + 2) {
    if (text.includes('\0')) throw new TypeError('a text holds a NUL character');
    if (!text.isWellFormed()) throw new TypeError('a text holds half a surrogate pair');
  }
  return json;
};

/**
 * SHA-256 (hex) of the canonical JSON of a content. Texts that canonical JSON refuses are hashed without NUL, and with
 * U+FFFD in place of half a surrogate pair.
 */
export const contentHash = (content: object): string => hash('sha256', canonicalOf(content), 'hex');

const canonicalOf = (content: object): string => {
  try {
    return canonicalJson(content);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return canonicalJson(JSON.parse(JSON.stringify(content), storable));
  }
};

const storable = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;
