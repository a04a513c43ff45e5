import { uuidOf } from '../../kernel/ids.ts';
import { type CreditsEvent, streamOf } from '../credits.ts';

/**
 * The id of an event in the log, derived from its data. The log takes an id once, so that a repeat is not stored twice.
 * Settlement and release of an item of a reservation have the same id: one of them happens, never both.
 */
export const eventIdOf = ({ type, data }: CreditsEvent): string => {
  switch (type) {
    case 'BookOpened':
      return uuidOf(`opened|${streamOf(data.accountId, data.period, data.part)}`);
    case 'BookClosed':
      return uuidOf(`closed|${data.nextStream}`);
    case 'PlanAssigned':
      return data.assignmentId;
    case 'CreditsGranted':
      return data.grantId;
    case 'CreditsCharged':
      return data.chargeId;
    case 'OperationServed':
    case 'OperationFailed':
      return data.operationId;
    case 'CreditsReserved':
      return reservedIdOf(data.reservationId);
    case 'ReservationSettled':
    case 'ReservationReleased':
      return resolutionIdOf(data.reservationId, data.itemId);
    case 'ChargeRefunded':
      return data.refundId;
    case 'BalanceCorrected':
      return data.correctionId;
    case 'BudgetReached':
      return data.noticeId;
    case 'CreditsExpired':
      return data.expiryId;
  }
};

export const reservedIdOf = (reservationId: string): string => uuidOf(`reserved|${reservationId}`);

/** The id of the end of one item of a reservation; `itemId` null: of the rest, when the job ends. */
export const resolutionIdOf = (reservationId: string, itemId: string | null): string =>
  uuidOf(`resolved|${reservationId}|${itemId ?? ''}`);
