import { BlockList, isIP } from 'node:net';
import { invalidRequest } from '../kernel/refusal.ts';

/** Where webhooks may go; every field is a setting. */
export type OutboundRules = {
  /** Networks (CIDR) that may be reached although they are not public; http and any port are allowed there. */
  readonly allow: readonly string[];
  /** Whether http is allowed on public networks. */
  readonly isHttpAllowed: boolean;
  /** First and last port of each range. */
  readonly ports: readonly (readonly [number, number])[];
};

export type OutboundCheck = {
  /** The address in the shape it is kept in, or a refusal (INVALID_REQUEST) that says what is wrong. */
  readonly requireUrl: (url: string) => URL;
  /** Whether this URL may be sent to when its host is at these addresses; null: yes, else why not. */
  readonly objection: (url: URL, addresses: readonly string[]) => Objection | null;
};

export type Objection = 'blocked_address' | 'http_not_allowed' | 'port_not_allowed';

export const maxUrlLength = 2_048;

/**
 * What is public: IPv4 without the special-purpose registry (RFC 6890 and its successors); IPv6 only the
 * global unicast block without what embeds or documents other addresses.
 */
const blockedV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
const globalV6 = ['2000::/3'];
const blockedV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

/** Names that never lead to the public internet, whatever a resolver says of them. */
const privateName =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|test|invalid|home\.arpa|onion)$/;

const listOf = (networks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits = ''] = network.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
};

const notPublic = listOf(blockedV4);
const global = listOf(globalV6);
const notGlobal = listOf(blockedV6);

/** An IPv4 address that is written as IPv6 (`::ffff:a.b.c.d`) is that IPv4 address. */
const plain = (address: string): string => {
  if (isIP(address) !== 6) return address;
  const { hostname } = new URL(`http://[${address}]`);
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname);
  if (mapped === null) return hostname.slice(1, -1);
  const bits = (parseInt(mapped[1] ?? '', 16) * 65_536 + parseInt(mapped[2] ?? '', 16)) >>> 0;
  return [bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255].join('.');
};

/** Whether an address is one that anybody on the internet could reach. What is no address is not. */
export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return false;
  const text = plain(address);
  if (isIP(text) === 4) return !notPublic.check(text, 'ipv4');
  return global.check(text, 'ipv6') && !notGlobal.check(text, 'ipv6');
};

/** The rules for receivers' URLs; pure, so it is asked at registration and again with what a host resolves to. */
export const outboundCheck = (rules: OutboundRules): OutboundCheck => {
  const allowed = listOf(rules.allow);
  const isAllowed = (address: string): boolean => {
    if (isIP(address) === 0 || address.includes('%')) return false;
    const text = plain(address);
    return allowed.check(text, isIP(text) === 6 ? 'ipv6' : 'ipv4');
  };
  const isPortAllowed = (url: URL): boolean => {
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
    return rules.ports.some(([first, last]) => port >= first && port <= last);
  };

  const objection: OutboundCheck['objection'] = (url, addresses) => {
    if (addresses.length === 0) return 'blocked_address';
    if (addresses.every(isAllowed)) return null;
    if (!addresses.every((address) => isAllowed(address) || isPublicAddress(address))) {
      return 'blocked_address';
    }
    if (privateName.test(hostOf(url))) return 'blocked_address';
    if (url.protocol === 'http:' && !rules.isHttpAllowed) return 'http_not_allowed';
    return isPortAllowed(url) ? null : 'port_not_allowed';
  };
  return { requireUrl, objection };
};

/** The host without the brackets of IPv6 and without a final dot. */
export const hostOf = ({ hostname }: URL): string =>
  hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

const requireUrl = (text: string): URL => {
  if (text.length > maxUrlLength) refuse('too_long', `at most ${maxUrlLength} signs`);
  // The parser would drop what is invisible, and the address kept would not be the one that was sent.
  if (/[^\x21-\x7e]/.test(text)) refuse('bad_sign', 'only visible ASCII signs');
  const url = URL.parse(text);
  if (url === null)
    return refuse('malformed', 'a scheme and a host, like https://example.com/hook');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    refuse('bad_scheme', 'the scheme https');
  if (url.username !== '' || url.password !== '')
    refuse('has_userinfo', 'no user name or password');
  if (url.hostname === '') refuse('malformed', 'a host');
  url.hash = '';
  return url;
};

const refuse = (code: string, wanted: string): never => {
  throw invalidRequest(`The webhook URL must have ${wanted}.`, {
    path: 'url',
    code,
    message: `must have ${wanted}`,
  });
};

const reasons: Readonly<Record<Objection, string>> = {
  blocked_address: 'a host on the public internet',
  http_not_allowed: 'the scheme https',
  port_not_allowed: 'an allowed port (443, 80 or 8000 to 9999 unless set otherwise)',
};

/** Refuses a URL for this reason, in the words of its field. */
export const refuseUrl = (why: Objection): never => refuse(why, reasons[why]);
