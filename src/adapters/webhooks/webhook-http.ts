import { isIP } from 'node:net';
import { errors, request } from 'undici';
import { orAborted } from '../../kernel/abortable.ts';
import { type Clock, elapsedMs } from '../../kernel/clock.ts';
import { retryAfterMsOf } from '../../kernel/retry-after.ts';
import type { Attempt, SendWebhook } from '../../webhooks/deliver-webhook.ts';
import type { AttemptFailure } from '../../webhooks/delivery.ts';
import { hostOf, type OutboundCheck, refuseUrl, requireUrl } from '../../webhooks/webhook-url.ts';
import { addressesOf, agentFor, type ResolveHost, systemResolver } from './checked-address.ts';

const maxAnswerBytes = 16 * 1_024;
const reachabilityTimeoutMs = 3_000;

export type WebhookHttpOptions = {
  readonly check: OutboundCheck;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** Timeout of the whole attempt. */
  readonly timeoutMs: number;
  readonly resolve?: ResolveHost;
  /** Additional CA certificates (PEM), for tests. */
  readonly authorities?: readonly string[];
};

/**
 * Sends webhooks. A name is resolved once per attempt, every address is checked, and the connection goes to
 * one of these addresses, which prevents DNS rebinding. Redirects are not followed;
 * at most 16 kB of a response body are read and discarded.
 */
export const webhookSender = (options: WebhookHttpOptions): SendWebhook => {
  const resolve = options.resolve ?? systemResolver;
  return async ({ url: text, headers, body, signal }) => {
    const startedAt = elapsedMs();
    const failed = (why: AttemptFailure, httpStatus: number | null = null): Attempt => ({
      kind: 'failed',
      why,
      httpStatus,
      retryAfterMs: null,
      durationMs: Math.round(elapsedMs() - startedAt),
    });
    try {
      const url = requireUrl(text);
      const lookUpMs = Math.min(options.connectTimeoutMs, options.timeoutMs);
      const addresses = await orAborted(
        addressesOf(resolve, url),
        AbortSignal.any([signal, AbortSignal.timeout(lookUpMs)]),
      );
      const objection = options.check(url, addresses);
      // The same error as for an unknown name, so that private names are not revealed.
      const isPrivateName = objection === 'blocked_address' && isIP(hostOf(url)) === 0;
      if (objection !== null) return failed(isPrivateName ? 'dns_failed' : objection);
      const leftMs = options.timeoutMs - (elapsedMs() - startedAt);
      const answer = await exchange(options, { url, addresses, headers, body, signal, leftMs });
      const durationMs = Math.round(elapsedMs() - startedAt);
      return outcomeOf(answer, durationMs, options.clock);
    } catch (error) {
      return failed(signal.aborted ? 'timeout' : failureOf(error));
    }
  };
};

/**
 * Refuses a URL at registration to which nothing could be delivered. A name is resolved only if it needs a network of the
 * allow list: otherwise the response would reveal whether a name exists in a private network.
 */
export const reachability =
  ({ check, resolve = systemResolver }: { check: OutboundCheck; resolve?: ResolveHost }) =>
  async (text: string): Promise<string> => {
    const url = requireUrl(text);
    const host = hostOf(url);
    const objection = check(url, isIP(host) === 0 ? [anyPublicAddress] : [host]);
    if (objection === null) return url.href;
    const time = AbortSignal.timeout(reachabilityTimeoutMs);
    const addresses = await orAborted(addressesOf(resolve, url), time).catch(() => []);
    if (check(url, addresses) !== null) refuseUrl(objection);
    return url.href;
  };

/** Placeholder for the addresses of a name that was not resolved. */
const anyPublicAddress = '1.1.1.1';

type Exchange = Pick<Parameters<SendWebhook>[0], 'headers' | 'body' | 'signal'> & {
  readonly url: URL;
  readonly addresses: readonly string[];
  /** Until the timeout of the attempt. */
  readonly leftMs: number;
};

type Answer = { readonly status: number; readonly retryAfter: string | null };

const exchange = async (
  { connectTimeoutMs, authorities }: WebhookHttpOptions,
  { url, addresses, headers, body, signal, leftMs }: Exchange,
): Promise<Answer> => {
  const time = AbortSignal.timeout(Math.max(1, Math.ceil(leftMs)));
  const either = AbortSignal.any([signal, time]);
  const dispatcher = agentFor(addresses, connectTimeoutMs, authorities);
  try {
    const sent = request(url, {
      ...{ dispatcher, method: 'POST', headers, body, signal: either },
      ...{ reset: true, headersTimeout: 0, bodyTimeout: 0 },
    });
    const answer = await orAborted(sent, either);
    // So that a receiver can finish sending. The status counts, even if reading the body fails.
    await answer.body.dump({ limit: maxAnswerBytes, signal: either }).catch(() => {});
    const [retryAfter = null] = [answer.headers['retry-after']].flat();
    return { status: answer.statusCode, retryAfter };
  } catch (error) {
    throw time.aborted ? Object.assign(new Error('late'), { code: 'ETIMEDOUT' }) : error;
  } finally {
    await dispatcher.destroy();
  }
};

const outcomeOf = ({ status, retryAfter }: Answer, durationMs: number, clock: Clock): Attempt => {
  if (status >= 200 && status < 300) return { kind: 'delivered', httpStatus: status, durationMs };
  const why = status >= 300 && status < 400 ? 'redirect' : 'http_status';
  const retryAfterMs = retryAfterMsOf(retryAfter, clock().getTime());
  return { kind: 'failed', why, httpStatus: status, retryAfterMs, durationMs };
};

const failureOf = (error: unknown): AttemptFailure => {
  // The time-out of the DNS look-up; that of the request is ETIMEDOUT.
  if (error instanceof Error && error.name === 'TimeoutError') return 'dns_failed';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout';
  if (code === 'ENOTFOUND' || code.startsWith('EAI_') || code === 'ESERVFAIL') return 'dns_failed';
  const isGarbled = error instanceof errors.HTTPParserError;
  if (isGarbled || /^(ECONNRESET|EPIPE|UND_ERR_(SOCKET|HEADERS|RES_))/.test(code)) return 'connection_lost';
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') return 'tls_expired';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'tls_wrong_host';
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code)) return 'tls_failed';
  return 'connect_failed';
};
