import assert from 'node:assert/strict';
import type { Command } from '@event-driven-io/emmett';
import type { CreditsGranted } from './credits.ts';
import { type Circumstances, type Origin, operationIdOf } from './origin.ts';

/** Credits given by hand. `reference` names the grant: the same reference never grants twice. */
export type GrantCredits = Command<
  'GrantCredits',
  { origin: Origin; reference: string; amount: number; expiresAt: string | null },
  Circumstances
>;

export const grantIdOf = ({ data }: Pick<GrantCredits, 'data'>): string =>
  operationIdOf({ ...data.origin, operationKey: '' }, `grant|${data.reference}`);

/** Nothing when this reference was granted before. A fault for an amount that is not a whole number above 0. */
export const decide = (command: GrantCredits): CreditsGranted[] => {
  const { origin, amount, expiresAt } = command.data;
  assert(Number.isSafeInteger(amount), 'credits are whole');
  assert(amount > 0, 'a grant gives something');
  const grantId = grantIdOf(command);
  if (command.metadata.known.has(grantId)) return [];
  return [
    {
      type: 'CreditsGranted',
      data: {
        accountId: origin.accountId,
        grantId,
        kind: 'operator',
        amount,
        expiresAt,
        by: origin.actor.id,
        requestId: origin.requestId,
        at: command.metadata.now.toISOString(),
      },
    },
  ];
};
