import { z } from 'zod';
import type { WorkCommands } from '../work-commands.ts';
import type { Task } from './task.ts';

const Payload = z.object({ jobId: z.string() });

/** Lists the playlist or channel of a job that could not wait for it. */
export const resolveListing =
  ({ resolveListing }: Pick<WorkCommands, 'resolveListing'>): Task =>
  async (payload, { signal, isLastTry }) => {
    await resolveListing({ ...Payload.parse(payload), isLastTry }, { signal });
  };
