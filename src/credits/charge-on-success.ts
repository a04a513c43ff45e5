import assert from 'node:assert/strict';
import type { Call } from '../kernel/call.ts';
import { Refusal, type RefusalCode } from '../kernel/refusal.ts';
import { type Charge, costOf } from './charge-credits.ts';
import type { LedgerResult } from './ledger/ledger-result.ts';
import type { Ledger } from './ledger/ledger-service.ts';
import type { LedgerContext } from './ledger-context.ts';
import type { UsageKind } from './prices.ts';

export type ChargingLedger = Pick<Ledger, 'hold' | 'charge' | 'refundUnacknowledged' | 'record'>;

/** What an answer can prove: the credits it cost, and the ledger event behind them. */
export type Receipt = {
  readonly creditsCharged: number;
  /** Id of the (first) ledger event, null when nothing was posted. */
  readonly eventId: string | null;
};

export type ChargedResult<Result> = Receipt & {
  readonly made: Result;
  /** Ids of the charges that stand for this operation. */
  readonly eventIds: readonly string[];
};

export type ChargedWork<Result> = {
  /** Usage counts one that came to nothing under this name; null: it does not. */
  readonly operation: UsageKind | null;
  /** The most that the work can cost. Empty: it is free. */
  readonly quote: readonly Charge[];
  /**
   * Does the work, and names what of the quote is due for it: the same charges or fewer, at their amount or less.
   * `deduplicationKey`: what was made is a call by itself, whichever call asks for it.
   */
  readonly run: () => Promise<{
    readonly made: Result;
    readonly charges: readonly Charge[];
    readonly deduplicationKey?: string;
    /** Writes what has to follow the charges, durably and before them; `context` gives their ids. */
    readonly beforeCharges?: (context: LedgerContext) => Promise<void>;
  }>;
};

/**
 * Runs work and charges it if it succeeds: the balance must cover the quote before the work starts, and the
 * charges are durable before this resolves. Work without charges is recorded as served. Nothing is charged
 * when `run` throws, when the caller is gone by its end, or when its authorization has ended. Refusals:
 * INSUFFICIENT_CREDITS, BUDGET_EXHAUSTED, those of `run`.
 *
 * A call under an Idempotency-Key can come again after its process died between the charge and the answer. A
 * charge of the earlier attempt is refunded if this attempt cannot answer with what it paid for, and no answer was sent.
 */
export const chargeOnSuccess =
  (ledger: ChargingLedger) =>
  async <Result>(call: Call, { operation, quote, run }: ChargedWork<Result>): Promise<ChargedResult<Result>> => {
    const hold = await holdQuote(ledger, call, quote);
    const refundLost = async (lost: readonly Charge[]): Promise<void> => {
      const isLost = call.isRepeatable && call.wasAnswered !== true;
      if (isLost) await ledger.refundUnacknowledged(call, lost);
    };
    /** Of the quote, what counts against the address from now on. A repeat is not counted again. */
    let creditsTaken = 0;
    try {
      const { made, charges, deduplicationKey, beforeCharges } = await run();
      call.signal.throwIfAborted();
      if (charges.length > 0) await call.requireAuthorized?.();
      await refundLost(unusedOf(quote, charges));
      const charged = deduplicationKey === undefined ? call : { ...call, deduplicationKey, isRepeatable: true };
      await beforeCharges?.(charged);
      const { credits, eventId, eventIds, isRepeat } = await post(ledger, charged, operation, charges);
      creditsTaken = isRepeat ? 0 : credits;
      return { made, creditsCharged: credits, eventId, eventIds };
    } catch (error) {
      if (isFinal(error)) await refundLost(quote);
      throw error;
    } finally {
      await hold.release(creditsTaken);
    }
  };

type QuoteHold = { readonly release: (charged: number) => Promise<void> };

/**
 * Holds what work may cost until it is over. A visitor holds it of its address too, which has no more than the
 * book of a visitor that is not open yet.
 */
const holdQuote = async (
  ledger: Pick<ChargingLedger, 'hold'>,
  call: Call,
  quote: readonly Charge[],
): Promise<QuoteHold> => {
  const { allowance } = call;
  const amount = costOf(quote);
  if (amount === 0) return { release: async () => {} };
  await allowance?.hold(amount);
  // What is not released counts against the address for the rest of the day.
  const release = async (credits: number): Promise<void> => {
    if (credits > 0) await allowance?.release(credits).catch(() => {});
  };
  try {
    const isKnown = allowance === undefined || (await allowance.hasBook());
    const hold = isKnown ? await ledger.hold(call, quote) : null;
    return {
      release: async (charged) => {
        hold?.release();
        await release(amount - charged);
      },
    };
  } catch (error) {
    await release(amount);
    throw error;
  }
};

const nothingPosted = { credits: 0, eventId: null, eventIds: [], isRepeat: false } as const;

/** Charges, or records what was free. The book of a visitor is opened by its first charge. */
const post = async (
  ledger: Pick<ChargingLedger, 'charge' | 'record'>,
  call: Call,
  operation: UsageKind | null,
  charges: readonly Charge[],
): Promise<Omit<LedgerResult, 'lastPosition'>> => {
  const { allowance } = call;
  if (charges.length === 0) {
    const isRecorded = operation !== null && (allowance === undefined || (await allowance.hasBook()));
    return isRecorded ? await ledger.record(call, { operation, code: null }) : nothingPosted;
  }
  await allowance?.openBook();
  return await ledger.charge(call, charges);
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

/** Whether every later attempt will get this refusal. Under an Idempotency-Key: no later attempt uses what an earlier one paid for. */
export const isFinal = (error: unknown): boolean => error instanceof Refusal && finalCodes.has(error.code);

const finalCodes: ReadonlySet<RefusalCode> = new Set([
  'VIDEO_NOT_FOUND',
  'VIDEO_UNAVAILABLE',
  'TRANSCRIPT_NOT_AVAILABLE',
  'LANGUAGE_NOT_AVAILABLE',
  'PLAYLIST_NOT_FOUND',
  'CHANNEL_NOT_FOUND',
]);
