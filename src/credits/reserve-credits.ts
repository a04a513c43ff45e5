import assert from 'node:assert/strict';
import type { Command } from '@event-driven-io/emmett';
import { refuseAbove, refuseAboveCap } from './charge-credits.ts';
import type { CreditsReserved, State } from './credits.ts';
import { reservedIdOf } from './event-ids.ts';
import { type Circumstances, keyIdOf, type Origin } from './origin.ts';

/** Sets aside what a job can cost at most, in whole credits. A reservation's id is used once. */
export type ReserveCredits = Command<
  'ReserveCredits',
  { origin: Origin; reservationId: string; jobId: string; amount: number },
  Circumstances
>;

/** Throws INSUFFICIENT_CREDITS as a charge does. Nothing happens for an id that was used already. */
export const decide = (
  { data, metadata: { now, known } }: ReserveCredits,
  state: State,
): CreditsReserved[] => {
  const { origin, reservationId, jobId, amount } = data;
  assert(Number.isSafeInteger(amount), 'credits are whole');
  assert(amount > 0, 'a reservation sets something aside');
  const { accountId } = origin;
  const at = now.toISOString();
  if (known.has(reservedIdOf(reservationId))) return [];
  refuseAbove(state, amount);
  refuseAboveCap(state, origin, amount);
  return [
    {
      type: 'CreditsReserved',
      data: {
        accountId,
        reservationId,
        jobId,
        keyId: keyIdOf(origin),
        amount,
        requestId: origin.requestId,
        at,
      },
    },
  ];
};
