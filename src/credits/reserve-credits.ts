import assert from 'node:assert/strict';
import type { Command } from '@event-driven-io/emmett';
import { budgetsReached } from './caps.ts';
import { refuseUnaffordable } from './charge-credits.ts';
import { payerOf } from './credit-balance.ts';
import type { BudgetReached, CreditsReserved, State } from './credits.ts';
import { reservedIdOf } from './ledger/event-ids.ts';
import { type CommandMetadata, keyIdOf, type LedgerContext } from './ledger-context.ts';

/** Reserves the most that a job can cost, in whole credits. The id of a reservation is used once. */
export type ReserveCredits = Command<
  'ReserveCredits',
  { context: LedgerContext; reservationId: string; jobId: string; amount: number },
  CommandMetadata
>;

/** Throws INSUFFICIENT_CREDITS and BUDGET_EXHAUSTED as a charge does. Nothing happens for an id that was used already. */
export const decide = (
  { data, metadata: { now, known } }: ReserveCredits,
  state: State,
): (CreditsReserved | BudgetReached)[] => {
  const { context, reservationId, jobId, amount } = data;
  assert(Number.isSafeInteger(amount), 'credits are whole');
  assert(amount > 0, 'a reservation is above 0');
  const { accountId } = context;
  const at = now.toISOString();
  if (known.has(reservedIdOf(reservationId))) return [];
  refuseUnaffordable(state, context, amount, at);
  return [
    {
      type: 'CreditsReserved',
      data: {
        accountId,
        reservationId,
        jobId,
        keyId: keyIdOf(context),
        ...payerOf(context),
        amount,
        requestId: context.requestId,
        at,
      },
    },
    ...budgetsReached(state, context, amount, at),
  ];
};
