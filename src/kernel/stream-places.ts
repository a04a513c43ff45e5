import { Refusal } from './refusal.ts';
import { semaphore } from './semaphore.ts';

/** After so long without a reader, a stream gives its place back. */
const unreadMs = 1_000;

/**
 * A stream that holds a place from its request on, so that requests that come together are refused before their answers
 * begin, and gives it back at its end, or where nobody reads it: a caller may want the headers alone.
 */
export const whileRead = <Piece>(place: Disposable, pieces: (signal: AbortSignal) => AsyncIterable<Piece>) => {
  const unread = setTimeout(() => place[Symbol.dispose](), unreadMs).unref();
  return async function* (signal: AbortSignal): AsyncGenerator<Piece> {
    clearTimeout(unread);
    using _ = place;
    yield* pieces(signal);
  };
};

/** Exports of this process, and of one account, at once. */
const mostExports = { total: 8, perKey: 2 } as const;

/** The places for exports of `what`. Taking one throws SERVICE_UNAVAILABLE or RATE_LIMITED where all are taken. */
export const exportPlaces = (what: 'ledgers' | 'libraries') => {
  const places = semaphore(mostExports);
  return (accountId: string): Disposable => {
    const place = places.tryAcquire(accountId);
    if (place !== null) return place;
    if (places.load() >= mostExports.total) {
      throw new Refusal('SERVICE_UNAVAILABLE', `Too many ${what} are being exported.`, null, 5);
    }
    const limit = mostExports.perKey;
    const message = `This account has ${limit} exports in progress, which is the maximum.`;
    throw new Refusal('RATE_LIMITED', message, { policy: 'account_exports', limit }, 5);
  };
};
