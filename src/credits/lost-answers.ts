import { LogUnavailableError } from '../eventlog/unavailable-error.ts';
import { elapsedMs } from '../kernel/clock.ts';
import { type Charge, chargeIdOf } from './charge-credits.ts';
import type { Posted } from './keep-ledger.ts';
import type { Origin } from './origin.ts';

/*
 * A connection can break after COMMIT was sent, and the look whether it was done can fail too. The caller is told
 * 503 then, and may have been charged. An operation that can come again under its key finds its charge and is
 * answered. Of one that cannot, this process remembers the charge, looks for it as soon as the log answers, and
 * gives it back. What a process remembers dies with it: see decision 0106.
 */

/** Charges that are remembered at most; of more, the oldest is forgotten and stands. */
const maxLost = 10_000;
/** So many are looked for at a time: those of one account are given back together, and a stop does not wait for thousands in a row. */
const atOnce = 32;
/** An append that is not in the log by then never will be: four times the longest statement. */
const horizonMs = 60_000;
const firstPauseMs = 250;
const longestPauseMs = 5_000;

type Charging = (origin: Origin, charges: readonly Charge[]) => Promise<Posted>;

type Lost = { readonly origin: Origin; readonly charge: Charge; readonly until: number };

/** `charge` as it is, and charges given back whose answers were lost. Disposing looks once more. */
export const givingBackLost = ({
  charge,
  giveBack,
}: {
  readonly charge: Charging;
  /** Resolves to how many of these charges there were. */
  readonly giveBack: (origin: Origin, charges: readonly Charge[]) => Promise<number>;
}): { readonly charge: Charging } & AsyncDisposable => {
  const lost = new Map<string, Lost>();
  let pauseMs = firstPauseMs;
  let timer: NodeJS.Timeout | null = null;
  let isOver = false;

  /** Whether the log answers. */
  const settle = async (chargeId: string, { origin, charge: one, until }: Lost) => {
    try {
      const found = await giveBack(origin, [one]);
      if (found > 0 || elapsedMs() >= until) lost.delete(chargeId);
      return true;
    } catch (error) {
      // What failed for another reason is tried again with the next look.
      return !(error instanceof LogUnavailableError);
    }
  };
  const settleAll = async (): Promise<void> => {
    const all = [...lost];
    for (let from = 0; from < all.length; from += atOnce) {
      const some = all.slice(from, from + atOnce);
      const answered = await Promise.all(some.map(([id, one]) => settle(id, one)));
      if (answered.includes(false)) return;
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
    for (const one of charges) lost.set(chargeIdOf(origin, one), { origin, charge: one, until });
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
        if (error instanceof LogUnavailableError && !origin.isRepeatable) remember(origin, charges);
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
