import type { RecordedEvent } from '../eventlog/event-log.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { CreditsEvent } from './credits.ts';
import type { LedgerCommand } from './ledger/ledger-decider.ts';
import type { LedgerResult } from './ledger/ledger-result.ts';

/** Commands that an operator names by a reference. */
type ReferencedCommand = Extract<LedgerCommand, { type: 'GrantCredits' | 'RefundCharge' | 'CorrectBalance' }>;

/**
 * Runs a command once per reference. A repeat returns the first result. A command with the reference of a different one
 * throws IDEMPOTENCY_KEY_REUSED, so that its caller does not take it for done.
 */
export const runIdempotently =
  ({
    run,
    eventById,
  }: {
    readonly run: (command: LedgerCommand) => Promise<LedgerResult>;
    readonly eventById: (id: string) => Promise<RecordedEvent<CreditsEvent> | null>;
  }) =>
  async (command: ReferencedCommand): Promise<LedgerResult> => {
    const result = await run(command);
    const { reference } = command.data;
    if (reference === null || !result.isRepeat || result.eventId === null) return result;
    const done = await eventById(result.eventId);
    if (done === null || isSame(command, done.data)) return result;
    const message = `The id ${reference} is already used for ${describe(done.data)}: use another id.`;
    throw new Refusal('IDEMPOTENCY_KEY_REUSED', message);
  };

const isSame = (command: ReferencedCommand, done: CreditsEvent['data']): boolean => {
  if (!('amount' in done) || done.amount !== command.data.amount) return false;
  if (command.type === 'CorrectBalance') return 'correctionId' in done && done.entryId === command.data.entryId;
  return command.type === 'GrantCredits'
    ? 'grantId' in done && 'expiresAt' in done && done.expiresAt === command.data.expiresAt
    : 'refundId' in done && done.chargeId === command.data.charge.chargeId;
};

const describe = (done: CreditsEvent['data']): string => {
  const credits = 'amount' in done ? done.amount : 0;
  if ('refundId' in done) return `a refund of ${credits} for the charge ${done.chargeId}`;
  return 'correctionId' in done ? `a correction of ${credits} for the entry ${done.entryId}` : `a grant of ${credits}`;
};
