import type { RecordedEvent } from '../eventlog/log.ts';
import { LogUnavailable } from '../eventlog/unavailable.ts';
import { elapsedMs } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import { type Charge, chargeIdOf } from './charge-credits.ts';
import type { CreditsEvent } from './credits.ts';
import { isCharge, type Posted } from './keep-ledger.ts';
import type { Origin } from './origin.ts';

/*
 * A connection can break after COMMIT was sent, and the look whether it was done can fail too. The caller is told
 * 503 then, and may have been charged. An operation that can come again under its key finds its charge and is
 * answered. Of one that cannot, this process remembers the charge, looks for it as soon as the log answers, and
 * gives it back. What a process remembers dies with it: see decision 0106.
 */

/** Charges that are remembered at most; of more, the oldest is forgotten and stands. */
const maxLost = 10_000;
/** An append that is not in the log by then never will be: four times the longest statement. */
const horizonMs = 60_000;
const firstPauseMs = 250;
const longestPauseMs = 5_000;

type Charging = (origin: Origin, charges: readonly Charge[]) => Promise<Posted>;

type Lost = { readonly origin: Origin; readonly until: number };

/** `charge` as it is, and charges given back whose answers were lost. Disposing looks once more. */
export const givingBackLost = ({
  charge,
  chargeById,
  refund,
}: {
  readonly charge: Charging;
  readonly chargeById: (id: string) => Promise<RecordedEvent<CreditsEvent> | null>;
  readonly refund: (
    origin: Origin,
    given: { readonly chargeId: string; readonly amount: number; readonly why: string },
  ) => Promise<unknown>;
}): { readonly charge: Charging } & AsyncDisposable => {
  const lost = new Map<string, Lost>();
  let pauseMs = firstPauseMs;
  let timer: NodeJS.Timeout | null = null;
  let isOver = false;

  const settle = async (chargeId: string, { origin, until }: Lost): Promise<void> => {
    const found = await chargeById(chargeId);
    if (found === null && elapsedMs() < until) return;
    if (found !== null && isCharge(found)) {
      const given = { chargeId, amount: found.data.amount, why: 'answer_lost' };
      await refund(
        { ...origin, actor: { type: 'system', id: 'ledger' }, channel: 'system' },
        given,
      );
    }
    lost.delete(chargeId);
  };
  const settleAll = async (): Promise<void> => {
    for (const [chargeId, one] of lost) {
      try {
        await settle(chargeId, one);
      } catch (error) {
        // Given back by an operator meanwhile. Whatever else it is, the next look comes later.
        if (error instanceof Refusal) lost.delete(chargeId);
        else return;
      }
    }
  };
  const look = async (): Promise<void> => {
    await settleAll();
    timer = null;
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    lookSoon();
  };
  const lookSoon = (): void => {
    if (lost.size === 0) pauseMs = firstPauseMs;
    else if (!isOver) timer ??= setTimeout(() => void look(), pauseMs).unref();
  };
  const remember = (origin: Origin, charges: readonly Charge[]): void => {
    const until = elapsedMs() + horizonMs;
    for (const one of charges) lost.set(chargeIdOf(origin, one), { origin, until });
    for (const oldest of lost.keys()) {
      if (lost.size <= maxLost) break;
      lost.delete(oldest);
    }
    lookSoon();
  };

  return {
    charge: async (origin, charges) => {
      try {
        return await charge(origin, charges);
      } catch (error) {
        if (error instanceof LogUnavailable && !origin.isRepeatable) remember(origin, charges);
        throw error;
      }
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      if (timer !== null) clearTimeout(timer);
      await settleAll();
    },
  };
};
