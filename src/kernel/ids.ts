import { hash, randomBytes, randomInt, randomUUID } from 'node:crypto';

/** What an id names; the prefix makes a stray id readable in a log or a ticket. */
export type IdKind =
  | 'acc'
  | 'usr'
  | 'key'
  | 'aut'
  | 'req'
  | 'chg'
  | 'grt'
  | 'cor'
  | 'rfd'
  | 'rsv'
  | 'job'
  | 'itm'
  | 'whk'
  | 'dlv'
  | 'fol'
  | 'evt'
  | 'nte'
  | 'ses'
  | 'frm';

/**
 * A new id, `acc_` and 32 hexadecimal digits of a UUIDv7 (RFC 9562): sortable by time, 74 random bits. They
 * come from a UUIDv4, because Node takes those from a pool and does not ask the system each time.
 */
export const newId = (kind: IdKind): string => {
  const time = Date.now().toString(16).padStart(12, '0');
  const random = randomUUID();
  return `${kind}_${time}7${random.slice(15, 18)}${random.slice(19, 23)}${random.slice(24)}`;
};

/** A random id for what is born without a cause to derive it from. */
export const newUuid = (): string => randomUUID();

/** 256 random bits as 43 characters of base64url: for secrets. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** A secure random whole number from 0 to `below` − 1. */
export const randomBelow = (below: number): number => randomInt(below);

/** A secure random number from 0 up to, but not, 1. */
export const randomShare = (): number => randomBelow(2 ** 32) / 2 ** 32;

const namespace = Buffer.from('8d4c1f0e5a6b4c7d9e2f3a4b5c6d7e8f', 'hex');

/**
 * The same name gives the same id, for ever (RFC 9562, version 5): the id of an event is made
 * from what happened, so that what happened once is stored once.
 */
export const uuidOf = (name: string): string => {
  const hex = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]));
  const variant = (0x8 | (Number.parseInt(hex.charAt(16), 16) & 0x3)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
