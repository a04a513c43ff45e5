import type { Config } from '../config.ts';

/** The URL of a server on this host and port; an IPv6 address is put in brackets. */
export const urlAt = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The absolute base of links, if the configuration determines it. */
export const configuredUrl = ({
  publicUrl,
  host,
  port,
}: Pick<Config, 'publicUrl' | 'host' | 'port'>): string => publicUrl ?? urlAt(host, port);

/**
 * The base of links for work that may begin before the server listens. With PORT=0 and no PUBLIC_URL, `listening` sets the
 * port, and `baseUrl` waits for it.
 */
export const openBaseUrl = (config: Config) => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const isKnown = config.publicUrl !== null || config.port !== 0 || config.role === 'worker';
  if (isKnown) resolve(configuredUrl(config));
  return { baseUrl: () => promise, listening: resolve };
};
