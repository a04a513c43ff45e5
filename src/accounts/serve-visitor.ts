import { createHmac } from 'node:crypto';
import type { EventLog } from '../eventlog/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { AccountStore } from './account-store.ts';
import { type Addition, appendAll, type Cause } from './append-events.ts';
import { current, type Tally } from './attempts.ts';
import { readVisitorToken, visitorAccountId, visitorToken } from './visitor.ts';

/** A visitor without account on one day: it has a book and is charged like an account. */
export type Visitor = { readonly accountId: string; readonly cause: Cause };

export type VisitorDeps = {
  readonly log: Pick<EventLog, 'append' | 'versionOf'>;
  readonly store: Pick<AccountStore, 'changeTallies'>;
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

const dayMs = 86_400_000;

/**
 * Runs work for a visitor within two allowances of the UTC day: that of the visitor (its book, which the work charges)
 * and that of the address, which is held before the work and released when it fails. Without a valid cookie the caller
 * uses the book of the address and gets a cookie, so that discarding cookies gains nothing.
 */
export const serveVisitor =
  (deps: VisitorDeps) =>
  async <Result>(
    visiting: Visiting,
    work: (visitor: Visitor) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly newToken: string | null }> => {
    const { visitorKey: key, clock } = deps;
    const now = clock();
    const day = now.toISOString().slice(0, 10);
    const known = visiting.token === null ? null : readVisitorToken(visiting.token, key);
    const accountId = visitorAccountId(known ?? `network ${visiting.network}`, day, key);
    const cause: Cause = { ...visiting.cause, actor: { type: 'visitor', id: accountId } };

    await openBook(deps, { accountId, day, now, cause });
    const allowance = allowanceOf(deps, visiting.network, day);
    await allowance.take(visiting.credits);
    try {
      const result = await work({ accountId, cause });
      return { result, newToken: known === null ? visitorToken(deps.newToken(), key) : null };
    } catch (error) {
      await allowance.giveBack(visiting.credits);
      throw error;
    }
  };

const openBook = async (
  { log, openVisitorBook, visitorCreditsPerDay: credits }: VisitorDeps,
  opening: { accountId: string; day: string; now: Date; cause: Cause },
): Promise<void> => {
  const { appends, within } = openVisitorBook({ ...opening, credits });
  const [first] = appends;
  if (first === undefined || (await log.versionOf(first.stream)) > 0n) return;
  // 'conflict': another request of this visitor has opened it.
  await appendAll(log, appends, async (transaction) => {
    await within?.(transaction);
    return 'appended';
  });
};

const allowanceOf = (
  { store, clock, visitorKey, visitorCreditsPerDay: limit }: VisitorDeps,
  network: string,
  day: string,
): { take(credits: number): Promise<void>; giveBack(credits: number): Promise<void> } => {
  const hash = createHmac('sha256', visitorKey).update(`${day}|${network}`).digest('base64url');
  const change = <Result>(
    of: (spent: Tally) => { tally: Tally; result: Result },
  ): Promise<Result> =>
    store.changeTallies([`allowance ${hash}`], ([tally]) => {
      const spent = current(tally ?? null, clock().getTime(), { limit, windowMs: 2 * dayMs });
      const { tally: next, result } = of(spent);
      return { tallies: [next], result };
    });
  return {
    take: async (credits) => {
      const remaining = await change((spent) => {
        const isEnough = spent.count + credits <= limit;
        const tally = isEnough ? { ...spent, count: spent.count + credits } : spent;
        return { tally, result: isEnough ? null : Math.max(0, limit - spent.count) };
      });
      if (remaining === null) return;
      const message = `The free allowance of today is used up: ${credits} needed, ${remaining} left.`;
      throw new Refusal('INSUFFICIENT_CREDITS', message, { required: credits, remaining });
    },
    giveBack: (credits) =>
      change((spent) => ({
        tally: { ...spent, count: Math.max(0, spent.count - credits) },
        result: undefined,
      })),
  };
};
