import { Refusal } from '../kernel/refusal.ts';
import { type Charge, chargeIdOf, refuseAbove, refuseAboveCap } from './charge-credits.ts';
import type { State } from './credits.ts';
import type { OperationContext } from './operation-context.ts';

/** Credits held for work under way; released when the work ends, charged or not. */
export type Hold = { readonly release: () => void };

/**
 * Holds the cost of charges before the work for them starts, so that this process never starts more work than the
 * balance covers. A hold exists in this process only: the charge decides again. Before it throws INSUFFICIENT_CREDITS, it
 * reads the newest state, and leaves out charges that an earlier attempt of the operation has made.
 */
export const holdBalance = ({
  stateOf,
  hasEvent,
}: {
  readonly stateOf: (context: OperationContext, fresh: boolean) => Promise<Readonly<State>>;
  readonly hasEvent: (id: string) => Promise<boolean>;
}) => {
  const held = new Map<string, number>();
  const heldOf = (accountId: string) => held.get(accountId) ?? 0;
  const free = (accountId: string, amount: number) => {
    const left = heldOf(accountId) - amount;
    if (left > 0) held.set(accountId, left);
    else held.delete(accountId);
  };

  return async (context: OperationContext, charges: readonly Charge[]): Promise<Hold> => {
    const { accountId } = context;
    let amount = costOf(charges);
    const check = (state: Readonly<State>) => {
      refuseAbove(state, amount, heldOf(accountId));
      refuseAboveCap(state, context, amount);
    };
    try {
      check(await stateOf(context, false));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const known = await Promise.all(charges.map((one) => hasEvent(chargeIdOf(context, one))));
      amount = costOf(charges.filter((_, index) => known[index] === false));
      check(await stateOf(context, true));
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
