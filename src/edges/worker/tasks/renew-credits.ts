import { z } from 'zod';
import type { WorkCommands } from '../work-commands.ts';
import type { Task } from './task.ts';

const Account = z.object({ accountId: z.string() });
/** What an earlier version queued says no end: that version opened what was due by its own clock. */
const Period = Account.extend({ closesAt: z.string().default('') });
const Reservation = Account.extend({ jobId: z.string(), reservationId: z.string() });

/** Opens the billing period that is due; the first request of the account would do it too. */
export const renewCredits =
  ({ renewCredits }: Pick<WorkCommands, 'renewCredits'>): Task =>
  async (payload) => {
    await renewCredits(Period.parse(payload));
  };

/** Gives back what a call set aside and never used. */
export const checkReservation =
  ({ checkReservation }: Pick<WorkCommands, 'checkReservation'>): Task =>
  async (payload) => {
    await checkReservation(Reservation.parse(payload));
  };
