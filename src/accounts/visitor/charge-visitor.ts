import { LRUCache } from 'lru-cache';
import type { Append } from '../../eventlog/event-log.ts';
import type { Allowance } from '../../kernel/call.ts';
import { newToken } from '../../kernel/ids.ts';
import type { KeyRing } from '../../kernel/key-ring.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { AccountParts } from '../account-parts.ts';
import type { Cause } from '../append-events.ts';
import { bucketOf } from '../attempt-limits.ts';
import { readVisitorToken, visitorAccountId, visitorReaderId, visitorToken } from './visitor.ts';

/** A visitor without account on one day: it is charged like an account, to a book that its first charge opens. */
export type Visitor = { readonly accountId: string; readonly cause: Cause; readonly allowance: Allowance };

export type VisitorDeps = Pick<AccountParts, 'log' | 'store' | 'clock' | 'settings'> & {
  /** Sign the cookies. */
  readonly visitorKeys: KeyRing;
  /** The key of the account ids of a UTC day. */
  readonly visitorKeyOf: (day: string) => Uint8Array;
  /** Opens the book of a visitor for one day with its grant; it is closed after the day. */
  readonly openVisitorBook: (opening: {
    readonly accountId: string;
    /** UTC, `YYYY-MM-DD`. */
    readonly day: string;
    readonly credits: number;
    readonly now: Date;
    readonly cause: Cause;
  }) => Append;
};

export type VisitorRequest = {
  /** The value of the visitor's cookie, null without one. */
  readonly token: string | null;
  /** The rate limit key of the address. */
  readonly network: string;
  readonly cause: Omit<Cause, 'actor'>;
};

/**
 * Runs work for a visitor within two allowances of the UTC day: that of the visitor (its book, which the work charges)
 * and that of the address. Without a valid cookie the caller uses the book of the address and gets a cookie, so that
 * discarding cookies gains nothing.
 */
export const serveVisitor = (deps: VisitorDeps) => {
  const { visitorKeys: keys, store, clock } = deps;
  const { visitorCreditsPerDay: limit } = deps.settings;
  const books = visitorBooks(deps);

  return async <Result>(
    { token, network, ...visiting }: VisitorRequest,
    work: (visitor: Visitor) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly newToken: string | null }> => {
    const now = clock();
    const day = now.toISOString().slice(0, 10);
    const known = token === null ? null : readVisitorToken(token, keys);
    const name = known?.name ?? newToken();
    const key = deps.visitorKeyOf(day);
    const accountId = visitorAccountId(known?.name ?? `network ${network}`, day, key);
    const cause: Cause = { ...visiting.cause, actor: { type: 'visitor', id: accountId } };
    const bucket = bucketOf('allowance', key, `${day}|${network}`);
    const count = (credits: number) => store.countWithin(bucket, { credits, limit, now });
    const opening = { accountId, day, now, cause };
    const allowance: Allowance = {
      reader: visitorReaderId(name, key),
      isNew: known === null,
      hasBook: () => books.isOpen(opening),
      openBook: () => books.open(opening),
      hold: async (credits) => {
        const remaining = await count(credits);
        if (remaining !== null) throw tooFewCredits(credits, remaining);
      },
      release: async (credits) => {
        await count(-credits);
      },
    };
    const result = await work({ accountId, cause, allowance });
    return { result, newToken: known?.isCurrent === true ? null : visitorToken(name, keys) };
  };
};

const tooFewCredits = (required: number, remaining: number): Refusal =>
  new Refusal(
    'INSUFFICIENT_CREDITS',
    `The free allowance for today is used up: ${required} needed, ${remaining} left.`,
    { required, remaining },
  );

/** Books that this process knows to be open, so that only the first request of a visitor asks the log. */
const rememberedBooks = 10_000;

type BookOpening = Omit<Parameters<VisitorDeps['openVisitorBook']>[0], 'credits'>;

const visitorBooks = ({ log, openVisitorBook, settings }: VisitorDeps) => {
  const { visitorCreditsPerDay: credits } = settings;
  const known = new LRUCache<string, true>({ max: rememberedBooks });
  const isOpen = async (opening: BookOpening): Promise<boolean> => {
    // The id of the account names the day too.
    if (known.has(opening.accountId)) return true;
    const isThere = (await log.versionOf(openVisitorBook({ ...opening, credits }).stream)) > 0n;
    if (isThere) known.set(opening.accountId, true);
    return isThere;
  };
  return {
    isOpen,
    open: async (opening: BookOpening): Promise<void> => {
      if (await isOpen(opening)) return;
      // A conflict: another request of this visitor has opened it.
      await log.append([openVisitorBook({ ...opening, credits })]);
      known.set(opening.accountId, true);
    },
  };
};
