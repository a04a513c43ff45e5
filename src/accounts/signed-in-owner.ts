import type { EventLog } from '../eventlog/event-log.ts';
import { readState, type StreamState } from '../eventlog/read/read-state.ts';
import { dayMs } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import * as account from './account.ts';
import type { AccountParts } from './account-parts.ts';
import type { Credential } from './account-store.ts';
import { bucketOf, counted } from './attempt-limits.ts';

/** Dependencies of the commands on the own account. */
export type OwnDeps = Pick<AccountParts, 'log' | 'store' | 'mailboxKeys' | 'clock' | 'settings'>;

/** The state of the account with its version. */
export const readAccount = ({ log }: Pick<OwnDeps, 'log'>, accountId: string): Promise<StreamState<account.State>> =>
  readState(log, account.streamOf(accountId), account);

/** Whether an account was erased before this moment (RFC 3339). */
export const wasErasedBefore = async (
  { log }: { readonly log: Pick<EventLog, 'read'> },
  accountId: string,
  moment: string,
): Promise<boolean> => {
  const events = await log.read<account.AccountEvent>(account.streamOf(accountId));
  return events.some(({ type, data }) => type === 'AccountErased' && Date.parse(data.at) < Date.parse(moment));
};

/** The profile of an account. Throws UNAUTHENTICATED when the account is erased. */
export const ownerOf = async ({ store }: Pick<OwnDeps, 'store'>, accountId: string): Promise<Credential> => {
  const credential = await store.find(accountId);
  if (credential === null) throw notSignedIn();
  return credential;
};

const notSignedIn = (): Refusal => new Refusal('UNAUTHENTICATED', 'Sign in required.');

/** Refuses an account that is unknown or erased. */
export const assertOpen = ({ status }: account.State): void => {
  if (status !== 'open' && status !== 'suspended') throw notSignedIn();
};

/** The event of this type on an account that is there. Throws UNAUTHENTICATED for one that is unknown or erased. */
export const decideWhileOpen =
  <const Type extends account.PlainEvent['type']>(type: Type, accountId: string) =>
  (state: account.State, now: Date) => {
    assertOpen(state);
    return { type, data: { accountId, at: now.toISOString() } };
  };

/** Counts a change against the daily limit, which keeps the stream of the account short. */
export const countChange = async (deps: OwnDeps, accountId: string, change: string): Promise<void> => {
  const { store, clock, mailboxKeys } = deps;
  const { changesPerDay: limit } = deps.settings;
  // `deed` is the name of these counters in the database.
  const bucket = bucketOf('deed', mailboxKeys.current.bytes, `${change}|${accountId}`);
  const now = clock().getTime();
  const { isWithin, tally } = await store.changeTallies([bucket], ([before]) => {
    const next = counted(before ?? null, now, { limit, windowMs: dayMs });
    return { tallies: [next.tally], result: next };
  });
  if (isWithin) return;
  const message = `This can be done ${limit} times a day. Please try again tomorrow.`;
  const endsAt = tally.startedAt + dayMs;
  const retryAfterS = Math.ceil((endsAt - now) / 1000);
  const reset = Math.ceil(endsAt / 1000);
  throw new Refusal('RATE_LIMITED', message, { policy: change, limit, reset }, retryAfterS);
};
