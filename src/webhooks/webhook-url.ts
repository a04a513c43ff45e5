import { longestLink } from '../contract/schemas.ts';
import { networkSet } from '../kernel/ip-networks.ts';
import { invalidRequest } from '../kernel/refusal.ts';

/** The rules for webhook URLs; every field is a setting. */
export type OutboundRules = {
  /** Networks (CIDR) that are allowed although they are not public; http and any port are allowed there. */
  readonly allow: readonly string[];
  /** Whether http is allowed on public networks. */
  readonly isHttpAllowed: boolean;
  /** First and last port of each range. */
  readonly ports: readonly (readonly [number, number])[];
};

/** The reason why a URL whose host has these addresses is not allowed; null when it is allowed. */
export type OutboundCheck = (url: URL, addresses: readonly string[]) => Objection | null;

export type Objection = 'blocked_address' | 'http_not_allowed' | 'port_not_allowed';

/**
 * Not public: the special-purpose registry of IPv4 (RFC 6890 and its successors); of the global unicast block of IPv6,
 * the networks that embed or document other addresses.
 */
const notPublic = networkSet([
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
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]);
const global = networkSet(['0.0.0.0/0', '2000::/3']);

/** Names that are never public, whatever they resolve to. */
const privateName = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|test|invalid|home\.arpa|onion)$/;

/** Whether an address is public. False for a text that is no address. */
export const isPublicAddress = (address: string): boolean => global.has(address) && !notPublic.has(address);

/**
 * The check of webhook URLs. It is pure: registration calls it, and each delivery calls it again with the resolved
 * addresses.
 */
export const outboundCheck = (rules: OutboundRules): OutboundCheck => {
  const allowed = networkSet(rules.allow);
  const isPortAllowed = (url: URL): boolean => {
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
    return rules.ports.some(([first, last]) => port >= first && port <= last);
  };
  return (url, addresses) => {
    if (addresses.length === 0) return 'blocked_address';
    if (addresses.every(allowed.has)) return null;
    if (!addresses.every((address) => allowed.has(address) || isPublicAddress(address))) {
      return 'blocked_address';
    }
    if (privateName.test(hostOf(url))) return 'blocked_address';
    if (url.protocol === 'http:' && !rules.isHttpAllowed) return 'http_not_allowed';
    return isPortAllowed(url) ? null : 'port_not_allowed';
  };
};

/** The host without the brackets of IPv6 and without a trailing dot. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Returns the normalized URL, or throws INVALID_REQUEST. */
export const requireUrl = (text: string): URL => {
  if (text.length > longestLink) refuse('too_long', `at most ${longestLink} characters`);
  // The URL parser drops invisible characters: the stored URL would differ from the sent one.
  if (/[^\x21-\x7e]/.test(text)) refuse('bad_sign', 'only visible ASCII characters');
  const url = URL.parse(text);
  if (url === null) return refuse('malformed', 'a scheme and a host, like https://example.com/hook');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') refuse('bad_scheme', 'the scheme https');
  if (url.username !== '' || url.password !== '') refuse('has_userinfo', 'no user name or password');
  if (url.hostname === '') refuse('malformed', 'a host');
  url.hash = '';
  return url;
};

const refuse = (code: string, wanted: string): never => {
  throw invalidRequest(`The webhook URL must have ${wanted}.`, { path: 'url', code, message: `must have ${wanted}` });
};

const reasons: Readonly<Record<Objection, string>> = {
  blocked_address: 'a host on the public internet',
  http_not_allowed: 'the scheme https',
  port_not_allowed: 'an allowed port (443, 80 or 8000 to 9999 unless set otherwise)',
};

/** Throws INVALID_REQUEST for this reason. */
export const refuseUrl = (why: Objection): never => refuse(why, reasons[why]);
