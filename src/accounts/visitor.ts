import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The account id of a visitor for one UTC day. The book of the day holds the daily allowance, and two days of one
 * visitor cannot be linked in the log.
 */
export const visitorAccountId = (visitor: string, day: string, key: Uint8Array): string => {
  const hash = createHmac('sha256', key).update(`visitor day\0${day}\0${visitor}`).digest('hex');
  return `vis_${day.replaceAll('-', '')}_${hash.slice(0, 32)}`;
};

/** The value of the `visitor` cookie: a random name with a signature. */
export const visitorToken = (name: string, key: Uint8Array): string =>
  `${name}.${signature(name, key)}`;

/** The name in a cookie with a valid signature, else null. */
export const readVisitorToken = (token: string, key: Uint8Array): string | null => {
  const [name, sign, ...more] = token.slice(0, 200).split('.');
  if (name === undefined || sign === undefined || more.length > 0) return null;
  if (!/^[A-Za-z0-9_-]{22,64}$/.test(name)) return null;
  const given = Buffer.from(sign);
  const wanted = Buffer.from(signature(name, key));
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? name : null;
};

const signature = (name: string, key: Uint8Array): string =>
  createHmac('sha256', key).update('visitor\0').update(name).digest('base64url');
