import { Agent, type Dispatcher, Pool, ProxyAgent, request as send } from 'undici';
import { type EgressLimits, egressPool, type Limiter, politeLimits } from '../../extraction/egress.ts';
import {
  type Platform,
  PlatformFault,
  type PlatformOptions,
  type PlatformRequest,
  type PlatformResponse,
} from '../../extraction/platform.ts';
import { orAborted } from '../../kernel/abortable.ts';
import { boundedBody } from '../../kernel/bounded-body.ts';
import { decompress } from '../../kernel/decompress.ts';
import { isLoopback } from '../../kernel/ip-networks.ts';
import { retryAfterMsOf } from '../../kernel/retry-after.ts';
import { type EgressReport, egressReports } from './egress-reports.ts';

export type PlatformHttpOptions = {
  /** The origin that receives every request instead of the platform's hosts; null for the platform itself. */
  readonly origin: string | null;
  /** http or https proxies; one egress each. Empty: one egress, without a proxy. */
  readonly proxies: readonly string[];
  /** Per egress. Without it: `politeLimits` towards the platform, `unpacedLimits` towards an origin. */
  readonly limits?: EgressLimits;
  /** Called when an egress fails or is blocked, and when it works again; at most once a minute for each. */
  readonly onEgress?: (report: EgressReport) => void;
  /** Called each time an egress is taken out of use for a while. */
  readonly onAvoided?: (why: NonNullable<EgressReport['why']>) => void;
};

/** Limits for an origin other than the platform: bounded concurrency, without a rate limit. */
const unpacedLimits: EgressLimits = { ...politeLimits, requestsPerSecond: null, concurrency: 128 };
const connectTimeoutMs = 4_000;
const keepAliveMs = 30_000;
/** How long an egress is avoided after a failed connection, and after a timeout. */
const brokenForMs = { unreachable: 30_000, connection: 30_000, timeout: 10_000 } as const;

/**
 * The platform over HTTP: keep-alive, no redirects, a limit on the size of decompressed bodies.
 * A failing egress is avoided for a while, and the request is retried through another within its timeout: all are reads.
 * Throws on an origin or a proxy that is not allowed: https, or http on the loopback for the origin.
 */
export const platformHttp = (options: PlatformHttpOptions): Platform => {
  const { origin, proxies, onEgress = () => {}, onAvoided = () => {} } = options;
  const target = origin === null ? null : checkedOrigin(origin);
  const ids = proxies.length === 0 ? ['direct'] : proxies.map((_, index) => `proxy-${index + 1}`);
  const pool = egressPool(ids, options.limits ?? (target === null ? politeLimits : unpacedLimits));
  const reports = egressReports(new Map(ids.map((id, index) => [id, proxies[index]])), onEgress);
  const dispatchers = new Map(ids.map((id, index) => [id, dispatcherOf(proxies[index])]));
  return {
    mode: target === null ? (proxies.length === 0 ? 'direct' : 'proxy') : 'fixture',
    async request(wanted, { signal, timeoutMs }) {
      const time = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
      const either = AbortSignal.any([signal, time]);
      for (let left = ids.length; ; left -= 1) {
        const { id, limiter } = pool.choose();
        using _ = await acquireSlot(limiter, either, signal);
        try {
          const dispatcher = dispatchers.get(id);
          const answer = await roundTrip(wanted, { ...{ dispatcher, target, egress: id }, signal: either });
          reports.answered(id);
          return answer;
        } catch (error) {
          signal.throwIfAborted();
          const fault = time.aborted ? new PlatformFault('timeout', error) : faultOf(error);
          if (fault.kind === 'too_large' || fault.kind === 'busy') throw fault;
          const forMs = brokenForMs[fault.kind];
          const isAnotherOpen = pool.penalize(id, forMs);
          const why = fault.kind === 'timeout' ? 'timeout' : 'connection';
          reports.broke(id, why, forMs, fault);
          onAvoided(why);
          if (time.aborted || left <= 1 || !isAnotherOpen) throw fault;
        }
      }
    },
    penalize: (id, forMs) => {
      reports.broke(id, 'blocked', forMs);
      onAvoided('blocked');
      return pool.penalize(id, forMs);
    },
    async close() {
      await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
    },
  };
};

const acquireSlot = async (limiter: Limiter, either: AbortSignal, caller: AbortSignal): Promise<Disposable> => {
  try {
    return await limiter.acquire(either);
  } catch (error) {
    caller.throwIfAborted();
    // Timed out in the queue: that does not count against an egress.
    throw error instanceof PlatformFault ? error : new PlatformFault('timeout', error);
  }
};

