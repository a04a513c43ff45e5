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

const Cancellation = Payload.extend({ group: z.int().nullable().default(null) });

/** Completes a cancellation whose call was cut short; divided, group by group, whether a job has as many or not. */
export const cancelItems = (
  { cancelItems, giveUpCancellation }: Pick<WorkCommands, 'cancelItems' | 'giveUpCancellation'>,
  groups: number,
): Task => ({
  ...task(Cancellation, cancelItems, giveUpCancellation),
  divide: (payload) => {
    const { jobId, group } = Cancellation.parse(payload);
    return group === null
      ? Array.from({ length: groups }, (_, one) => ({ jobId, group: one }))
      : [];
  },
});

/** Gives back what a settled job still holds. */
export const closeJob = ({ closeJob }: Pick<WorkCommands, 'closeJob'>): Task =>
  task(Payload, closeJob);
