import type { ConnectionOptions } from 'node:tls';
import { Client } from 'pg';

/** The connection parameters that pg reads from a URL. */
const parameters = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'];

/**
 * The TLS options that pg reads from `url`, and the URL without these parameters: for a driver that supports
 * fewer of them and sends the rest to the server as settings. Throws if a file that they name cannot be read.
 */
export const tlsOf = (url: string): { readonly ssl: false | ConnectionOptions; readonly plainUrl: string } => {
  const ssl = readBy(url);
  const plain = new URL(url);
  for (const name of parameters) plain.searchParams.delete(name);
  const plainUrl = plain.href;
  if (ssl === false) return { ssl, plainUrl };
  // The host name for the certificate check: the driver sets none for an IP address.
  const host = plain.hostname.replaceAll(/[[\]]/g, '');
  if (ssl === true) return { ssl: { host }, plainUrl };
  // pg makes the key non-enumerable, so it is copied explicitly.
  return { ssl: { ...ssl, ...(ssl.key === undefined ? {} : { key: ssl.key }), host }, plainUrl };
};

/** The type of pg allows only a boolean. */
const readBy = (url: string): boolean | ConnectionOptions => new Client(url).ssl;
