import { Refusal } from '../../kernel/refusal.ts';
import type { AccountParts } from '../account-parts.ts';
import type { Credential, Tally } from '../account-store.ts';
import { attempted, bucketOf, current, emptyTally, forgiven, type Throttle } from '../attempt-limits.ts';

/** The same refusal for an unknown mailbox and a wrong password. */
export const wrongCredentials = (): Refusal =>
  new Refusal('INVALID_CREDENTIALS', 'The mail address or the password is wrong.');

export type CredentialMatch = {
  readonly credential: Credential;
  /** The stronger hash to store, null when the stored one is strong enough. */
  readonly rehashed: string | null;
  /** Wrong passwords since the last success. */
  readonly failuresBefore: number;
};

/** Failures that are counted together. */
export type FailureCounter = {
  /** What it counts by. */
  readonly bucket: string;
  readonly throttle: Throttle;
  /** It counts other mailboxes too: a success takes back its own attempt only. */
  readonly isShared?: boolean;
};

type Way = readonly FailureCounter[];

export type PasswordCheck = (guess: {
  /** Every failure for the mailbox; the next success reports their number. */
  readonly failures: FailureCounter;
  /** Ways to count the attempt: it takes the first one of which no counter has to wait. */
  readonly ways: readonly Way[];
  readonly password: string;
  readonly find: () => Promise<Credential | null>;
}) => Promise<CredentialMatch>;

/**
 * Compares a password under the throttles. A caller above the limit is refused before it queues for a hashing slot. The
 * attempt is counted once the slot is free, before its outcome is known: parallel guesses get exactly as many attempts
 * as sequential ones, and parallel right passwords do not lock each other out.
 */
export const checkPassword =
  ({
    store,
    passwords,
    mailboxKeys,
    clock,
  }: Pick<AccountParts, 'store' | 'passwords' | 'mailboxKeys' | 'clock'>): PasswordCheck =>
  async ({ failures, ways, password, find }) => {
    const counters = new Map([failures, ...ways.flat()].map((one) => [one.bucket, one]));
    const buckets = [...counters.keys()].map((name) => bucketOf('sign-in', mailboxKeys.current.bytes, name));
    const attempt = (stored: readonly (Tally | null)[]) => {
      const now = clock().getTime();
      const present = [...counters.values()].map(
        ({ bucket, throttle }, index) => [bucket, current(stored[index] ?? null, now, throttle)] as const,
      );
      return attemptBy(ways, failures, new Map(present), now);
    };
    wayOf(attempt(await store.tallies(buckets)).result);

    return passwords.withHashingSlot(async (slot) => {
      const way = wayOf(await store.changeTallies(buckets, attempt));
      const credential = await find();
      const verdict = await slot.verify(password, credential?.password ?? null);
      if (credential === null || !verdict.isRight) throw wrongCredentials();
      const failuresBefore = await store.changeTallies(buckets, (tallies) => ({
        tallies: [...counters.values()].map((counter, index) => {
          const tally = tallies[index] ?? emptyTally(0);
          if (counter !== failures && !way.includes(counter)) return tally;
          return counter.isShared === true ? forgiven(tally) : emptyTally(clock().getTime());
        }),
        result: Math.max(0, (tallies[0]?.count ?? 1) - 1),
      }));
      return { credential, rehashed: verdict.rehashed, failuresBefore };
    });
  };

/** Counts the attempt in the first way that allows it; where none does, nothing is counted, and the last one tells the wait. */
const attemptBy = (
  ways: readonly Way[],
  failures: FailureCounter,
  tallies: ReadonlyMap<string, Tally>,
  now: number,
): { tallies: readonly Tally[]; result: Way | Refusal } => {
  let result: Way | Refusal = [];
  for (const way of ways) {
    const attempts = way.map(({ bucket, throttle }) => ({
      ...attempted(tallies.get(bucket) ?? null, now, throttle),
      ...{ bucket, limit: throttle.limit },
    }));
    const [longest] = attempts
      .flatMap((one) => (one.isAllowed ? [] : [one]))
      .sort((a, b) => b.retryAfterS - a.retryAfterS);
    if (longest === undefined) {
      const before = tallies.get(failures.bucket) ?? emptyTally(now);
      const next = new Map(tallies).set(failures.bucket, { ...before, count: before.count + 1 });
      for (const { bucket, tally } of attempts) next.set(bucket, tally);
      return { tallies: [...next.values()], result: way };
    }
    result = tooMany(longest, now);
  }
  return { tallies: [...tallies.values()], result };
};

const wayOf = (result: Way | Refusal): Way => {
  if (result instanceof Refusal) throw result;
  return result;
};

const tooMany = (
  { limit, retryAfterS }: { readonly limit: number; readonly retryAfterS: number },
  now: number,
): Refusal =>
  new Refusal(
    'RATE_LIMITED',
    'Too many failed attempts to sign in. Please try again later.',
    { policy: 'sign_in', limit, reset: Math.ceil(now / 1000) + retryAfterS },
    retryAfterS,
  );
