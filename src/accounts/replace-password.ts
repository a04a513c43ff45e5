import type { Command } from '@event-driven-io/emmett';
import { newUuid } from '../kernel/ids.ts';
import * as account from './account.ts';
import type { Credential } from './account-store.ts';
import { appendAll, retryOnConflict, toNewEvent } from './append-events.ts';
import { type PasswordCheck, wrongCredentials } from './check-password.ts';
import { endingsOf } from './end-sessions.ts';
import { requireGoodPassword } from './field-refusals.ts';
import { parseMailbox } from './mailbox.ts';
import {
  assertOpen,
  countChange,
  type Own,
  type OwnDeps,
  ownerOf,
  readAccount,
} from './own-account.ts';
import type { Passwords } from './passwords.ts';

export type ReplacePassword = Command<'ReplacePassword', { accountId: string }, { now: Date }>;

export const decide = (
  { data: { accountId }, metadata: { now } }: ReplacePassword,
  state: account.State,
): account.PasswordReplaced => {
  assertOpen(state);
  return { type: 'PasswordReplaced', data: { accountId, at: now.toISOString() } };
};

type Deps = OwnDeps & {
  readonly checkPassword: PasswordCheck;
  readonly passwords: Passwords;
  readonly commonPasswords: ReadonlySet<string>;
  readonly serviceNames: readonly string[];
};

/** Replaces the password after a check of the present one. Every session ends, also the present one. */
export const replacePassword =
  (deps: Deps) =>
  async (own: Own & { readonly current: string; readonly next: string }): Promise<void> => {
    const { log, store, passwords, clock } = deps;
    const { accountId, cause } = own;
    const owner = await ownerOf(deps, accountId);
    refuseWeak(deps, own.next, owner);
    await deps.checkPassword({
      bucket: `account ${accountId}`,
      network: own.network,
      password: own.current,
      find: async () => owner,
    });
    await countChange(deps, accountId, 'replace_password');
    const passwordHash = await passwords.withHashingSlot((turn) => turn.hash(own.next));

    await retryOnConflict(async () => {
      const { state, version } = await readAccount(deps, accountId);
      const now = clock();
      const replaced = decide(
        { type: 'ReplacePassword', data: { accountId }, metadata: { now } },
        state,
      );
      const open = await store.openSessions(accountId, now);
      const change = {
        stream: account.streamOf(accountId),
        expected: version,
        events: [toNewEvent(replaced, newUuid(), cause)],
      };
      const ended = endingsOf(open, 'password_replaced', now, cause);
      return appendAll(log, [change, ...ended], async (transaction) => {
        const writes = store.writesIn(transaction);
        const locked = await writes.lock(accountId);
        if (locked?.passwordHash !== owner.passwordHash) throw wrongCredentials();
        await writes.setPassword(accountId, passwordHash);
        await writes.deleteLinks(accountId, 'password');
        // Also sessions that began after the read; `PasswordReplaced` ends them.
        await writes.deleteSessions(await writes.openSessionIds(accountId, now));
        return 'appended';
      });
    });
  };

/** What tells a weak password. */
export type WeaknessDeps = Pick<Deps, 'commonPasswords' | 'serviceNames'>;

export const refuseWeak = (
  deps: WeaknessDeps,
  password: string,
  { email }: Pick<Credential, 'email'>,
): void => {
  const mailbox = parseMailbox(email);
  if (mailbox === null) throw new Error('a stored mail address cannot be read');
  requireGoodPassword(password, { ...deps, mailbox }, 'new_password');
};
