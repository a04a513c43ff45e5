import { linkLifeMs, longestMailWaitMs } from '../../contract/sign-in.ts';
import { dayMs, hourMs } from '../../kernel/clock.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { AccountParts } from '../account-parts.ts';
import { type ChangeDeps, changeAccount } from '../append-account-change.ts';
import type { Cause } from '../append-events.ts';
import { attempted, bucketOf, countAttempt } from '../attempt-limits.ts';
import { mailboxHash, mailboxHashes } from '../email-address.ts';
import { requireMailbox } from '../field-refusals.ts';
import { readDeviceToken } from '../sign-in/device-cookie.ts';
import { decideRequested } from './reset-password.ts';

type Deps = ChangeDeps & Pick<AccountParts, 'mailboxKeys' | 'deviceKeys' | 'settings' | 'isMailing' | 'pause'>;

/** The request of somebody who names an address. */
export type ResetRequest = {
  readonly email: string;
  /** The rate limit key of the address. */
  readonly network: string;
  /** The value of the `device` cookie, null without one. */
  readonly deviceToken: string | null;
  readonly cause: Omit<Cause, 'actor'>;
};

/** Longer than it takes to record a request: so long every answer takes, whether the address has an account or not. */
const answerAfterMs = 250;

/**
 * Records that somebody asked for a link, where the address has an account; the mail follows from the event. Limits count
 * by the network of the caller, alone and with the address that is named, and every answer is the same. Who asks for links
 * of others does not keep their owner from one: where too many were asked for, the newest mail is recent and its link good.
 */
export const requestPasswordReset =
  (deps: Deps) =>
  async ({ email, network, deviceToken, cause: request }: ResetRequest): Promise<void> => {
    if (!deps.isMailing) throw noMail();
    const mailbox = requireMailbox(email);
    const hash = mailboxHash(mailbox.canonical, deps.mailboxKeys.current.bytes);
    const device = readDeviceToken(deviceToken, mailbox.canonical, deps.deviceKeys);
    await countRequest(deps, { network, device, hash });
    const answered = deps.pause(answerAfterMs);
    const isDue = await countMail(deps, hash);
    const owner = await deps.store.findByMailbox(mailboxHashes(mailbox.canonical, deps.mailboxKeys));
    if (isDue && owner !== null && owner.suspendedAt === null) {
      const { accountId } = owner;
      const cause: Cause = { ...request, actor: { type: 'visitor', id: 'anonymous' } };
      await changeAccount(deps, { accountId, cause }, { decide: decideRequested(accountId, 'owner') });
    }
    await answered;
  };

/** The refusal of what needs a mail, where nothing is mailed. */
export const noMail = (): Refusal => new Refusal('NOT_FOUND', 'This service sends no mail. Ask its operator.');

/** A browser that was signed in to the mailbox counts for itself, not with strangers behind its address. */
const countRequest = async (
  deps: Deps,
  { network, device, hash }: { readonly network: string; readonly device: string | null; readonly hash: string },
): Promise<void> => {
  const { clock, settings } = deps;
  const limits = settings.resets;
  const perMailbox = { limit: limits.perMailboxDay, windowMs: dayMs };
  const counters =
    device === null
      ? [
          { bucket: `network|${network}`, limit: limits.perIpHour, windowMs: hourMs },
          { bucket: `mailbox|${hash}|network|${network}`, ...perMailbox },
        ]
      : [{ bucket: `device|${device}`, ...perMailbox }];
  if (await countAttempt(deps, 'reset', counters)) return;
  const retryAfterS = hourMs / 1_000;
  const details = {
    policy: 'password_reset',
    limit: limits.perIpHour,
    reset: Math.ceil(clock().getTime() / 1_000) + retryAfterS,
  };
  const message = 'Too many links were requested. Please try again later.';
  throw new Refusal('RATE_LIMITED', message, details, retryAfterS);
};

/** Whether a mail is due: after the mails of a day, the next ones wait for each other. */
const countMail = ({ store, mailboxKeys, clock, settings }: Deps, mailboxHash: string): Promise<boolean> => {
  const throttle = {
    ...{ limit: settings.resets.perMailboxDay, windowMs: dayMs },
    ...{ firstWaitMs: linkLifeMs.password / 60, longestWaitMs: longestMailWaitMs },
  };
  const bucket = bucketOf('reset', mailboxKeys.current.bytes, `mails|${mailboxHash}`);
  return store.changeTallies([bucket], ([before = null]) => {
    const { tally, isAllowed } = attempted(before, clock().getTime(), throttle);
    return { tallies: [tally], result: isAllowed };
  });
};
