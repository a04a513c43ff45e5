import assert from 'node:assert/strict';
import type { Command } from '@event-driven-io/emmett';
import { Refusal } from '../kernel/refusal.ts';
import type { ChargeRefunded, CreditsCharged, ReservationSettled, State } from './credits.ts';
import { type Circumstances, type Origin, operationIdOf } from './origin.ts';

/**
 * Credits back for a charge, in the book that is open now. `charge` is the event itself; `refundedBefore` is
 * what closed books gave back for it already: they can no longer change.
 */
export type RefundCharge = Command<
  'RefundCharge',
  {
    origin: Origin;
    charge: (CreditsCharged | ReservationSettled)['data'];
    refundedBefore: number;
    amount: number;
    why: string;
  },
  Circumstances
>;

export const refundIdOf = ({ data }: Pick<RefundCharge, 'data'>): string =>
  operationIdOf(data.origin, `refund|${data.charge.chargeId}`);

export const decide = (command: RefundCharge, state: State): ChargeRefunded[] => {
  const { origin, charge, refundedBefore, amount, why } = command.data;
  assert(Number.isSafeInteger(amount), 'credits are whole');
  assert(amount > 0, 'a refund gives something back');
  assert(charge.accountId === origin.accountId, 'a refund goes to the account that paid');
  const refundId = refundIdOf(command);
  if (command.metadata.known.has(refundId)) return [];
  const left = charge.amount - refundedBefore - (state.refunds.get(charge.chargeId) ?? 0);
  if (amount > left) {
    throw new Refusal('INVALID_REQUEST', `Of this charge ${left} credits can still be refunded.`, {
      charge_id: charge.chargeId,
      refundable: left,
    });
  }
  return [
    {
      type: 'ChargeRefunded',
      data: {
        accountId: charge.accountId,
        refundId,
        chargeId: charge.chargeId,
        operation: charge.operation,
        amount,
        expiresAt: state.closesAt,
        why,
        by: origin.actor.id,
        at: command.metadata.now.toISOString(),
      },
    },
  ];
};
