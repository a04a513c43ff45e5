import { z } from 'zod';
import type { WorkCommands } from '../work-commands.ts';
import type { Task } from './task.ts';

const Payload = z.object({ jobId: z.string() });

/** Completes a retry whose call was cut short. */
export const requeueItems =
  ({ requeueItems }: Pick<WorkCommands, 'requeueItems'>): Task =>
  async (payload) => {
    await requeueItems(Payload.parse(payload));
  };

/** Completes a cancellation whose call was cut short. */
export const cancelItems =
  ({ cancelItems }: Pick<WorkCommands, 'cancelItems'>): Task =>
  async (payload) => {
    await cancelItems(Payload.parse(payload));
  };

/** Gives back what a settled job still holds. */
export const closeJob =
  ({ closeJob }: Pick<WorkCommands, 'closeJob'>): Task =>
  async (payload) => {
    await closeJob(Payload.parse(payload));
  };
