import assert from 'node:assert/strict';
import type { Command } from '@event-driven-io/emmett';
import type { ReservationReleased, ReservationSettled, State } from './credits.ts';
import { resolutionIdOf } from './event-ids.ts';
import type { Circumstances, Origin } from './origin.ts';
import { type Operation, priceBook } from './prices.ts';

/** An item is complete: what was set aside for it is spent. */
export type SettleItem = Command<
  'SettleItem',
  {
    origin: Origin;
    reservationId: string;
    jobId: string;
    itemId: string;
    attempt: number;
    operation: Operation;
    amount: number;
    videoId: string | null;
  },
  Circumstances
>;

/** An item ended without a result, or (`itemId` null) the job ended: what was set aside comes back. */
export type ReleaseReservation = Command<
  'ReleaseReservation',
  {
    origin: Origin;
    reservationId: string;
    jobId: string;
    itemId: string | null;
    /** Null: all that is left. */
    amount: number | null;
    why: ReservationReleased['data']['why'];
  },
  Circumstances
>;

/**
 * A reservation that is not open has nothing to settle: its items were resolved, or it was released as
 * abandoned. Nothing happens then, and the caller sees it by the missing event.
 */
export const settle = (
  { data, metadata: { now, known } }: SettleItem,
  state: State,
): ReservationSettled[] => {
  const { origin, reservationId, jobId, itemId, attempt, operation, amount, videoId } = data;
  assert(Number.isSafeInteger(amount) && amount > 0, 'an item settles whole credits');
  const chargeId = resolutionIdOf(reservationId, itemId);
  const reservation = state.reservations.get(reservationId);
  if (reservation === undefined || reservation.held < amount || known.has(chargeId)) return [];
  return [
    {
      type: 'ReservationSettled',
      data: {
        accountId: origin.accountId,
        reservationId,
        jobId,
        itemId,
        attempt,
        chargeId,
        operation,
        amount,
        priceBook,
        // Its cap was counted when the credits were set aside; another key may have made the job.
        keyId: reservation.keyId,
        videoId,
        requestId: origin.requestId,
        at: now.toISOString(),
      },
    },
  ];
};

/** At most what is still held comes back; nothing when that is nothing, or when this item was resolved already. */
export const release = (
  { data, metadata: { now, known } }: ReleaseReservation,
  state: State,
): ReservationReleased[] => {
  const { origin, reservationId, jobId, itemId, why } = data;
  const held = state.reservations.get(reservationId)?.held ?? 0;
  const amount = Math.min(data.amount ?? held, held);
  if (known.has(resolutionIdOf(reservationId, itemId)) || amount === 0) return [];
  const { accountId } = origin;
  const at = now.toISOString();
  return [
    {
      type: 'ReservationReleased',
      data: { accountId, reservationId, jobId, itemId, amount, why, at },
    },
  ];
};
