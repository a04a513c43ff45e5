import assert from 'node:assert/strict';
import type { Call } from '../kernel/call.ts';
import { Refusal, type RefusalCode } from '../kernel/refusal.ts';
import type { Charge } from './charge-credits.ts';
import type { Ledger } from './ledger-service.ts';
import type { Operation } from './prices.ts';

export type ChargingLedger = Pick<Ledger, 'hold' | 'charge' | 'refundUnacknowledged' | 'record'>;

/** What an answer can prove: the credits it cost, and the ledger event behind them. */
export type Receipt = {
  readonly creditsCharged: number;
  /** Id of the (first) ledger event, null when nothing was posted. */
  readonly eventId: string | null;
};

export type Charged<Made> = Receipt & {
  readonly made: Made;
  /** Ids of the charges that stand for this operation. */
  readonly eventIds: readonly string[];
};

export type ChargedWork<Made> = {
  readonly operation: Operation;
  /** The most that the operation can cost. Empty: it is free. */
  readonly quote: readonly Charge[];
  /** Does the work, and names what of the quote is due for it: the same charges or fewer, at their amount or less. */
  readonly run: () => Promise<{ readonly made: Made; readonly charges: readonly Charge[] }>;
};

/**
 * Runs an operation and charges it if it succeeds: the balance must cover the quote before the work starts, and the
 * charges are durable before this resolves. An operation without charges is recorded as served. Nothing is charged
 * when `run` throws, or when the caller is gone by its end. Refusals: INSUFFICIENT_CREDITS, those of `run`.
 *
 * An operation under an Idempotency-Key can come again after its process died between the charge and the answer. A
 * charge of the earlier attempt is given back if this attempt cannot answer with what it paid for.
 */
export const chargeOnSuccess =
  (ledger: ChargingLedger) =>
  async <Made>(
    call: Call,
    { operation, quote, run }: ChargedWork<Made>,
  ): Promise<Charged<Made>> => {
    const hold = quote.length === 0 ? null : await ledger.hold(call, quote);
    try {
      const { made, charges } = await run();
      call.signal.throwIfAborted();
      const unused = unusedOf(quote, charges);
      if (call.isRepeatable) await ledger.refundUnacknowledged(call, unused);
      const posted =
        charges.length === 0
          ? await ledger.record(call, { operation, code: null })
          : await ledger.charge(call, charges);
      const { credits: creditsCharged, eventId, eventIds } = posted;
      return { made, creditsCharged, eventId, eventIds };
    } catch (error) {
      if (call.isRepeatable && isFinal(error)) await ledger.refundUnacknowledged(call, quote);
      throw error;
    } finally {
      hold?.release();
    }
  };

/** The part of a quote that is not charged. A charge outside its quote is a fault. */
const unusedOf = (quote: readonly Charge[], charges: readonly Charge[]): readonly Charge[] => {
  const unused = new Map(quote.map((one) => [nameOf(one), one]));
  for (const charge of charges) {
    const quoted = unused.get(nameOf(charge));
    assert(quoted !== undefined && charge.amount <= quoted.amount, 'a charge is within its quote');
    unused.delete(nameOf(charge));
  }
  return [...unused.values()];
};

const nameOf = ({ operation, what }: Charge): string => `${operation}|${what}`;

/** The answer under an Idempotency-Key will always be this refusal: no later attempt uses what an earlier one paid for. */
const isFinal = (error: unknown): boolean => error instanceof Refusal && finalCodes.has(error.code);

const finalCodes: ReadonlySet<RefusalCode> = new Set([
  'VIDEO_NOT_FOUND',
  'VIDEO_UNAVAILABLE',
  'TRANSCRIPT_NOT_AVAILABLE',
  'LANGUAGE_NOT_AVAILABLE',
  'PLAYLIST_NOT_FOUND',
  'CHANNEL_NOT_FOUND',
]);
