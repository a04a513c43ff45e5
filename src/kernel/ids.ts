import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';

/** What an id names; the prefix makes a stray id readable in a log or a ticket. */
export type IdKind =
  | 'acc'
  | 'usr'
  | 'key'
  | 'req'
  | 'chg'
  | 'grt'
  | 'rsv'
  | 'job'
  | 'itm'
  | 'whk'
  | 'dlv'
  | 'evt'
  | 'ses';

/**
 * A new id, `acc_` and 32 hexadecimal digits of a UUIDv7 (RFC 9562): sortable by time, 74 random bits. They
 * come from a UUIDv4, because Node takes those from a pool and does not ask the system each time.
 */
export const newId = (kind: IdKind): string => {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${kind}_${time}7${randomUUID().replaceAll('-', '').slice(13)}`;
};

/** A random id for what is born without a cause to derive it from. */
export const newUuid = (): string => randomUUID();

/** 256 random bits as 43 signs of base64url: for what opens a door. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** A secure random whole number from 0 to `below` − 1. */
export const randomBelow = (below: number): number => randomInt(below);

const namespace = Buffer.from('8d4c1f0e5a6b4c7d9e2f3a4b5c6d7e8f', 'hex');

/**
 * The same name gives the same id, for ever (RFC 9562, version 5): the id of an event is made
 * from what happened, so that what happened once is stored once.
 */
export const uuidOf = (name: string): string => {
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16);
  bytes[6] = 0x50 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return formatUuid(bytes);
};

const formatUuid = (bytes: Buffer): string => {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
};
