import { createHmac } from 'node:crypto';
import type { EventLog } from '../eventlog/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { AccountStore } from './account-store.ts';
import { type Cause, retryOnConflict } from './append-events.ts';
import { counted, type Limit } from './attempts.ts';
import { requireMailbox } from './field-refusals.ts';
import { mailboxHash } from './mailbox.ts';
import { readAccount } from './own-account.ts';
import { decideRequested } from './reset-password.ts';
import { storeChange } from './store-change.ts';

/** Requests for links that are answered. */
export type ResetLimits = { readonly perIpHour: number; readonly perMailboxDay: number };

type Deps = {
  readonly log: Pick<EventLog, 'append' | 'read'>;
  readonly store: AccountStore;
  readonly mailboxKey: Uint8Array;
  readonly clock: Clock;
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
      await retryOnConflict(async () => {
        const { state, version } = await readAccount(deps, accountId);
        const event = decideRequested(accountId, 'owner', deps.clock(), state);
        return await storeChange(deps, {
          cause,
          version,
          event,
          ends: null,
          write: async () => {},
        });
      });
    }
    await answered;
  };

/** The refusal of what needs a mail, where nothing is mailed. */
export const noMail = (): Refusal =>
  new Refusal('NOT_FOUND', 'This service sends no mail. Ask its operator.');

const countRequest = async (
  { store, clock, mailboxKey, limits }: Deps,
  network: string,
  hash: string,
): Promise<void> => {
  const counters: readonly (Limit & { readonly bucket: string })[] = [
    { bucket: `network|${network}`, limit: limits.perIpHour, windowMs: hourMs },
    { bucket: `mailbox|${hash}`, limit: limits.perMailboxDay, windowMs: dayMs },
  ];
  const buckets = counters.map(
    ({ bucket }) => `reset ${createHmac('sha256', mailboxKey).update(bucket).digest('base64url')}`,
  );
  const now = clock().getTime();
  const isWithin = await store.changeTallies(buckets, (tallies) => {
    const next = counters.map((counter, index) => counted(tallies[index] ?? null, now, counter));
    return { tallies: next.map(({ tally }) => tally), result: next.every((one) => one.isWithin) };
  });
  if (isWithin) return;
  const retryAfterS = hourMs / 1_000;
  const details = {
    policy: 'password_reset',
    limit: limits.perIpHour,
    reset: Math.ceil(now / 1_000) + retryAfterS,
  };
  const message = 'Too many links were asked for. Please try again later.';
  throw new Refusal('RATE_LIMITED', message, details, retryAfterS);
};
