import assert from 'node:assert/strict';
import type { Command } from '@event-driven-io/emmett';
import { Refusal } from '../kernel/refusal.ts';
import type { BalanceCorrected, State } from './credits.ts';
import { type CommandMetadata, type LedgerContext, ledgerEventIdOf } from './ledger-context.ts';

/**
 * Corrects the balance for an entry of the ledger, which itself stays as it is. `amount`: whole credits, above 0 given, below 0
 * taken. `reference` names the correction within its account: the same reference never corrects twice.
 */
export type CorrectBalance = Command<
  'CorrectBalance',
  { context: LedgerContext; reference: string; entryId: string; amount: number; why: string },
  CommandMetadata
>;

/** The id of the correction and of its event. */
export const correctionIdOf = ({ data }: Pick<CorrectBalance, 'data'>): string =>
  ledgerEventIdOf({ ...data.context, deduplicationKey: '' }, `correction|${data.reference}`);

/**
 * Nothing when this reference was used before. Throws INSUFFICIENT_CREDITS when it would take more than is available, on an
 * unlimited plan too; a fault for an amount that is 0 or not whole.
 */
export const decide = (command: CorrectBalance, state: State): BalanceCorrected[] => {
  const { context, entryId, amount, why } = command.data;
  assert(Number.isSafeInteger(amount), 'credits are whole');
  assert(amount !== 0, 'a correction gives or takes something');
  const correctionId = correctionIdOf(command);
  if (command.metadata.known.has(correctionId)) return [];
  const remaining = Math.max(0, state.available);
  if (-amount > remaining) {
    const message = `The correction deducts ${-amount} credits; ${remaining} are left.`;
    throw new Refusal('INSUFFICIENT_CREDITS', message, { required: -amount, remaining });
  }
  return [
    {
      type: 'BalanceCorrected',
      data: {
        accountId: context.accountId,
        correctionId,
        entryId,
        amount,
        why,
        by: context.actor.id,
        requestId: context.requestId,
        at: command.metadata.now.toISOString(),
      },
    },
  ];
};
