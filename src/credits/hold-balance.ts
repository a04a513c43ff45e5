import { Refusal } from '../kernel/refusal.ts';
import { type Charge, chargeIdOf, refuseAbove, refuseAboveCap } from './charge-credits.ts';
import type { State } from './credits.ts';
import type { Origin } from './origin.ts';

/** The balance covers the work that this holds; released when the work ended, charged or not. */
export type Hold = { readonly release: () => void };

/**
 * Holds what charges will cost before the work for them starts, so that this process never works for more than
 * the balance pays. A hold lives in this process only: the charge decides again. Throws INSUFFICIENT_CREDITS,
 * on a state that was read just now; what was charged before (the same operation sent again) is free.
 */
export const holdBalance = ({
  stateOf,
  hasEvent,
}: {
  readonly stateOf: (origin: Origin, fresh: boolean) => Promise<Readonly<State>>;
  readonly hasEvent: (id: string) => Promise<boolean>;
}) => {
  const held = new Map<string, number>();
  const heldOf = (accountId: string) => held.get(accountId) ?? 0;
  const free = (accountId: string, amount: number) => {
    const left = heldOf(accountId) - amount;
    if (left > 0) held.set(accountId, left);
    else held.delete(accountId);
  };

  return async (origin: Origin, charges: readonly Charge[]): Promise<Hold> => {
    const { accountId } = origin;
    let amount = costOf(charges);
    const check = (state: Readonly<State>) => {
      refuseAbove(state, amount, heldOf(accountId));
      refuseAboveCap(state, origin, amount);
    };
    try {
      check(await stateOf(origin, false));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const known = await Promise.all(charges.map((one) => hasEvent(chargeIdOf(origin, one))));
      amount = costOf(charges.filter((_, index) => known[index] === false));
      check(await stateOf(origin, true));
    }
    held.set(accountId, heldOf(accountId) + amount);
    let isReleased = false;
    return {
      release: () => {
        if (!isReleased) free(accountId, amount);
        isReleased = true;
      },
    };
  };
};

const costOf = (charges: readonly Charge[]): number =>
  charges.reduce((sum, { amount }) => sum + amount, 0);
