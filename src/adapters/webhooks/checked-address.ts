import { lookup as lookUp } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
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

/** Connects to these addresses alone, which were checked: prevents DNS rebinding. */
export const pinned =
  (addresses: readonly string[]): LookupFunction =>
  (_host, options, answer) => {
    const all = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first] = all;
    if (options.all === true) answer(null, all);
    else answer(null, first?.address ?? '', first?.family ?? 0);
  };
