import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DerivedKey, KeyRing } from '../kernel/key-ring.ts';

/** A text without dots, with its signature. `purpose`: what the signature is good for. */
export const signedToken = (text: string, purpose: string, { current }: KeyRing): string =>
  `${text}.${signature(text, purpose, current.bytes)}`;

/** The text in a token with a valid signature, and the key that made it; else null. Longer tokens than `maxLength` are cut. */
export const readSignedToken = (
  token: string,
  purpose: string,
  { all }: KeyRing,
  maxLength: number,
): { readonly text: string; readonly key: DerivedKey } | null => {
  const [text, mac, ...more] = token.slice(0, maxLength).split('.');
  if (text === undefined || mac === undefined || more.length > 0) return null;
  const given = Buffer.from(mac);
  const key = all.find(({ bytes }) => {
    const wanted = Buffer.from(signature(text, purpose, bytes));
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
  return key === undefined ? null : { text, key };
};

/** The random name in the token of a cookie, and whether the current key made it; null without a valid signature. */
export const readSignedName = (
  token: string,
  purpose: string,
  keys: KeyRing,
): { readonly name: string; readonly isCurrent: boolean } | null => {
  const signed = readSignedToken(token, purpose, keys, 200);
  if (signed === null || !/^[A-Za-z0-9_-]{22,64}$/.test(signed.text)) return null;
  return { name: signed.text, isCurrent: signed.key.id === keys.current.id };
};

const signature = (text: string, purpose: string, key: Uint8Array): string =>
  createHmac('sha256', key).update(`${purpose}\0`).update(text).digest('base64url');
