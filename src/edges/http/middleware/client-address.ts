import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import { networkSet } from '../../../kernel/ip-networks.ts';

/** Peers whose `X-Forwarded-*` headers are trusted: CIDRs or single addresses. */
export type TrustedProxies = { readonly trusts: (address: string) => boolean };

/** Throws for an entry that is no address or network. */
export const trustedProxies = (entries: readonly string[]): TrustedProxies => ({ trusts: networkSet(entries).has });

/**
 * The address of the client: that of the socket, or, when a trusted proxy holds the socket, the last address of
 * `X-Forwarded-For` that is no trusted proxy. Headers of an untrusted peer are ignored.
 */
export const clientAddress = (request: IncomingMessage, { trusts }: TrustedProxies): string => {
  const peer = plain(request.socket.remoteAddress ?? '');
  if (!trusts(peer)) return peer;
  const path = proxyAddr.all(request, (address) => trusts(plain(address)));
  return path.map(plain).findLast((address) => isIP(address) !== 0) ?? peer;
};

/** Whether the caller used https, as far as this process can know. */
export const isSecure = (request: IncomingMessage, proxies: TrustedProxies): boolean =>
  'encrypted' in request.socket ||
  (request.headers['x-forwarded-proto'] === 'https' && proxies.trusts(plain(request.socket.remoteAddress ?? '')));

/** The rate limit key of an address: IPv6 by its /64, which one customer usually has. */
export const countedAddress = (address: string): string => {
  if (!address.includes(':')) return address;
  const parsed = ipaddr.parse(address);
  if (!(parsed instanceof ipaddr.IPv6)) return address;
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
};

/** The address without zone, port and brackets; an IPv4-mapped address as IPv4. */
const plain = (address: string): string => {
  const bare = address
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/%.*$/, '');
  return bare.startsWith('::ffff:') && bare.includes('.') ? bare.slice(7) : bare;
};
