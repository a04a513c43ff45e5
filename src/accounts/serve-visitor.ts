import { LRUCache } from 'lru-cache';
import type { EventLog } from '../eventlog/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { AccountStore } from './account-store.ts';
import { type Addition, appendAll, type Cause } from './append-events.ts';
import { bucketOf } from './attempts.ts';
import { readVisitorToken, visitorAccountId, visitorToken } from './visitor.ts';

/** A visitor without account on one day: it has a book and is charged like an account. */
export type Visitor = { readonly accountId: string; readonly cause: Cause };

export type VisitorDeps = {
  readonly log: Pick<EventLog, 'append' | 'versionOf'>;
  readonly store: Pick<AccountStore, 'countWithin'>;
  /** Key of the cookie signature and of the daily account ids. */
  readonly visitorKey: Uint8Array;
  readonly clock: Clock;
  readonly newToken: () => string;
  /** The daily allowance of a visitor and, separately, of an address. */
  readonly visitorCreditsPerDay: number;
  /** Opens the book of a visitor for one day with its grant; it is closed after the day. */
  readonly openVisitorBook: (opening: {
    readonly accountId: string;
    /** UTC, `YYYY-MM-DD`. */
    readonly day: string;
    readonly credits: number;
    readonly now: Date;
    readonly cause: Cause;
  }) => Addition;
};

export type Visiting = {
  /** The value of the visitor's cookie, null without one. */
  readonly token: string | null;
  /** The rate limit key of the address. */
  readonly network: string;
  readonly cause: Omit<Cause, 'actor'>;
  /** The maximum cost of the work. */
  readonly credits: number;
};

/**
 * Runs work for a visitor within two allowances of the UTC day: that of the visitor (its book, which the work charges)
 * and that of the address, which is held before the work and released when it fails. Without a valid cookie the caller
 * uses the book of the address and gets a cookie, so that discarding cookies gains nothing.
 */
export const serveVisitor = (deps: VisitorDeps) => {
  const { visitorKey: key, store, clock, visitorCreditsPerDay: limit } = deps;
  const openBook = bookOpener(deps);

  return async <Result>(
    { token, network, credits, ...visiting }: Visiting,
    work: (visitor: Visitor) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly newToken: string | null }> => {
    const now = clock();
    const day = now.toISOString().slice(0, 10);
    const known = token === null ? null : readVisitorToken(token, key);
    const accountId = visitorAccountId(known ?? `network ${network}`, day, key);
    const cause: Cause = { ...visiting.cause, actor: { type: 'visitor', id: accountId } };

    await openBook({ accountId, day, now, cause });
    const bucket = bucketOf('allowance', key, `${day}|${network}`);
    const count = async (change: number): Promise<number | null> =>
      change === 0 ? null : await store.countWithin(bucket, { credits: change, limit, now });
    const remaining = await count(credits);
    if (remaining !== null) throw tooFewCredits(credits, remaining);
    try {
      const result = await work({ accountId, cause });
      return { result, newToken: known === null ? visitorToken(deps.newToken(), key) : null };
    } catch (error) {
      await count(-credits);
      throw error;
    }
  };
};

const tooFewCredits = (required: number, remaining: number): Refusal =>
  new Refusal(
    'INSUFFICIENT_CREDITS',
    `The free allowance of today is used up: ${required} needed, ${remaining} left.`,
    { required, remaining },
  );

/** Books that this process knows to be open, so that only the first request of a visitor asks the log. */
const rememberedBooks = 10_000;

const bookOpener = ({ log, openVisitorBook, visitorCreditsPerDay: credits }: VisitorDeps) => {
  const open = new LRUCache<string, true>({ max: rememberedBooks });
  return async (opening: {
    accountId: string;
    day: string;
    now: Date;
    cause: Cause;
  }): Promise<void> => {
    // The id of the account names the day too.
    if (open.has(opening.accountId)) return;
    const { appends, within } = openVisitorBook({ ...opening, credits });
    const [first] = appends;
    if (first !== undefined && (await log.versionOf(first.stream)) === 0n) {
      // 'conflict': another request of this visitor has opened it.
      await appendAll(log, appends, async (transaction) => {
        await within?.(transaction);
        return 'appended';
      });
    }
    open.set(opening.accountId, true);
  };
};
