import type { Server } from 'node:http';
import type { Config } from '../config.ts';

/** The URL of a server on this host and port; an IPv6 address is put in brackets. */
export const urlAt = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The absolute base of links, if the configuration determines it. */
export const configuredUrl = ({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string =>
  publicUrl ?? urlAt(host, port);

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

/** Resolves to the URL once the server listens. `setting`: the one that an error names. */
export const listen = (
  server: Server,
  { host, port, setting }: { readonly host: string; readonly port: number; readonly setting: string },
): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const isTaken = 'code' in error && error.code === 'EADDRINUSE';
      reject(
        isTaken
          ? new Error(`${setting} ${port} on ${host} is in use by another program; stop it or set ${setting}`)
          : new Error(`HOST ${host} and ${setting} ${port} cannot be listened on`, { cause: error }),
      );
    });
    server.listen(port, host, () => {
      const address = server.address();
      const real = typeof address === 'object' && address !== null ? address.port : port;
      resolve(urlAt(host, real));
    });
  });
