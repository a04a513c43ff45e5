import { badLink, ownerOfLink, useLink } from '../account-links.ts';
import type { AccountParts } from '../account-parts.ts';
import { type ChangeDeps, changeAccount } from '../append-account-change.ts';
import { type AccountAction, byOwner, type Cause } from '../append-events.ts';
import { noMail } from '../password/request-password-reset.ts';
import { countChange, decideWhileOpen, type OwnDeps, ownerOf } from '../signed-in-owner.ts';

/** A token that was sent to a mailbox. */
export type MailboxProof = { readonly token: string; readonly cause: Omit<Cause, 'actor'> };

/** Takes a link as the proof that its owner reads the mailbox. The credits of the plan follow from the event. */
export const proveMailbox =
  (deps: ChangeDeps) =>
  async ({ token, cause: request }: MailboxProof): Promise<void> => {
    const owner = await ownerOfLink(deps.store, token, 'mailbox', deps.clock());
    if (owner === null) throw badLink();
    const { accountId } = owner;
    await changeAccount(deps, byOwner(owner, request), {
      decide: decideWhileOpen('MailboxProved', accountId),
      write: async (writes, now) => {
        await useLink(writes, { token, accountId, purpose: 'mailbox' }, now);
        await writes.setMailboxProved(accountId, now);
      },
    });
  };

/** Asks for another link; the mail follows from the event. Nothing happens once the mailbox is proved. */
export const requestMailboxProof =
  (deps: OwnDeps & Pick<AccountParts, 'isMailing'>) =>
  async (own: AccountAction): Promise<void> => {
    const { accountId } = own;
    if (!deps.isMailing) throw noMail();
    if ((await ownerOf(deps, accountId)).mailboxProvedAt !== null) return;
    await countChange(deps, accountId, 'prove_mailbox');
    await changeAccount(deps, own, { decide: decideWhileOpen('MailboxProofRequested', accountId) });
  };
