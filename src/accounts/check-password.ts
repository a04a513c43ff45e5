import type { Clock } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { AccountStore, Credential } from './account-store.ts';
import {
  attempted,
  bucketOf,
  current,
  emptyTally,
  forgiven,
  type Tally,
  type Throttle,
} from './attempts.ts';
import type { Passwords } from './passwords.ts';

export type SignInLimits = {
  /** Wrong passwords for one mailbox. */
  readonly perMailbox: Throttle;
  /** Wrong passwords from one address, over all mailboxes. */
  readonly perNetwork: Throttle;
};

/** The same refusal for an unknown mailbox and a wrong password. */
export const wrongCredentials = (): Refusal =>
  new Refusal('INVALID_CREDENTIALS', 'The mail address or the password is wrong.');

export type Checked = {
  readonly credential: Credential;
  /** The stronger hash to store, null when the stored one is strong enough. */
  readonly rehashed: string | null;
  /** Wrong passwords since the last success. */
  readonly failuresBefore: number;
};

export type PasswordCheck = (guess: {
  /** The mailbox whose password is guessed: failures are counted for it and for `network`. */
  readonly bucket: string;
  readonly network: string;
  readonly password: string;
  readonly find: () => Promise<Credential | null>;
}) => Promise<Checked>;

/**
 * Compares a password under the throttle. A caller above the limit is refused before it queues for a hashing slot. The
 * attempt is counted once the slot is free, before its outcome is known: parallel guesses get exactly as many attempts
 * as sequential ones, and parallel right passwords do not lock each other out.
 */
export const checkPassword =
  (deps: {
    readonly store: Pick<AccountStore, 'tallies' | 'changeTallies'>;
    readonly passwords: Passwords;
    readonly limits: SignInLimits;
    readonly mailboxKey: Uint8Array;
    readonly clock: Clock;
  }): PasswordCheck =>
  async ({ bucket, network, password, find }) => {
    const { store, passwords, limits, clock } = deps;
    const throttles = [limits.perMailbox, limits.perNetwork] as const;
    const buckets = [bucket, `network ${network}`].map((name) =>
      bucketOf('sign-in', deps.mailboxKey, name),
    );
    refuseBlocked(await store.tallies(buckets), throttles, clock().getTime());

    return passwords.withHashingSlot(async (slot) => {
      await store
        .changeTallies(buckets, (tallies) => attempt(tallies, throttles, clock().getTime()))
        .then(throwIfRefused);
      const credential = await find();
      const verdict = await slot.verify(password, credential?.passwordHash ?? null);
      if (credential === null || !verdict.isRight) throw wrongCredentials();
      const failuresBefore = await store.changeTallies(buckets, ([own, shared]) => ({
        tallies: [emptyTally(clock().getTime()), forgiven(shared ?? emptyTally(0))],
        result: Math.max(0, (own?.count ?? 1) - 1),
      }));
      return { credential, rehashed: verdict.rehashed, failuresBefore };
    });
  };

type Throttles = readonly [Throttle, Throttle];

const attempt = (
  tallies: readonly (Tally | null)[],
  throttles: Throttles,
  now: number,
): { tallies: readonly Tally[]; result: Refusal | null } => {
  const attempts = throttles.map((throttle, index) =>
    attempted(tallies[index] ?? null, now, throttle),
  );
  const waits = attempts.flatMap((one, index) =>
    one.isAllowed ? [] : [{ limit: throttles[index]?.limit ?? 0, retryAfterS: one.retryAfterS }],
  );
  const [longest] = waits.sort((a, b) => b.retryAfterS - a.retryAfterS);
  if (longest === undefined) return { tallies: attempts.map(({ tally }) => tally), result: null };
  // One of the two throttles refuses: the other one must not count the attempt.
  const unchanged = throttles.map((throttle, index) =>
    current(tallies[index] ?? null, now, throttle),
  );
  return { tallies: unchanged, result: tooMany(longest, now) };
};

const refuseBlocked = (
  tallies: readonly (Tally | null)[],
  throttles: Throttles,
  now: number,
): void => throwIfRefused(attempt(tallies, throttles, now).result);

const throwIfRefused = (refusal: Refusal | null): void => {
  if (refusal !== null) throw refusal;
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
