import { z } from 'zod';
import type { Cancellations } from '../cancellations.ts';
import type { WorkCommands } from '../work-commands.ts';
import type { Task } from './task.ts';

const Payload = z.object({ jobId: z.string(), itemId: z.string() });

/** Reads one item; a cancellation of its job ends the work under way. */
export const extractItem =
  ({ extractItem }: Pick<WorkCommands, 'extractItem'>, cancellations: Cancellations): Task =>
  async (payload, { signal }) => {
    const item = Payload.parse(payload);
    using watched = cancellations.watch(item.jobId);
    try {
      await extractItem(item, { signal: AbortSignal.any([signal, watched.signal]) });
    } catch (error) {
      // What was cancelled needs no other try: its stream says so already.
      if (!watched.signal.aborted || signal.aborted) throw error;
    }
  };
