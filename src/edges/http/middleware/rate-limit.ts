import type { RateLimitPolicy } from '../../../contract/endpoint.ts';
import type { Limiter, Verdict } from '../../../kernel/limiter.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { countedAddress } from './client-address.ts';
import type { HeaderFields } from './response.ts';

/** Requests per minute and address, by rate limit policy. */
export type AddressLimits = Readonly<Record<'ip' | 'public' | 'session' | 'visitor', number>>;

const windowS = 60;

/** Counts a request of a key or an authorization and sets the headers. Throws RATE_LIMITED above the limit of its plan. */
export const countKey = async (
  limiter: Limiter,
  headers: HeaderFields,
  { id, limitPerMinute }: { readonly id: string; readonly limitPerMinute: number },
): Promise<void> => {
  const counted = limiter.consume({ key: `key:${id}`, limit: limitPerMinute, windowS });
  requireAllowed(headers, 'key', counted instanceof Promise ? await counted : counted);
};

/** Counts a request without a key by its address and sets the headers. Throws RATE_LIMITED above the limit. */
export const countAddress = async (
  { limiter, limits }: { readonly limiter: Limiter; readonly limits: AddressLimits },
  headers: HeaderFields,
  address: string,
  rateLimit: Exclude<RateLimitPolicy, 'key'>,
): Promise<void> => {
  const policy = rateLimit === 'none' ? 'ip' : rateLimit;
  const window = { key: `${policy}:${countedAddress(address)}`, limit: limits[policy], windowS };
  if (rateLimit === 'none') announce(headers, policy, limiter.peek(window));
  else requireAllowed(headers, policy, await limiter.consume(window));
};

/**
 * The `X-RateLimit-*` headers of the specification, and the same values in the fields of the IETF draft (RateLimit
 * header fields for HTTP, revision 10).
 */
const announce = (headers: HeaderFields, policy: string, { limit, remaining, resetAt, resetInS }: Verdict): void => {
  headers['X-RateLimit-Limit'] = String(limit);
  headers['X-RateLimit-Remaining'] = String(remaining);
  headers['X-RateLimit-Reset'] = String(resetAt);
  headers['RateLimit-Policy'] = `"${policy}";q=${limit};w=${windowS}`;
  headers['RateLimit'] = `"${policy}";r=${remaining};t=${resetInS}`;
};

const requireAllowed = (headers: HeaderFields, policy: string, verdict: Verdict): void => {
  announce(headers, policy, verdict);
  const { isAllowed, limit, resetAt, resetInS } = verdict;
  if (isAllowed) return;
  const message = `More than ${limit} requests in this minute. The next minute begins in ${resetInS} s.`;
  throw new Refusal('RATE_LIMITED', message, { policy, limit, reset: resetAt }, resetInS);
};
