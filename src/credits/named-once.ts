import type { RecordedEvent } from '../eventlog/event-log.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { CreditsEvent } from './credits.ts';
import type { Posted } from './keep-ledger.ts';
import type { LedgerCommand } from './ledger.ts';

type Named = Extract<LedgerCommand, { type: 'GrantCredits' | 'RefundCharge' }>;

/**
 * Runs what a reference names. A repeat that asks for something else than what was done under it throws
 * IDEMPOTENCY_KEY_REUSED: it must not be told that this was done.
 */
export const namedOnce =
  ({
    run,
    eventById,
  }: {
    readonly run: (command: LedgerCommand) => Promise<Posted>;
    readonly eventById: (id: string) => Promise<RecordedEvent<CreditsEvent> | null>;
  }) =>
  async (command: Named): Promise<Posted> => {
    const posted = await run(command);
    const { reference } = command.data;
    if (reference === null || !posted.isRepeat || posted.eventId === null) return posted;
    const done = await eventById(posted.eventId);
    if (done === null || isSame(command, done.data)) return posted;
    const message = `The id ${reference} stands for ${wordsOf(done.data)} already: another one needs another id.`;
    throw new Refusal('IDEMPOTENCY_KEY_REUSED', message);
  };

const isSame = (command: Named, done: CreditsEvent['data']): boolean =>
  command.type === 'GrantCredits'
    ? 'grantId' in done &&
      done.amount === command.data.amount &&
      'expiresAt' in done &&
      done.expiresAt === command.data.expiresAt
    : 'refundId' in done &&
      done.amount === command.data.amount &&
      done.chargeId === command.data.charge.chargeId;

const wordsOf = (done: CreditsEvent['data']): string => {
  const credits = 'amount' in done ? done.amount : 0;
  return 'refundId' in done
    ? `a refund of ${credits} for the charge ${done.chargeId}`
    : `a grant of ${credits}`;
};
