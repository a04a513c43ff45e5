import assert from 'node:assert/strict';
import type { Command } from '@event-driven-io/emmett';
import { invalidRequest } from '../kernel/refusal.ts';
import { isUnlimited } from './charge-credits.ts';
import { lastingUseOf, payerOf } from './credit-balance.ts';
import { type ChargeData, type ChargeRefunded, type State, streamOf } from './credits.ts';
import { type CommandMetadata, type LedgerContext, ledgerEventIdOf } from './ledger-context.ts';

/**
 * Refunds a charge in the book that is open now. `charge` is the event itself; `refundedBefore` is what books before
 * `openBook` have refunded of it: they can no longer change. `reference` names the refund within its account: the same
 * reference never refunds twice. Null: the call names it, one refund of each charge.
 */
export type RefundCharge = Command<
  'RefundCharge',
  {
    context: LedgerContext;
    reference: string | null;
    charge: ChargeData;
    refundedBefore: number;
    openBook: string;
    /** Null: all that is left of the charge, which may be nothing. */
    amount: number | null;
    why: string;
  },
  CommandMetadata
>;

/** Another book was opened while the past was read: read it again. */
export class BookRolledError extends Error {}

/** The id of the refund and of its event: the same reference, or without one the same call and charge, give the same id. */
export const refundIdOf = ({ data: { context, reference, charge } }: Pick<RefundCharge, 'data'>): string =>
  reference === null
    ? ledgerEventIdOf(context, `refund|${charge.chargeId}`)
    : ledgerEventIdOf({ ...context, deduplicationKey: '' }, `refund|${reference}`);

/**
 * Nothing when this refund has happened, or when all was wanted and nothing is left. Throws INVALID_REQUEST for more than is left of
 * the charge, `BookRolledError` when `openBook` is not the book of this state.
 */
export const decide = (command: RefundCharge, state: State): ChargeRefunded[] => {
  const { context, charge, refundedBefore, why } = command.data;
  assert(charge.accountId === context.accountId, 'a refund goes to the account that paid');
  const refundId = refundIdOf(command);
  if (command.metadata.known.has(refundId)) return [];
  if (command.data.openBook !== streamOf(state.accountId, state.period, state.part)) {
    throw new BookRolledError('refunds of the last book are not counted yet');
  }
  const left = charge.amount - refundedBefore - (state.refunds.get(charge.chargeId) ?? 0);
  const amount = command.data.amount ?? left;
  if (command.data.amount === null && left === 0) return [];
  assert(Number.isSafeInteger(amount), 'credits are whole');
  assert(amount > 0, 'a refund is above 0');
  if (amount > left) {
    const message = `${left} credits of this charge can still be refunded.`;
    const about = { charge_id: charge.chargeId, refundable: left };
    throw invalidRequest(message, { path: 'credits', code: 'too_big' }, about);
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
        // The use of an unlimited plan is invoiced, perhaps already: its refund does not expire.
        expiresAt: isUnlimited(state) || amount <= lastingUseOf(state) ? null : state.closesAt,
        keyId: charge.keyId,
        ...payerOf(charge),
        chargedAt: charge.at,
        why,
        by: context.actor.id,
        requestId: context.requestId,
        at: command.metadata.now.toISOString(),
      },
    },
  ];
};
