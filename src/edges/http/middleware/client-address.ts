import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Whose word about the client's address is taken: CIDRs or single addresses. */
export type TrustedProxies = { readonly trusts: (address: string) => boolean };

/** Reads the setting; an entry that is no address is a fault of the configuration. */
export const trustedProxies = (entries: readonly string[]): TrustedProxies => {
  if (entries.length === 0) return { trusts: () => false };
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (isIP(address) === 0) throw new Error(`${entry} is no address of a proxy`);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return {
    trusts: (address) =>
      isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'),
  };
};

/**
 * The address a request came from: that of the socket, or, when a trusted proxy holds the socket, the last
 * address of `X-Forwarded-For` that is not itself a trusted proxy. What an untrusted peer claims is ignored.
 */
export const clientAddress = (request: IncomingMessage, proxies: TrustedProxies): string => {
  let address = plain(request.socket.remoteAddress ?? '');
  if (!proxies.trusts(address)) return address;
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
  for (let at = forwarded.length - 1; at >= 0; at -= 1) {
    const claimed = plain((forwarded[at] ?? '').trim());
    if (isIP(claimed) === 0) break;
    address = claimed;
    if (!proxies.trusts(address)) break;
  }
  return address;
};

/** Whether the caller used https, as far as this process can know. */
export const isSecure = (request: IncomingMessage, proxies: TrustedProxies): boolean =>
  'encrypted' in request.socket ||
  (request.headers['x-forwarded-proto'] === 'https' &&
    proxies.trusts(plain(request.socket.remoteAddress ?? '')));

/** The name under which an address is counted: IPv6 by its /64, which one customer holds whole. */
export const countedAddress = (address: string): string => {
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('%', 1)[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const gap = Array.from({ length: Math.max(8 - left.length - right.length, 0) }, () => '0');
  const groups = address.includes('::') ? [...left, ...gap, ...right] : left;
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
};

const plain = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
