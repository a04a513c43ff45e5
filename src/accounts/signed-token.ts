import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '../kernel/key-ring.ts';

/** A random name with a signature, as a cookie holds it. `purpose`: what the signature is good for. */
export const signedToken = (name: string, purpose: string, { current }: KeyRing): string =>
  `${name}.${signature(name, purpose, current.bytes)}`;

/** The name in a token with a valid signature, and whether the current key made it; else null. */
export const readSignedToken = (
  token: string,
  purpose: string,
  { current, all }: KeyRing,
): { readonly name: string; readonly isCurrent: boolean } | null => {
  const [name, mac, ...more] = token.slice(0, 200).split('.');
  if (name === undefined || mac === undefined || more.length > 0) return null;
  if (!/^[A-Za-z0-9_-]{22,64}$/.test(name)) return null;
  const given = Buffer.from(mac);
  const made = all.find(({ bytes }) => {
    const wanted = Buffer.from(signature(name, purpose, bytes));
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
  return made === undefined ? null : { name, isCurrent: made.id === current.id };
};

const signature = (name: string, purpose: string, key: Uint8Array): string =>
  createHmac('sha256', key).update(`${purpose}\0`).update(name).digest('base64url');
