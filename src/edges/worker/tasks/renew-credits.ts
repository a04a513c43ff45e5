import { z } from 'zod';
import type { WorkCommands } from '../work-commands.ts';
import { type Task, task } from './task.ts';

const Account = z.object({ accountId: z.string() });
/** Payloads of earlier versions lack the end or the start of the period: those versions opened any period that was due. */
const Period = Account.extend({
  opensAt: z.string().default(''),
  closesAt: z.string().default(''),
});
const Reservation = Account.extend({ jobId: z.string(), reservationId: z.string() });

/** Opens the billing period that is due, unless the account was erased; otherwise its first request would open it. */
export const renewCredits = ({ renewCredits }: Pick<WorkCommands, 'renewCredits'>): Task =>
  task(Period, renewCredits);

/** Puts an account on the plan that waited for the proof of its mailbox. */
export const assignFirstPlan = ({ assignFirstPlan }: Pick<WorkCommands, 'assignFirstPlan'>): Task =>
  task(Account, assignFirstPlan);

/** Releases a reservation that its call did not use. */
export const checkReservation = ({
  checkReservation,
}: Pick<WorkCommands, 'checkReservation'>): Task => task(Reservation, checkReservation);
