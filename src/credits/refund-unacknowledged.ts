import { LogUnavailableError } from '../eventlog/unavailable-error.ts';
import { elapsedMs } from '../kernel/clock.ts';
import { type Charge, chargeIdOf } from './charge-credits.ts';
import type { LedgerContext } from './ledger-context.ts';

/**
 * Refunds those of these charges that an earlier attempt of the same call made, whose answer never reached its
 * caller and which this attempt cannot answer either: a failure costs nothing. It refunds what is left of each charge,
 * once, however often it is called. Resolves to the number of charges that it found.
 */
export const refundUnacknowledged =
  ({
    isCharged,
    refund,
  }: {
    readonly isCharged: (chargeId: string) => Promise<boolean>;
    readonly refund: (
      context: LedgerContext,
      refund: { readonly chargeId: string; readonly amount: null; readonly why: string },
    ) => Promise<unknown>;
  }) =>
  async (context: LedgerContext, charges: readonly Pick<Charge, 'operation' | 'what'>[]): Promise<number> => {
    let found = 0;
    const ledger: LedgerContext = { ...context, actor: { type: 'system', id: 'ledger' }, channel: 'system' };
    for (const charge of charges) {
      const chargeId = chargeIdOf(context, charge);
      if (!(await isCharged(chargeId))) continue;
      found += 1;
      // All that is left: an operator may have refunded a part of it meanwhile.
      await refund(ledger, { chargeId, amount: null, why: 'answer_lost' });
    }
    return found;
  };

/*
 * A connection can break after COMMIT was sent, and the read that asks whether it was committed can fail too. The
 * caller then gets 503 although it may have been charged. If the call has an Idempotency-Key, a retry finds the
 * charge and answers with it. If it has none, this process remembers the charge, looks for it when the log answers
 * again, and refunds it. These memories end with the process.
 */

/** Charges remembered at most; beyond that the oldest is forgotten and stays charged. */
const maxRemembered = 10_000;
/** Looked for at a time: refunds of one account share an append, and a stop does not wait for thousands in a row. */
const concurrency = 32;
/** An append that is not in the log by then never will be: four times the longest statement. */
const horizonMs = 60_000;
const firstDelayMs = 250;
const longestDelayMs = 5_000;

type UnacknowledgedCharge = {
  readonly context: LedgerContext;
  readonly charge: Charge;
  /** When it is forgotten, by `elapsedMs`. */
  readonly until: number;
};

/** Charges that may be in the log although their callers got an error. Disposing looks for them once more. */
export type UnacknowledgedCharges = AsyncDisposable & {
  /** To be called when charging failed. */
  remember(error: unknown, context: LedgerContext, charges: readonly Charge[]): void;
};

/** Looks for remembered charges with exponential backoff, until each is refunded or its time is up. */
export const unacknowledgedCharges = (refund: ReturnType<typeof refundUnacknowledged>): UnacknowledgedCharges => {
  const remembered = new Map<string, UnacknowledgedCharge>();
  let delayMs = firstDelayMs;
  let timer: NodeJS.Timeout | null = null;
  let isDisposed = false;

  /** Resolves to whether the log answered. */
  const settle = async (chargeId: string, { context, charge: one, until }: UnacknowledgedCharge) => {
    try {
      const found = await refund(context, [one]);
      if (found > 0 || elapsedMs() >= until) remembered.delete(chargeId);
      return true;
    } catch (error) {
      // Any other error: the next look tries again.
      return !(error instanceof LogUnavailableError);
    }
  };
  const settleAll = async (): Promise<void> => {
    const all = [...remembered];
    for (let from = 0; from < all.length; from += concurrency) {
      const some = all.slice(from, from + concurrency);
      const answered = await Promise.all(some.map(([id, one]) => settle(id, one)));
      if (answered.includes(false)) return;
    }
  };
  const look = async (): Promise<void> => {
    await settleAll();
    timer = null;
    delayMs = Math.min(delayMs * 2, longestDelayMs);
    schedule();
  };
  const schedule = (): void => {
    if (remembered.size === 0) delayMs = firstDelayMs;
    else if (!isDisposed) timer ??= setTimeout(() => void look(), delayMs).unref();
  };

  return {
    remember: (error, context, charges) => {
      if (!(error instanceof LogUnavailableError) || context.isRepeatable) return;
      const until = elapsedMs() + horizonMs;
      for (const one of charges) {
        remembered.set(chargeIdOf(context, one), { context, charge: one, until });
      }
      for (const oldest of remembered.keys()) {
        if (remembered.size <= maxRemembered) break;
        remembered.delete(oldest);
      }
      schedule();
    },
    [Symbol.asyncDispose]: async () => {
      isDisposed = true;
      if (timer !== null) clearTimeout(timer);
      await settleAll();
    },
  };
};
