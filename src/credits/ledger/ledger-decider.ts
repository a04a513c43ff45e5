import type { Decider, Fold } from '../../eventlog/commands/decide-batch.ts';
import { metaOf } from '../../eventlog/event-log.ts';
import * as chargeCredits from '../charge-credits.ts';
import * as correctBalance from '../correct-balance.ts';
import * as credits from '../credits.ts';
import * as grantCredits from '../grant-credits.ts';
import type { CommandMetadata, LedgerContext } from '../ledger-context.ts';
import * as assignPlan from '../plans/assign-plan.ts';
import { expireDue, rollPeriod } from '../plans/renew-period.ts';
import * as recordUnchargedRequests from '../record-uncharged-requests.ts';
import * as refundCharge from '../refund-charge.ts';
import * as reserveCredits from '../reserve-credits.ts';
import * as resolveReservation from '../resolve-reservation.ts';
import { reservedIdOf, resolutionIdOf } from './event-ids.ts';
import { ownMeta, toNewEvent, type VersionOf } from './ledger-events.ts';

/** A command as it is sent: the decider adds the time and the events that the log has already. */
type WithoutMetadata<C extends { metadata?: unknown }> = Omit<C, 'metadata'>;

/** What somebody causes. */
type CausedCommand =
  | WithoutMetadata<chargeCredits.ChargeCredits>
  | WithoutMetadata<grantCredits.GrantCredits>
  | WithoutMetadata<correctBalance.CorrectBalance>
  | WithoutMetadata<assignPlan.AssignPlan>
  | WithoutMetadata<refundCharge.RefundCharge>
  | WithoutMetadata<reserveCredits.ReserveCredits>
  | WithoutMetadata<resolveReservation.SettleItem>
  | WithoutMetadata<resolveReservation.ReleaseReservation>
  | WithoutMetadata<recordUnchargedRequests.RecordUnchargedRequests>;

export type LedgerCommand =
  | CausedCommand
  /** Only what time makes due: a new billing period, expired grants. */
  | { type: 'RollPeriod'; data: { context: Pick<LedgerContext, 'accountId'> } };

/** Every ledger decision, by command. */
export const decide = (
  command: CausedCommand,
  state: credits.State,
  metadata: CommandMetadata,
): readonly credits.CreditsEvent[] => {
  switch (command.type) {
    case 'ChargeCredits':
      return chargeCredits.decide({ ...command, metadata }, state);
    case 'GrantCredits':
      return grantCredits.decide({ ...command, metadata });
    case 'CorrectBalance':
      return correctBalance.decide({ ...command, metadata }, state);
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
    case 'RecordUnchargedRequests':
      return recordUnchargedRequests.decide({ ...command, metadata });
  }
};

/** The ids of the events by which a repeat of the command is known. */
export const idsOf = (command: LedgerCommand): readonly string[] => {
  switch (command.type) {
    case 'ChargeCredits':
      return command.data.charges.map((charge) => chargeCredits.chargeIdOf(command.data.context, charge));
    case 'GrantCredits':
      return [grantCredits.grantIdOf(command)];
    case 'CorrectBalance':
      return [correctBalance.correctionIdOf(command)];
    case 'AssignPlan':
      return [assignPlan.assignmentIdOf(command)];
    case 'RefundCharge':
      return [refundCharge.refundIdOf(command)];
    case 'ReserveCredits':
      return [reservedIdOf(command.data.reservationId)];
    case 'SettleItem':
    case 'ReleaseReservation':
      return [resolutionIdOf(command.data.reservationId, command.data.itemId)];
    case 'RecordUnchargedRequests':
      return [recordUnchargedRequests.recordIdOf(command)];
    case 'RollPeriod':
      return [];
  }
};

/** A state as a snapshot holds it. */
const snapshotOf = (state: credits.State) => ({
  ...state,
  reservations: [...state.reservations.values()],
  spentByKey: [...state.spentByKey],
  recentByKey: [...state.recentByKey.values()],
  spentByAuthorization: [...state.spentByAuthorization.values()],
  refunds: [...state.refunds],
});

/** The fold of a book for the command handler. Raise the version with every change of `evolve` or `State`. */
export const ledgerFold: Fold<credits.State, credits.CreditsEvent> = {
  initialState: credits.initialState,
  evolve: credits.evolve,
  copy: credits.copyOf,
  version: 9,
  toJson: snapshotOf,
  fromJson: (json) => {
    const snapshot = json as ReturnType<typeof snapshotOf>;
    return {
      ...snapshot,
      reservations: new Map(snapshot.reservations.map((one) => [one.reservationId, one])),
      spentByKey: new Map(snapshot.spentByKey),
      recentByKey: new Map(snapshot.recentByKey.map((one) => [one.keyId, one])),
      spentByAuthorization: new Map(snapshot.spentByAuthorization.map((one) => [one.authorizationId, one])),
      refunds: new Map(snapshot.refunds),
    };
  },
};

/** The decisions of the ledger for the command handler. `maxEvents`: the bound of one book. */
export const ledgerDecider = ({
  versionOf,
  maxEvents = credits.maxEventsPerBook,
}: {
  readonly versionOf: VersionOf;
  readonly maxEvents?: number;
}): Decider<credits.State, LedgerCommand, credits.CreditsEvent> => {
  const isoTextOf = isoTextCache();
  // Times in a book never go back: a process whose clock is behind uses the time of the newest event, and so never writes
  // into a period that another process has closed.
  const timeIn = (state: credits.State, clock: Date): { readonly at: string; readonly now: Date } => {
    const at = isoTextOf(clock);
    return at < state.at ? { at: state.at, now: new Date(state.at) } : { at, now: clock };
  };
  const ownEvent = (event: credits.CreditsEvent) => toNewEvent(event, ownMeta(event), versionOf);
  return {
    fold: ledgerFold,
    idsOf,
    decide: (command, state, known, clock) => {
      if (command.type === 'RollPeriod') return [];
      const { at, now } = timeIn(state, clock);
      const meta = metaOf(command.data.context, at);
      return decide(command, state, { now, known }).map((event) => toNewEvent(event, meta, versionOf));
    },
    due: (state, clock) => expireDue(state, timeIn(state, clock).at).map(ownEvent),
    continuedIn: ({ nextStream }) => nextStream,
    rollOver: (state, at) => {
      const { at: now } = timeIn(state, at.now);
      const roll = rollPeriod(state, { version: at.version, stream: at.stream, now }, maxEvents);
      if (roll === null) return null;
      return {
        nextStream: roll.nextStream,
        closing: roll.closing.map(ownEvent),
        opening: (hash) => roll.opening(hash).map(ownEvent),
      };
    },
  };
};

/** The commands of one batch have the same time: its text is made once for all of them. */
const isoTextCache = (): ((moment: Date) => string) => {
  let last: { readonly moment: Date; readonly text: string } | null = null;
  return (moment) => {
    if (last?.moment !== moment) last = { moment, text: moment.toISOString() };
    return last.text;
  };
};
