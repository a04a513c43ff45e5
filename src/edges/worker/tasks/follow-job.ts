import { z } from 'zod';
import type { WorkCommands } from '../work-commands.ts';
import { type Task, task } from './task.ts';

const Payload = z.object({ jobId: z.string() });

/** Completes a retry whose call was cut short. */
export const requeueItems = ({
  requeueItems,
  giveUpRetry,
}: Pick<WorkCommands, 'requeueItems' | 'giveUpRetry'>): Task =>
  task(Payload, requeueItems, giveUpRetry);

/** Completes a cancellation whose call was cut short. */
export const cancelItems = ({
  cancelItems,
  giveUpCancellation,
}: Pick<WorkCommands, 'cancelItems' | 'giveUpCancellation'>): Task =>
  task(Payload, cancelItems, giveUpCancellation);

/** Gives back what a settled job still holds. */
export const closeJob = ({ closeJob }: Pick<WorkCommands, 'closeJob'>): Task =>
  task(Payload, closeJob);
