import { z } from 'zod';
import type { WorkCommands } from '../work-commands.ts';
import { type Task, task } from './task.ts';

const Account = z.object({ accountId: z.string() });
/** What an earlier version queued says no end, or no beginning: that version opened what was due, whoever's it was. */
const Period = Account.extend({
  opensAt: z.string().default(''),
  closesAt: z.string().default(''),
});
const Reservation = Account.extend({ jobId: z.string(), reservationId: z.string() });

/** Opens the billing period that is due, unless nobody is left to use it; the first request of the account would do it too. */
export const renewCredits = ({ renewCredits }: Pick<WorkCommands, 'renewCredits'>): Task =>
  task(Period, renewCredits);

/** Puts an account on the plan that waited for the proof of its mailbox. */
export const assignFirstPlan = ({ assignFirstPlan }: Pick<WorkCommands, 'assignFirstPlan'>): Task =>
  task(Account, assignFirstPlan);

/** Gives back what a call set aside and never used. */
export const checkReservation = ({
  checkReservation,
}: Pick<WorkCommands, 'checkReservation'>): Task => task(Reservation, checkReservation);
