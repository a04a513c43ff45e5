import { Refusal } from '../kernel/refusal.ts';
import type * as account from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { Cause } from './append-events.ts';
import { countAttempt } from './attempts.ts';
import { type ChangeDeps, changeAccount } from './change-account.ts';
import { requireMailbox } from './field-refusals.ts';
import { mailboxHash } from './mailbox.ts';
import { decideRequested } from './reset-password.ts';

/** Requests for links that are answered. */
export type ResetLimits = { readonly perIpHour: number; readonly perMailboxDay: number };

type Deps = ChangeDeps & {
  readonly store: AccountStore;
  readonly mailboxKey: Uint8Array;
  readonly limits: ResetLimits;
  /** Whether this installation sends mails. */
  readonly isMailing: boolean;
  readonly pause: (ms: number) => Promise<unknown>;
};

/** The request of somebody who names an address. */
export type ResetRequest = {
  readonly email: string;
  /** The rate limit key of the address. */
  readonly network: string;
  readonly cause: Omit<Cause, 'actor'>;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Longer than it takes to record a request: so long every answer takes, whether the address has an account or not. */
const answerAfterMs = 250;

/**
 * Records that somebody asked for a link, where the address has an account; the mail follows from the event. Limits count
 * by the address that is named and by the network of the caller, and every answer is the same.
 */
export const requestPasswordReset =
  (deps: Deps) =>
  async ({ email, network, cause: request }: ResetRequest): Promise<void> => {
    if (!deps.isMailing) throw noMail();
    const mailbox = requireMailbox(email);
    const hash = mailboxHash(mailbox.canonical, deps.mailboxKey);
    await countRequest(deps, network, hash);
    const answered = deps.pause(answerAfterMs);
    const owner = await deps.store.findByMailbox(hash);
    if (owner !== null && owner.suspendedAt === null) {
      const { accountId } = owner;
      const cause: Cause = { ...request, actor: { type: 'visitor', id: 'anonymous' } };
      const decide = (state: account.State, now: Date) =>
        decideRequested(accountId, 'owner', now, state);
      await changeAccount(deps, { accountId, cause }, { decide });
    }
    await answered;
  };

/** The refusal of what needs a mail, where nothing is mailed. */
export const noMail = (): Refusal =>
  new Refusal('NOT_FOUND', 'This service sends no mail. Ask its operator.');

const countRequest = async (deps: Deps, network: string, hash: string): Promise<void> => {
  const { clock, limits } = deps;
  const counters = [
    { bucket: `network|${network}`, limit: limits.perIpHour, windowMs: hourMs },
    { bucket: `mailbox|${hash}`, limit: limits.perMailboxDay, windowMs: dayMs },
  ];
  if (await countAttempt(deps, 'reset', counters)) return;
  const retryAfterS = hourMs / 1_000;
  const details = {
    policy: 'password_reset',
    limit: limits.perIpHour,
    reset: Math.ceil(clock().getTime() / 1_000) + retryAfterS,
  };
  const message = 'Too many links were asked for. Please try again later.';
  throw new Refusal('RATE_LIMITED', message, details, retryAfterS);
};
