import { createHmac } from 'node:crypto';
import type { KeyRing } from '../../kernel/key-ring.ts';
import { readSignedName, signedToken } from '../signed-token.ts';

/** The account of a visitor on one UTC day, with its allowance. Two days of a visitor cannot be linked in the log. */
export const visitorAccountId = (visitor: string, day: string, key: Uint8Array): string => {
  const hash = createHmac('sha256', key).update(`visitor day\0${day}\0${visitor}`).digest('hex');
  return `vis_${day.replaceAll('-', '')}_${hash.slice(0, 32)}`;
};

/** Names a visitor for what is kept for a day at most: a day of its own does not end at midnight. Never in the log. */
export const visitorReaderId = (visitor: string, key: Uint8Array): string => {
  const hash = createHmac('sha256', key).update(`visitor reader\0${visitor}`).digest('hex');
  return `vis_${hash.slice(0, 32)}`;
};

/** The value of the `visitor` cookie: a random name with a signature. */
export const visitorToken = (name: string, keys: KeyRing): string => signedToken(name, 'visitor', keys);

/** The name in a cookie with a valid signature, and whether the current key made it; else null. */
export const readVisitorToken = (token: string, keys: KeyRing) => readSignedName(token, 'visitor', keys);
