import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const mark = 'stn_live_';
const bodyLength = 32;
const checksumLength = 6;
const shape = new RegExp(`^${mark}[0-9A-Za-z]{${bodyLength + checksumLength}}$`);

/** Characters of a key that lists show: enough to tell keys apart, too few to guess one. */
const prefixLength = 13;

/**
 * A new key: `stn_live_`, 32 random base-62 characters (190 bits) and a checksum of 6. A mistyped key is refused
 * without a query, and secret scanners recognize a leaked one.
 */
export const newSecret = (): string => {
  let body = '';
  for (let i = 0; i < bodyLength; i += 1) body += alphabet[randomInt(alphabet.length)];
  return `${mark}${body}${checksumOf(body)}`;
};

/** Whether a string has the format of a key and a correct checksum. The key itself may be unknown. */
export const isWellFormed = (secret: string): boolean => {
  if (!shape.test(secret)) return false;
  const body = secret.slice(mark.length, mark.length + bodyLength);
  return secret.endsWith(checksumOf(body));
};

/** SHA-256 (hex). A slow hash would add nothing, because keys are random. */
export const hashOfSecret = (secret: string): string => hash('sha256', secret);

/** The first characters of a key, which are shown in lists and stored. */
export const prefixOf = (secret: string): string => secret.slice(0, prefixLength);

const checksumOf = (body: string): string => {
  let rest = crc32(body);
  let checksum = '';
  for (let i = 0; i < checksumLength; i += 1) {
    checksum = `${alphabet[rest % alphabet.length]}${checksum}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return checksum;
};
