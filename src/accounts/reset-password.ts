import type { EventLog } from '../eventlog/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import type * as account from './account.ts';
import type { AccountStore, AccountWrites, Credential } from './account-store.ts';
import { type Cause, retryOnConflict } from './append-events.ts';
import { emptyTally } from './attempts.ts';
import { signInBucket } from './check-password.ts';
import { tokenHash } from './end-sessions.ts';
import { accountOfLink, badLink, linkLifeMs, linkUrl } from './links.ts';
import { mailboxHash, parseMailbox } from './mailbox.ts';
import { assertOpen, readAccount } from './own-account.ts';
import type { Passwords } from './passwords.ts';
import { refuseWeak, type WeaknessDeps } from './replace-password.ts';
import { storeChange } from './store-change.ts';

type Deps = WeaknessDeps & {
  readonly log: Pick<EventLog, 'append' | 'read'>;
  readonly store: AccountStore;
  readonly passwords: Passwords;
  readonly mailboxKey: Uint8Array;
  readonly clock: Clock;
};

/** Throws UNAUTHENTICATED for an account that is unknown or erased. */
export const decideRequested = (
  accountId: string,
  by: 'owner' | 'operator',
  now: Date,
  state: account.State,
): account.PasswordResetRequested => {
  assertOpen(state);
  return { type: 'PasswordResetRequested', data: { accountId, by, at: now.toISOString() } };
};

/** A link that sets a new password once, within an hour: its address is given out here and stored nowhere. */
export const issuePasswordLink =
  (
    deps: Pick<Deps, 'log' | 'store' | 'clock'> & {
      readonly newToken: () => string;
      readonly baseUrl: () => Promise<string>;
    },
  ) =>
  async ({
    accountId,
    cause,
  }: {
    readonly accountId: string;
    readonly cause: Cause;
  }): Promise<{ readonly url: string; readonly expiresAt: Date }> => {
    const now = deps.clock();
    const token = deps.newToken();
    const expiresAt = new Date(now.getTime() + linkLifeMs.password);
    const link = { tokenSha256: tokenHash(token), accountId, purpose: 'password' } as const;
    await retryOnConflict(async () => {
      const { state, version } = await readAccount(deps, accountId);
      const event = decideRequested(accountId, 'operator', now, state);
      const write = (writes: AccountWrites) => writes.insertLink({ ...link, expiresAt });
      return await storeChange(deps, { cause, version, event, ends: null, write });
    });
    return { url: linkUrl(await deps.baseUrl(), 'password', token), expiresAt };
  };

/** Whether a link still sets a password. */
export const isPasswordLink =
  ({ store, clock }: Pick<Deps, 'store' | 'clock'>) =>
  async (token: string): Promise<boolean> =>
    (await accountOfLink(store, token, 'password', clock())) !== null;

/** The request of somebody who holds a link. */
export type Reset = {
  readonly token: string;
  readonly password: string;
  readonly cause: Omit<Cause, 'actor'>;
};

/**
 * Sets the password by a link. Every session ends, every link for a password is used up, and the owner need not wait
 * for wrong passwords of before. A password that is refused leaves the link good.
 */
export const resetPassword =
  (deps: Deps) =>
  async ({ token, password, cause: request }: Reset): Promise<void> => {
    const { store, clock } = deps;
    const accountId = await accountOfLink(store, token, 'password', clock());
    const owner = accountId === null ? null : await store.find(accountId);
    if (accountId === null || owner === null) throw badLink();
    refuseWeak(deps, password, owner);
    const passwordHash = await deps.passwords.withHashingSlot((turn) => turn.hash(password));
    const cause: Cause = { ...request, actor: { type: 'user', id: owner.userId } };

    await retryOnConflict(async () => {
      const { version } = await readAccount(deps, accountId);
      const now = clock();
      const data = { accountId, at: now.toISOString() };
      const event: account.PasswordReset = { type: 'PasswordReset', data };
      return await storeChange(deps, {
        ...{ cause, version, event, ends: 'password_replaced' },
        write: async (writes) => {
          const link = { tokenSha256: tokenHash(token), accountId, purpose: 'password' } as const;
          if (!(await writes.useLink(link, now))) throw badLink();
          await writes.deleteLinks(accountId, 'password');
          await writes.setPassword(accountId, passwordHash);
        },
      });
    });
    await forgetFailures(deps, owner);
  };

const forgetFailures = async (
  { store, mailboxKey, clock }: Deps,
  { email }: Pick<Credential, 'email'>,
): Promise<void> => {
  const canonical = parseMailbox(email)?.canonical ?? email;
  const bucket = signInBucket(mailboxKey, `mailbox ${mailboxHash(canonical, mailboxKey)}`);
  await store.changeTallies([bucket], () => ({
    tallies: [emptyTally(clock().getTime())],
    result: undefined,
  }));
};
