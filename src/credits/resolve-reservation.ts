import assert from 'node:assert/strict';
import type { Command } from '@event-driven-io/emmett';
import { type Delivery, type ModelUse, modelFieldsOf } from './charge-credits.ts';
import { payerOf } from './credit-balance.ts';
import type { ReservationReleased, ReservationSettled, State } from './credits.ts';
import { resolutionIdOf } from './ledger/event-ids.ts';
import type { CommandMetadata, LedgerContext } from './ledger-context.ts';
import { type PriceFacts, priceBook } from './prices.ts';

/** An item is complete: the credits reserved for it are spent. */
export type SettleItem = Command<
  'SettleItem',
  Pick<
    ReservationSettled['data'],
    'reservationId' | 'jobId' | 'itemId' | 'attempt' | 'operation' | 'amount' | 'videoId'
  > & {
    context: LedgerContext;
    /** Of an AI operation. */
    modelUse?: ModelUse | null;
    pricedBy?: PriceFacts;
    delivery?: Delivery | null;
  },
  CommandMetadata
>;

/** An item ended without a result, or (`itemId` null) the job ended: reserved credits return to the balance. */
export type ReleaseReservation = Command<
  'ReleaseReservation',
  Pick<ReservationReleased['data'], 'reservationId' | 'jobId' | 'itemId' | 'why'> & {
    context: LedgerContext;
    /** Null: all that is left. */
    amount: number | null;
  },
  CommandMetadata
>;

/**
 * No event if the reservation is not open any more: its items were resolved, or it was released as abandoned. The
 * caller recognises that by the missing event.
 */
export const settle = ({ data, metadata: { now, known } }: SettleItem, state: State): ReservationSettled[] => {
  const { context, reservationId, jobId, itemId, attempt, operation, amount, videoId } = data;
  assert(Number.isSafeInteger(amount) && amount > 0, 'an item settles whole credits');
  const chargeId = resolutionIdOf(reservationId, itemId);
  const reservation = state.reservations.get(reservationId);
  if (reservation === undefined || reservation.held < amount || known.has(chargeId)) return [];
  return [
    {
      type: 'ReservationSettled',
      data: {
        accountId: context.accountId,
        reservationId,
        jobId,
        itemId,
        attempt,
        chargeId,
        operation,
        amount,
        priceBook,
        // The key that reserved: its cap has counted these credits. Another key may have started this run.
        keyId: reservation.keyId,
        videoId,
        ...(data.modelUse == null ? {} : modelFieldsOf(data.modelUse)),
        ...data.delivery,
        ...(data.pricedBy === undefined ? {} : { pricedBy: data.pricedBy }),
        ...payerOf(reservation),
        requestId: context.requestId,
        at: now.toISOString(),
      },
    },
  ];
};

/** Returns at most what is still reserved. No event if that is nothing, or if this item was resolved already. */
export const release = (
  { data, metadata: { now, known } }: ReleaseReservation,
  state: State,
): ReservationReleased[] => {
  const { context, reservationId, jobId, itemId, why } = data;
  const held = state.reservations.get(reservationId)?.held ?? 0;
  const amount = Math.min(data.amount ?? held, held);
  if (known.has(resolutionIdOf(reservationId, itemId)) || amount === 0) return [];
  const { accountId } = context;
  const at = now.toISOString();
  return [{ type: 'ReservationReleased', data: { accountId, reservationId, jobId, itemId, amount, why, at } }];
};
