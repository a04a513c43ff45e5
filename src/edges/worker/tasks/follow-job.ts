import { z } from 'zod';
import type { WorkCommands } from '../work-commands.ts';
import { type Task, task } from './task.ts';

const Payload = z.object({ jobId: z.string() });
const InGroups = Payload.extend({ group: z.int().nullable().default(null) });

/** One payload for each possible group of a job. */
const divided =
  (groups: number): NonNullable<Task['divide']> =>
  (payload) => {
    const { jobId, group } = InGroups.parse(payload);
    return group === null
      ? Array.from({ length: groups }, (_, one) => ({ jobId, group: one }))
      : [];
  };

/** Completes a retry whose call was interrupted. */
export const requeueItems = (
  { requeueItems, failRetry }: Pick<WorkCommands, 'requeueItems' | 'failRetry'>,
  groups: number,
): Task => ({ ...task(InGroups, requeueItems, failRetry), divide: divided(groups) });

/** Completes a cancellation whose call was interrupted. */
export const cancelItems = (
  { cancelItems, failCancellation }: Pick<WorkCommands, 'cancelItems' | 'failCancellation'>,
  groups: number,
): Task => ({ ...task(InGroups, cancelItems, failCancellation), divide: divided(groups) });

/** Releases the credits that a settled job still reserves. */
export const closeJob = ({ closeJob }: Pick<WorkCommands, 'closeJob'>): Task =>
  task(Payload, closeJob);
