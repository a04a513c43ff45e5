import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { type Clock, elapsedMs } from '../../kernel/clock.ts';
import { type Limiter, verdictOf } from '../../kernel/limiter.ts';
import { throttled } from '../../kernel/throttled.ts';

/** Timeout of a Redis response. */
const responseTimeoutMs = 100;
/** Timeout of a connection and its handshake. */
const connectTimeoutMs = 2_000;
/** After a failure Redis is not called for this long; then one request tries it again. */
const pauseMs = 1_000;
const reportEveryMs = 60_000;

/**
 * Counts in Redis, for all processes. When Redis fails, is slow or refuses to write, `insurance` counts the request
 * with the share of this node; no request fails or waits more than 100 ms, and during an outage only one request a
 * second waits.
 */
export const redisLimiter = (options: {
  readonly url: string;
  readonly clock: Clock;
  /** Counts in this process while Redis does not. */
  readonly insurance: Limiter;
  /** API processes that share the limits; each insures its part. */
  readonly nodes: number;
  /** Called at most once a minute. */
  readonly onFailure: (error: Error) => void;
}): Limiter & AsyncDisposable & { ready(): Promise<void> } => {
  const { clock, insurance, nodes, onFailure } = options;
  const client = connect(options.url);
  // The limit differs per key, so the library counts and `verdictOf` decides.
  const counter = new RateLimiterRedis({
    storeClient: client,
    keyPrefix: 'rl',
    points: Number.MAX_SAFE_INTEGER,
    duration: 60,
    rejectIfRedisNotReady: true,
  });
  const breaker = breakerOf(onFailure);
  client.on('error', breaker.report);

  const insured = (window: Parameters<Limiter['consume']>[0]) =>
    insurance.consume({ ...window, limit: Math.ceil(window.limit / nodes) });

  return {
    async consume(window) {
      if (!breaker.mayTry()) return insured(window);
      const { key, limit, windowS } = window;
      const nowS = clock().getTime() / 1000;
      const ordinal = Math.floor(nowS / windowS);
      try {
        const name = `${key}:${windowS}:${ordinal}`;
        const { consumedPoints } = await inTime(counter.consume(name, 1, { customDuration: windowS }));
        breaker.succeeded();
        return verdictOf({ count: consumedPoints, limit }, (ordinal + 1) * windowS, nowS);
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error));
        const isFirst = breaker.failed(failure);
        // After a failover the old primary answers READONLY, and the name leads to the new one. A connection on
        // which an answer is missing may be half open: TCP would take a quarter of an hour to notice.
        if (isFirst && (failure === tooLate || failure.message.includes('READONLY'))) client.disconnect(true);
        return insured(window);
      }
    },
    peek: (window) => insurance.peek(window),
    /** Resolves once Redis is connected; before that, `insurance` counts. */
    async ready() {
      if (client.status === 'ready') return;
      await new Promise<void>((resolve) => client.once('ready', () => resolve()));
    },
    async [Symbol.asyncDispose]() {
      client.disconnect();
    },
  };
};

const tooLate = new Error(`Redis did not answer within ${responseTimeoutMs} ms`);

/**
 * Resolves to a response of Redis within the timeout. It reads what has arrived at the timeout first: after a blocked
 * event loop the response is there, and counting without Redis would exceed the limit.
 */
const inTime = <Value>(answer: Promise<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    const giveUp = () => setImmediate(() => reject(tooLate));
    const timer = setTimeout(giveUp, responseTimeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });

const connect = (url: string): Redis =>
  new Redis(url, {
    commandTimeout: connectTimeoutMs,
    connectTimeout: connectTimeoutMs,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    keepAlive: 10_000,
    retryStrategy: (times) => Math.min(100 * 2 ** Math.min(times, 5), 2_000),
  });

const breakerOf = (onFailure: (error: Error) => void) => {
  let closedUntilMs = 0;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  const report = throttled<Error>(reportEveryMs, onFailure);
  return {
    report,
    /** True while Redis answers; during an outage true for one request a second. */
    mayTry(): boolean {
      if (closedUntilMs === 0) return true;
      if (elapsedMs() < closedUntilMs) return false;
      closedUntilMs = elapsedMs() + pauseMs;
      return true;
    },
    succeeded(): void {
      closedUntilMs = 0;
    },
    /** True for the first failure of a second; concurrent requests fail with it. */
    failed(error: Error): boolean {
      const isFirst = elapsedMs() - failedAtMs >= pauseMs;
      if (isFirst) failedAtMs = elapsedMs();
      closedUntilMs = elapsedMs() + pauseMs;
      report(error);
      return isFirst;
    },
  };
};
