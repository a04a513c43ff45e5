import type { Command } from '@event-driven-io/emmett';
import type { PlanKey } from '../../contract/plan-keys.ts';
import type { Append } from '../../eventlog/event-log.ts';
import { readState, type StreamState } from '../../eventlog/read/read-state.ts';
import { newId, uuidOf } from '../../kernel/ids.ts';
import { invalidRequest, type Refusal } from '../../kernel/refusal.ts';
import { type AccountRegistered, streamOf } from '../account.ts';
import type { AccountParts } from '../account-parts.ts';
import type { Origin, Profile } from '../account-store.ts';
import { appendAll, appendOf, type Cause } from '../append-events.ts';
import * as mailbox from '../email-address.ts';
import { wasErasedBefore } from '../signed-in-owner.ts';

export type RegisterAccount = Command<
  'RegisterAccount',
  { accountId: string; by: 'owner' | 'operator' },
  { now: Date }
>;

/** One account per mailbox at a time. `claimedBy` null: nobody has it, or its account was erased more than a day ago. */
export const decide = (
  { data: { accountId, by }, metadata: { now } }: RegisterAccount,
  { claimedBy }: mailbox.State,
): readonly [mailbox.MailboxClaimed, AccountRegistered] => {
  if (claimedBy !== null) throw claimedAlready(by);
  const at = now.toISOString();
  return [
    { type: 'MailboxClaimed', data: { accountId, at } },
    { type: 'AccountRegistered', data: { accountId, by, at } },
  ];
};

/** The same refusal for a mailbox that has an account and for one that may not have any. */
export const notCompleted = (): Refusal =>
  invalidRequest('The registration could not be completed.', { path: 'body', code: 'refused' });

/** Operators are told that the mailbox has an account; other callers get the general refusal. */
const claimedAlready = (by: 'owner' | 'operator'): Refusal => {
  if (by === 'owner') return notCompleted();
  const message =
    'This mailbox has an account, or had one less than a day ago. If its key is lost, its owner can sign in and create another.';
  return invalidRequest(message, { path: 'email', code: 'taken' });
};

/** A registration whose mailbox and password are checked. */
export type Opening = {
  readonly mailbox: mailbox.Mailbox;
  readonly password: string;
  readonly name: string | null;
  readonly plan: PlanKey;
  /** The plan has to wait for a proof of the mailbox. */
  readonly isProvisional: boolean;
  /** Null: an operator registers it. */
  readonly origin: Origin | null;
  readonly cause: Omit<Cause, 'actor'>;
};

/** The first book and grant of an account, appended with it. */
export type OpenBook = (
  opening: Pick<Opening, 'plan' | 'isProvisional'> & {
    readonly accountId: string;
    readonly now: Date;
    readonly cause: Cause;
  },
) => readonly Append[];

/**
 * Creates an account in one transaction: claims the mailbox, stores the profile and appends what `openBook` returns
 * (first book, first grant). It computes a password hash whether or not the mailbox is free, so that the time reveals
 * nothing.
 */
export const registerAccount =
  (
    deps: Pick<AccountParts, 'log' | 'store' | 'passwords' | 'mailboxKeys' | 'clock'> & { readonly openBook: OpenBook },
  ) =>
  async (opening: Opening): Promise<Profile> => {
    const { log, store, passwords, clock } = deps;
    const hashes = mailbox.mailboxHashes(opening.mailbox.canonical, deps.mailboxKeys);
    const [mailboxHash = ''] = hashes;
    const passwordHash = await passwords.withHashingSlot((slot) => slot.hash(opening.password));

    const now = clock();
    const [accountId, userId] = [newId('acc'), newId('usr')];
    const by = opening.origin === null ? 'operator' : 'owner';
    const actor = by === 'owner' ? ({ type: 'user', id: userId } as const) : ({ type: 'operator', id: 'cli' } as const);
    const cause: Cause = { ...opening.cause, actor };
    const { state, version } = await readMailbox(deps, hashes, now);
    const [claim, registered] = decide({ type: 'RegisterAccount', data: { accountId, by }, metadata: { now } }, state);
    const profile: Profile = { accountId, userId, email: opening.mailbox.typed, name: opening.name, registeredAt: now };
    const { plan, isProvisional } = opening;
    const claimId = claimIdOf(mailboxHash, version);
    const registeredId = uuidOf(`account-registered|${accountId}`);
    const appends = [
      appendOf(mailbox.streamOf(mailboxHash), version, claim, { id: claimId, cause }),
      appendOf(streamOf(accountId), 0n, registered, { id: registeredId, cause }),
      ...deps.openBook({ accountId, plan, isProvisional, now, cause }),
    ];
    const outcome = await appendAll(log, appends, async (transaction) => {
      const writes = store.writesIn(transaction);
      await writes.insertProfile({ ...profile, passwordHash, mailboxHash });
      if (opening.origin !== null) {
        const { requestId } = opening.cause;
        await writes.noteOrigin({ ...opening.origin, accountId, requestId, at: now });
      }
      return 'appended';
    });
    // All other streams have new ids, so a conflict is a mailbox that was claimed meanwhile.
    if (outcome === 'conflict') throw claimedAlready(by);
    return profile;
  };

/** An erased account keeps its mailbox for a day, so that nobody gets a fresh allowance by erasing and registering. */
const mailboxKeptMs = 86_400_000;

/**
 * The state of a mailbox, with the version of the stream under its current hash. The claim of an account that was made
 * under another key is in another stream, or only in its profile.
 */
const readMailbox = async (
  { log, store }: Pick<AccountParts, 'log' | 'store'>,
  hashes: readonly string[],
  now: Date,
): Promise<StreamState<mailbox.State>> => {
  const streams = await Promise.all(hashes.map((hash) => readState(log, mailbox.streamOf(hash), mailbox)));
  const version = streams[0]?.version ?? 0n;
  const owner = await store.findByMailbox(hashes);
  if (owner !== null) return { state: { claimedBy: owner.accountId }, version };
  const before = new Date(now.getTime() - mailboxKeptMs).toISOString();
  for (const { state } of streams) {
    const { claimedBy } = state;
    if (claimedBy !== null && !(await wasErasedBefore({ log }, claimedBy, before))) {
      return { state, version };
    }
  }
  return { state: mailbox.initialState(), version };
};

/** The first claim of a mailbox has the id that earlier versions gave it. */
export const claimIdOf = (mailboxHash: string, version: bigint): string =>
  uuidOf(`mailbox-claimed|${mailboxHash}${version === 0n ? '' : `|${version}`}`);
