import { ConnectionError } from './errors.js';

/** How requests are repeated. */
export type Retries = {
  /** Repeats after the first attempt. */
  readonly maxRetries: number;
  /** A longer `Retry-After` is an error at once. */
  readonly maxWaitMs: number;
  /** Limit of one attempt. */
  readonly timeoutMs: number;
  /** A number from 0 to 1, for jitter. */
  readonly random: () => number;
};

export const defaultRetries: Retries = { maxRetries: 4, maxWaitMs: 60_000, timeoutMs: 60_000, random: Math.random };

const firstBackoffMs = 250;
const longestBackoffMs = 8_000;
const serverFaults: readonly number[] = [500, 502, 503, 504];

/** Milliseconds that `Retry-After` tells, as seconds or as a date; null: nothing that can be read. */
export const retryAfterMs = (header: string | null, now = Date.now()): number | null => {
  if (header === null) return null;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
};

/** The pause before a repeat, in milliseconds; what the service asks for counts, else a random share of a growing one. */
export const backoffMs = (attempt: number, askedMs: number | null, random: () => number): number => {
  if (askedMs !== null) return askedMs + random() * firstBackoffMs;
  return random() * Math.min(longestBackoffMs, firstBackoffMs * 2 ** attempt);
};

/** Resolves after `ms`; rejects with the reason of the signal. */
export const pause = (ms: number, signal?: AbortSignal | null): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const aborted = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    signal?.addEventListener('abort', aborted, { once: true });
  });

const errorOf = async (response: Response): Promise<{ code?: unknown; details?: { retryable?: unknown } | null }> => {
  try {
    const { error } = await response.clone().json();
    return typeof error === 'object' && error !== null ? error : {};
  } catch {
    return {};
  }
};

/** Whether the same request may have another answer. `isRepeatable`: done twice, it counts once. */
const mayRepeat = async (response: Response, isRepeatable: boolean): Promise<boolean> => {
  const { status } = response;
  if (status !== 429 && status !== 409 && !serverFaults.includes(status)) return false;
  if (status !== 429 && !isRepeatable) return false;
  const { code, details } = await errorOf(response);
  if (status === 409 && code !== 'IDEMPOTENCY_IN_PROGRESS') return false;
  return details?.retryable !== false;
};

/** The answer with its whole body, so that a connection that breaks in the middle is noticed here. Streams stay streams. */
const whole = async (response: Response): Promise<Response> => {
  const { status, statusText, headers } = response;
  if (response.body === null || headers.get('Content-Type')?.startsWith('text/event-stream')) return response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
};

/**
 * `fetch` with repeats. 429 is always repeated; 409 of a request under way, 500 to 504 and lost connections only where
 * repeating is safe: reads, and what carries an `Idempotency-Key`. Throws `ConnectionError` where no answer came.
 */
export const fetchWithRetries =
  (fetch: (request: Request) => Promise<Response>, retries: Retries) =>
  async (request: Request): Promise<Response> => {
    const isRepeatable = ['GET', 'HEAD'].includes(request.method) || request.headers.has('Idempotency-Key');
    for (let attempt = 0; ; attempt += 1) {
      const isLast = attempt >= retries.maxRetries;
      let askedMs: number | null = null;
      try {
        const signal = AbortSignal.any([request.signal, AbortSignal.timeout(retries.timeoutMs)]);
        const response = await whole(await fetch(new Request(request.clone(), { signal })));
        askedMs = retryAfterMs(response.headers.get('Retry-After'));
        const isTooLong = askedMs !== null && askedMs > retries.maxWaitMs;
        if (isLast || isTooLong || !(await mayRepeat(response, isRepeatable))) return response;
      } catch (error) {
        if (request.signal.aborted) throw request.signal.reason;
        if (isLast || !isRepeatable) throw new ConnectionError(request.url, error);
      }
      await pause(backoffMs(attempt, askedMs, retries.random), request.signal);
    }
  };