type RoundTripOptions = {
  readonly dispatcher: Dispatcher | undefined;
  readonly target: URL | null;
  readonly egress: string;
  readonly signal: PlatformOptions['signal'];
};

const roundTrip = async (wanted: PlatformRequest, options: RoundTripOptions): Promise<PlatformResponse> => {
  const meant = new URL(wanted.url);
  const { target, dispatcher, signal, egress } = options;
  // Path and query are sent unchanged, because they are signed.
  const path = wanted.url.slice(meant.origin.length);
  const url = target === null ? wanted.url : `${target.origin}${path}`;
  const sent = send(url, {
    ...(dispatcher === undefined ? {} : { dispatcher }),
    method: wanted.method,
    headers: {
      ...wanted.headers,
      'accept-encoding': 'gzip, br',
      ...(target === null ? {} : { 'x-forwarded-host': meant.host }),
    },
    body: wanted.body,
    signal,
  });
  // undici handles an abort only after the connection is made.
  const answer = await orAborted(sent, signal);
  const { headers, statusCode: status } = answer;
  // 407 comes only from a proxy that rejects our credentials.
  if (status === 407) throw new PlatformFault('connection', new Error('Proxy response (407)'));
  const body = await textOf(answer.body, first(headers['content-encoding']), wanted);
  return {
    status,
    body,
    location: first(headers['location']),
    retryAfterS: retryAfterSOf(first(headers['retry-after']), first(headers['date'])),
    etag: first(headers['etag']),
    lastModified: first(headers['last-modified']),
    egress,
  };
};

const textOf = async (
  body: Dispatcher.ResponseData['body'],
  encoding: string | null,
  { maxBytes, isBinary = false }: PlatformRequest,
): Promise<string> => {
  const decoded = isBinary ? latin1 : utf8;
  const bytes = await boundedBody(body, maxBytes, () => new PlatformFault('too_large'));
  const coding = (encoding ?? 'identity').trim().toLowerCase();
  if (coding === 'identity' || bytes.length === 0) return decoded(bytes);
  const decompressed = decompress(bytes, coding, maxBytes);
  if (decompressed === null) {
    throw new PlatformFault('connection', new Error('unknown content encoding'));
  }
  return decoded(await decompressed);
};

const latin1 = (bytes: Buffer): string => bytes.toString('latin1');

/** UTF-8 without the byte order mark that some documents begin with. */
const utf8 = (bytes: Buffer): string => {
  const text = bytes.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
};

/** No name, no route, or nobody there. */
const noConnection: ReadonlySet<string> = new Set([
  ...['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'],
  ...['EHOSTDOWN', 'EADDRNOTAVAIL', 'EACCES', 'EPERM'],
]);

const faultOf = (error: unknown): PlatformFault => {
  if (error instanceof PlatformFault) return error;
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 'ERR_BUFFER_TOO_LARGE') return new PlatformFault('too_large', error);
  if (typeof code === 'string' && noConnection.has(code)) {
    return new PlatformFault('unreachable', error);
  }
  const isTimeout = typeof code === 'string' && code.includes('TIMEOUT');
  return new PlatformFault(isTimeout ? 'timeout' : 'connection', error);
};

const dispatcherOf = (proxy: string | undefined): Dispatcher => {
  const shared = {
    keepAliveTimeout: keepAliveMs,
    connections: 128,
    maxHeaderSize: 32_768,
    connect: { timeout: connectTimeoutMs },
  };
  if (proxy === undefined) return new Agent(shared);
  const url = URL.parse(proxy);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new Error('a proxy is an address that starts with http:// or https://');
  return new ProxyAgent({
    ...shared,
    uri: proxy,
    connectTimeout: connectTimeoutMs,
    proxyTls: { allowH2: false },
    // Without this, a proxy that accepts a connection and never answers CONNECT would hold it for five minutes.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: connectTimeoutMs }),
  });
};

const checkedOrigin = (origin: string): URL => {
  const url = URL.parse(origin);
  const isAllowed =
    url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)));
  if (!isAllowed) throw new Error('the origin of the platform is https, or http on the loopback');
  return url;
};

const first = (value: string | string[] | undefined): string | null =>
  (Array.isArray(value) ? value[0] : value) ?? null;

/** Compares with the `Date` of the same response, because the clock of this machine may differ. */
const retryAfterSOf = (value: string | null, date: string | null): number | null => {
  const ms = retryAfterMsOf(value, Date.parse(date ?? ''));
  return ms === null ? null : Math.ceil(ms / 1_000);
};
