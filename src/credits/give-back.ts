import { Refusal } from '../kernel/refusal.ts';
import { type Charge, chargeIdOf } from './charge-credits.ts';
import type { Origin } from './origin.ts';

/**
 * Gives back those of these charges that an earlier try of the same operation made before its process died, and that
 * this one cannot answer: what fails is not paid for. All that was taken, once, however often it is called. Resolves
 * to how many there were.
 */
export const givingBack =
  ({
    amountOf,
    refund,
  }: {
    /** What a charge took; null: there is none with this id. */
    readonly amountOf: (chargeId: string) => Promise<number | null>;
    readonly refund: (
      origin: Origin,
      given: { readonly chargeId: string; readonly amount: number; readonly why: string },
    ) => Promise<unknown>;
  }) =>
  async (
    origin: Origin,
    charges: readonly Pick<Charge, 'operation' | 'what'>[],
  ): Promise<number> => {
    let found = 0;
    const ledger: Origin = {
      ...origin,
      actor: { type: 'system', id: 'ledger' },
      channel: 'system',
    };
    for (const charge of charges) {
      const chargeId = chargeIdOf(origin, charge);
      const amount = await amountOf(chargeId);
      if (amount === null) continue;
      found += 1;
      try {
        await refund(ledger, { chargeId, amount, why: 'answer_lost' });
      } catch (error) {
        // An operator gave it back meanwhile.
        if (!(error instanceof Refusal)) throw error;
      }
    }
    return found;
  };
