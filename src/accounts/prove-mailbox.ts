import type { EventLog } from '../eventlog/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import type * as account from './account.ts';
import type { AccountStore } from './account-store.ts';
import { type Cause, retryOnConflict } from './append-events.ts';
import { tokenHash } from './end-sessions.ts';
import { accountOfLink, badLink } from './links.ts';
import {
  assertOpen,
  countChange,
  type Own,
  type OwnDeps,
  ownerOf,
  readAccount,
} from './own-account.ts';
import { noMail } from './request-password-reset.ts';
import { storeChange } from './store-change.ts';

/** Throws UNAUTHENTICATED for an account that is erased. */
export const decideProved = (
  accountId: string,
  now: Date,
  state: account.State,
): account.MailboxProved => {
  assertOpen(state);
  return { type: 'MailboxProved', data: { accountId, at: now.toISOString() } };
};

/** Whether a link still proves a mailbox. */
export const isMailboxLink =
  ({ store, clock }: { readonly store: Pick<AccountStore, 'findLink'>; readonly clock: Clock }) =>
  async (token: string): Promise<boolean> =>
    (await accountOfLink(store, token, 'mailbox', clock())) !== null;

/** Takes a link as the proof that its owner reads the mailbox. The credits of the plan follow from the event. */
export const proveMailbox =
  (deps: {
    readonly log: Pick<EventLog, 'append' | 'read'>;
    readonly store: AccountStore;
    readonly clock: Clock;
  }) =>
  async ({
    token,
    cause: request,
  }: {
    readonly token: string;
    readonly cause: Omit<Cause, 'actor'>;
  }): Promise<void> => {
    const { store, clock } = deps;
    const accountId = await accountOfLink(store, token, 'mailbox', clock());
    const owner = accountId === null ? null : await store.find(accountId);
    if (accountId === null || owner === null) throw badLink();
    const cause: Cause = { ...request, actor: { type: 'user', id: owner.userId } };
    await retryOnConflict(async () => {
      const { state, version } = await readAccount(deps, accountId);
      const now = clock();
      const event = decideProved(accountId, now, state);
      return await storeChange(deps, {
        ...{ cause, version, event, ends: null },
        write: async (writes) => {
          const link = { tokenSha256: tokenHash(token), accountId, purpose: 'mailbox' } as const;
          if (!(await writes.useLink(link, now))) throw badLink();
          await writes.deleteLinks(accountId, 'mailbox');
          await writes.setMailboxProved(accountId, now);
        },
      });
    });
  };

/** Asks for another link; the mail follows from the event. Nothing happens once the mailbox is proved. */
export const requestMailboxProof =
  (deps: OwnDeps & { readonly isMailing: boolean }) =>
  async ({ accountId, cause }: Own): Promise<void> => {
    if (!deps.isMailing) throw noMail();
    if ((await ownerOf(deps, accountId)).mailboxProvedAt !== null) return;
    await countChange(deps, accountId, 'prove_mailbox');
    await retryOnConflict(async () => {
      const { state, version } = await readAccount(deps, accountId);
      assertOpen(state);
      const data = { accountId, at: deps.clock().toISOString() };
      const event: account.MailboxProofRequested = { type: 'MailboxProofRequested', data };
      const change = { cause, version, event, ends: null, write: async () => {} };
      return await storeChange(deps, change);
    });
  };
