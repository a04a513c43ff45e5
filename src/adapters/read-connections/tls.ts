import type { ConnectionOptions } from 'node:tls';
import { Client } from 'pg';

/** What pg reads of a URL by itself. */
const parameters = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'];

/**
 * How a connection to `url` is encrypted, as pg reads it, and the URL without these parameters: for a driver that knows
 * fewer of them, and takes the rest for settings of the server. Throws where a file that they name cannot be read.
 */
export const tlsOf = (
  url: string,
): { readonly ssl: false | ConnectionOptions; readonly plainUrl: string } => {
  const ssl = readBy(url);
  const plain = new URL(url);
  for (const name of parameters) plain.searchParams.delete(name);
  const plainUrl = plain.href;
  if (ssl === false) return { ssl, plainUrl };
  // Whose certificate it has to be: the driver names no host where the address is a number.
  const host = plain.hostname.replaceAll(/[[\]]/g, '');
  if (ssl === true) return { ssl: { host }, plainUrl };
  // pg hides the key from whoever prints or copies the options.
  return { ssl: { ...ssl, ...(ssl.key === undefined ? {} : { key: ssl.key }), host }, plainUrl };
};

/** Its type tells of a boolean alone. */
const readBy = (url: string): boolean | ConnectionOptions => new Client(url).ssl;
