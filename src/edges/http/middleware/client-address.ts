import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import { networkSet } from '../../../kernel/ip-networks.ts';

/** Peers whose `X-Forwarded-*` headers are believed: CIDRs or single addresses. */
export type TrustedProxies = { readonly trusts: (address: string) => boolean };

/** Reads the setting; an entry that is no address is a fault of the configuration. */
export const trustedProxies = (entries: readonly string[]): TrustedProxies => ({
  trusts: networkSet(entries).has,
});

/**
 * The address a request came from: that of the socket, or, when a trusted proxy holds the socket, the last
 * address of `X-Forwarded-For` that is not itself a trusted proxy. What an untrusted peer claims is ignored.
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
  (request.headers['x-forwarded-proto'] === 'https' &&
    proxies.trusts(plain(request.socket.remoteAddress ?? '')));

/** The name under which an address is counted: IPv6 by its /64, which one customer holds whole. */
export const countedAddress = (address: string): string => {
  if (!address.includes(':')) return address;
  const parsed = ipaddr.parse(address);
  if (!(parsed instanceof ipaddr.IPv6)) return address;
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
};

/** Without a zone, the port and the brackets that some proxies add, and an IPv4 address in its own form. */
const plain = (address: string): string => {
  const bare = address
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/%.*$/, '');
  return bare.startsWith('::ffff:') && bare.includes('.') ? bare.slice(7) : bare;
};
