import assert from 'node:assert/strict';
import type { Command } from '@event-driven-io/emmett';
import type { CreditsGranted } from './credits.ts';
import { type CommandMetadata, type LedgerContext, ledgerEventIdOf } from './ledger-context.ts';

/** Credits granted by an operator. `reference` names the grant: the same reference never grants twice. */
export type GrantCredits = Command<
  'GrantCredits',
  { context: LedgerContext; reference: string; amount: number; expiresAt: string | null; why?: string | undefined },
  CommandMetadata
>;

/** The id of the event of a grant: the same for the same account and reference. */
export const grantIdOf = ({ data }: Pick<GrantCredits, 'data'>): string =>
  ledgerEventIdOf({ ...data.context, deduplicationKey: '' }, `grant|${data.reference}`);

/** Nothing when this reference was granted before. A fault for an amount that is not a whole number above 0. */
export const decide = (command: GrantCredits): CreditsGranted[] => {
  const { context, amount, expiresAt, why } = command.data;
  assert(Number.isSafeInteger(amount), 'credits are whole');
  assert(amount > 0, 'a grant is above 0');
  const grantId = grantIdOf(command);
  if (command.metadata.known.has(grantId)) return [];
  return [
    {
      type: 'CreditsGranted',
      data: {
        accountId: context.accountId,
        grantId,
        kind: 'operator',
        amount,
        expiresAt,
        ...(why === undefined ? {} : { why }),
        by: context.actor.id,
        requestId: context.requestId,
        at: command.metadata.now.toISOString(),
      },
    },
  ];
};
