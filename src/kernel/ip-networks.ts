import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, prefixLength: number];

/** Whether a host of a URL or a listen address is this machine only. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** A network such as `10.0.0.0/8` or `::1/128`; a single address is a network of one. Null for any other text. */
export const parseNetwork = (text: string): Network | null => {
  const [address = '', ...prefix] = text.split('/');
  if (isIP(address) === 0) return null;
  if (prefix.length > 0) return ipaddr.isValidCIDR(text) ? ipaddr.parseCIDR(text) : null;
  const parsed = ipaddr.process(address);
  return [parsed, parsed.kind() === 'ipv6' ? 128 : 32];
};

/** The network of an address, for telling places apart: the /24 of IPv4, the /48 of IPv6. Other text stays as it is. */
export const networkOf = (text: string): string => {
  if (isIP(text) === 0) return text;
  const bytes = ipaddr.process(text).toByteArray();
  return bytes.slice(0, bytes.length === 4 ? 3 : 6).join('.');
};

/** A set of networks. `has` is false for a text that is no address, and for an address with a zone. */
export const networkSet = (networks: readonly string[]) => {
  const parsed = networks.map((text) => {
    const network = parseNetwork(text);
    if (network === null) throw new Error(`${text} is neither an address nor a network`);
    return network;
  });
  return {
    has: (text: string): boolean => {
      if (parsed.length === 0 || isIP(text) === 0 || text.includes('%')) return false;
      // An IPv4 address that is written as IPv6 (`::ffff:a.b.c.d`) is that IPv4 address.
      const address = ipaddr.process(text);
      return parsed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
    },
  };
};
