import { lookup as lookUp } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { hostOf } from '../../webhooks/webhook-url.ts';

/** Resolves a host name to all its addresses. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

export const systemResolver: ResolveHost = async (host) =>
  (await lookUp(host, { all: true, verbatim: true })).map(({ address }) => address);

/** All addresses of the host of a URL. */
export const addressesOf = async (resolve: ResolveHost, url: URL): Promise<readonly string[]> => {
  const host = hostOf(url);
  return isIP(host) === 0 ? await resolve(host) : [host];
};

/**
 * A client without a proxy that connects to these addresses alone, which were checked: prevents DNS rebinding.
 * `authorities`: additional CA certificates (PEM), for tests.
 */
export const agentFor = (
  addresses: readonly string[],
  connectTimeoutMs: number,
  authorities?: readonly string[],
): Agent =>
  new Agent({
    connect: {
      timeout: connectTimeoutMs,
      lookup: pinned(addresses),
      ...(authorities === undefined ? {} : { ca: [...authorities] }),
    },
    allowH2: false,
    maxHeaderSize: 16 * 1_024,
  });

const pinned =
  (addresses: readonly string[]): LookupFunction =>
  (_host, options, answer) => {
    const all = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first] = all;
    if (options.all === true) answer(null, all);
    else answer(null, first?.address ?? '', first?.family ?? 0);
  };
