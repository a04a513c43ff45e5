import { type Charge, chargeIdOf } from './charge-credits.ts';
import type { Origin } from './origin.ts';

/**
 * Gives back those of these charges that an earlier try of the same operation made before its process died, and that
 * this one cannot answer: what fails is not paid for. All that is left of what was taken, once, however often it is
 * called. Resolves to how many there were.
 */
export const givingBack =
  ({
    isCharged,
    refund,
  }: {
    readonly isCharged: (chargeId: string) => Promise<boolean>;
    readonly refund: (
      origin: Origin,
      given: { readonly chargeId: string; readonly amount: null; readonly why: string },
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
      if (!(await isCharged(chargeId))) continue;
      found += 1;
      // An operator may have given it back meanwhile, or a part of it.
      await refund(ledger, { chargeId, amount: null, why: 'answer_lost' });
    }
    return found;
  };
