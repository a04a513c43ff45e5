import type { Command } from '@event-driven-io/emmett';
import type { EventLog } from '../eventlog/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId, uuidOf } from '../kernel/ids.ts';
import { invalidRequest, type Refusal } from '../kernel/refusal.ts';
import { type AccountRegistered, streamOf } from './account.ts';
import type { AccountStore, Origin, Profile } from './account-store.ts';
import { type Addition, appendAll, type Cause, toNewEvent } from './append-events.ts';
import * as mailbox from './mailbox.ts';
import type { Passwords } from './passwords.ts';

export type RegisterAccount = Command<
  'RegisterAccount',
  { accountId: string; by: 'owner' | 'operator' },
  { now: Date }
>;

/** One account per mailbox for ever, also after an erasure. */
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
    'This mailbox has an account, or had one. Where its key is lost, its owner signs in and makes another.';
  return invalidRequest(message, { path: 'email', code: 'taken' });
};

/** A registration whose mailbox and password are checked. */
export type Opening<Plan> = {
  readonly mailbox: mailbox.Mailbox;
  readonly password: string;
  readonly name: string | null;
  readonly plan: Plan;
  readonly by: 'owner' | 'operator';
  /** Null for a registration by an operator. */
  readonly origin: Origin | null;
  readonly cause: Omit<Cause, 'actor'>;
};

/**
 * Creates an account in one transaction: claims the mailbox, stores the profile and appends what `openBook` returns
 * (first book, first grant). It computes a password hash whether or not the mailbox is free, so that the time reveals
 * nothing.
 */
export const registerAccount =
  <Plan>(deps: {
    readonly log: Pick<EventLog, 'append' | 'versionOf'>;
    readonly store: Pick<AccountStore, 'writesIn'>;
    readonly passwords: Passwords;
    readonly mailboxKey: Uint8Array;
    readonly clock: Clock;
    readonly openBook: (opening: {
      readonly accountId: string;
      readonly plan: Plan;
      readonly now: Date;
      readonly cause: Cause;
    }) => Addition;
  }) =>
  async (opening: Opening<Plan>): Promise<Profile> => {
    const { log, store, passwords, clock } = deps;
    const mailboxHash = mailbox.mailboxHash(opening.mailbox.canonical, deps.mailboxKey);
    const passwordHash = await passwords.withHashingSlot((turn) => turn.hash(opening.password));

    const now = clock();
    const [accountId, userId] = [newId('acc'), newId('usr')];
    const actor =
      opening.by === 'owner'
        ? ({ type: 'user', id: userId } as const)
        : ({ type: 'operator', id: 'cli' } as const);
    const cause: Cause = { ...opening.cause, actor };
    const claimed = (await log.versionOf(mailbox.streamOf(mailboxHash))) > 0n;
    const state: mailbox.State = { claimedBy: claimed ? 'somebody' : null };
    const [claim, registered] = decide(
      { type: 'RegisterAccount', data: { accountId, by: opening.by }, metadata: { now } },
      state,
    );
    const profile: Profile = {
      accountId,
      userId,
      email: opening.mailbox.typed,
      name: opening.name,
      registeredAt: now,
    };
    const book = deps.openBook({ accountId, plan: opening.plan, now, cause });
    const outcome = await appendAll(
      log,
      [
        {
          stream: mailbox.streamOf(mailboxHash),
          expected: 0n,
          events: [toNewEvent(claim, uuidOf(`mailbox-claimed|${mailboxHash}`), cause)],
        },
        {
          stream: streamOf(accountId),
          expected: 0n,
          events: [toNewEvent(registered, uuidOf(`account-registered|${accountId}`), cause)],
        },
        ...book.appends,
      ],
      async (transaction) => {
        const writes = store.writesIn(transaction);
        await writes.insertProfile({ ...profile, passwordHash, mailboxHash });
        if (opening.origin !== null) {
          const { requestId } = opening.cause;
          await writes.noteOrigin({ ...opening.origin, accountId, requestId, at: now });
        }
        await book.within?.(transaction);
        return 'appended';
      },
    );
    // All other streams have new ids, so a conflict is a mailbox that was claimed meanwhile.
    if (outcome === 'conflict') throw claimedAlready(opening.by);
    return profile;
  };
