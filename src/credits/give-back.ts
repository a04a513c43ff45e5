import { Refusal } from '../kernel/refusal.ts';
import { type Charge, chargeIdOf } from './charge-credits.ts';
import type { Origin } from './origin.ts';

/**
 * Gives back those of these charges that an earlier try of the same operation made before its process died, and that
 * this one cannot answer: what fails is not paid for. Once, however often it is called. Resolves to how many there were.
 */
export const givingBack =
  ({
    hasEvent,
    refund,
  }: {
    readonly hasEvent: (id: string) => Promise<boolean>;
    readonly refund: (
      origin: Origin,
      given: { readonly chargeId: string; readonly amount: number; readonly why: string },
    ) => Promise<unknown>;
  }) =>
  async (origin: Origin, charges: readonly Charge[]): Promise<number> => {
    let found = 0;
    const ledger: Origin = {
      ...origin,
      actor: { type: 'system', id: 'ledger' },
      channel: 'system',
    };
    for (const charge of charges) {
      const chargeId = chargeIdOf(origin, charge);
      if (!(await hasEvent(chargeId))) continue;
      found += 1;
      try {
        await refund(ledger, { chargeId, amount: charge.amount, why: 'answer_lost' });
      } catch (error) {
        // An operator gave it back meanwhile.
        if (!(error instanceof Refusal)) throw error;
      }
    }
    return found;
  };
