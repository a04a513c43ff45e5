import * as assignPlan from './assign-plan.ts';
import * as chargeCredits from './charge-credits.ts';
import type * as credits from './credits.ts';
import { reservedIdOf, resolutionIdOf } from './event-ids.ts';
import * as grantCredits from './grant-credits.ts';
import type { Circumstances, Origin } from './origin.ts';
import * as recordOperation from './record-operation.ts';
import * as refundCharge from './refund-charge.ts';
import * as reserveCredits from './reserve-credits.ts';
import * as resolveReservation from './resolve-reservation.ts';

/** A command before its time has come: what is known then is added by the decider. */
type Asked<C extends { metadata?: unknown }> = Omit<C, 'metadata'>;

export type LedgerCommand =
  | Asked<chargeCredits.ChargeCredits>
  | Asked<grantCredits.GrantCredits>
  | Asked<assignPlan.AssignPlan>
  | Asked<refundCharge.RefundCharge>
  | Asked<reserveCredits.ReserveCredits>
  | Asked<resolveReservation.SettleItem>
  | Asked<resolveReservation.ReleaseReservation>
  | Asked<recordOperation.RecordOperation>
  /** Nothing but what time makes due: the turn of the book, expiries. */
  | { type: 'KeepBook'; data: { origin: Origin } };

/** Every ledger decision, by command. */
export const decide = (
  command: LedgerCommand,
  state: credits.State,
  metadata: Circumstances,
): readonly credits.CreditsEvent[] => {
  switch (command.type) {
    case 'ChargeCredits':
      return chargeCredits.decide({ ...command, metadata }, state);
    case 'GrantCredits':
      return grantCredits.decide({ ...command, metadata });
    case 'AssignPlan':
      return assignPlan.decide({ ...command, metadata }, state);
    case 'RefundCharge':
      return refundCharge.decide({ ...command, metadata }, state);
    case 'ReserveCredits':
      return reserveCredits.decide({ ...command, metadata }, state);
    case 'SettleItem':
      return resolveReservation.settle({ ...command, metadata }, state);
    case 'ReleaseReservation':
      return resolveReservation.release({ ...command, metadata }, state);
    case 'RecordOperation':
      return recordOperation.decide({ ...command, metadata });
    case 'KeepBook':
      return [];
  }
};

/** The ids of the events by which a repeat of the command is known. */
export const idsOf = (command: LedgerCommand): readonly string[] => {
  switch (command.type) {
    case 'ChargeCredits':
      return command.data.charges.map((charge) =>
        chargeCredits.chargeIdOf(command.data.origin, charge),
      );
    case 'GrantCredits':
      return [grantCredits.grantIdOf(command)];
    case 'AssignPlan':
      return [assignPlan.assignmentIdOf(command)];
    case 'RefundCharge':
      return [refundCharge.refundIdOf(command)];
    case 'ReserveCredits':
      return [reservedIdOf(command.data.reservationId)];
    case 'SettleItem':
    case 'ReleaseReservation':
      return [resolutionIdOf(command.data.reservationId, command.data.itemId)];
    case 'RecordOperation':
      return [recordOperation.recordIdOf(command)];
    case 'KeepBook':
      return [];
  }
};
