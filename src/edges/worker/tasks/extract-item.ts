import { z } from 'zod';
import type { Cancellations } from '../cancellations.ts';
import type { WorkCommands } from '../work-commands.ts';
import { after, runOrFail, type Task } from './task.ts';

const Payload = z.object({ jobId: z.string(), after, itemIds: z.array(z.string()) });

/**
 * Brings a few items of one job as far as they go, together: what they write goes out together too. A cancellation ends
 * the work under way. What fails is tried again with the rest, for which that is nothing to do, and at last given up.
 */
export const extractItems = (
  { extractItem, failItem }: Pick<WorkCommands, 'extractItem' | 'failItem'>,
  cancellations: Cancellations,
): Task => ({
  run: async (payload, { signal, ...run }) => {
    const { itemIds, after, jobId } = Payload.parse(payload);
    const work = { jobId, expectedAttempt: after };
    using watched = cancellations.watch(jobId);
    const until = { ...run, signal: AbortSignal.any([signal, watched.signal]) };
    const results = await Promise.allSettled(
      itemIds.map((itemId) =>
        runOrFail(
          until,
          () => extractItem({ ...work, itemId }, until),
          (fault) => failItem({ ...work, itemId }, fault),
        ),
      ),
    );
    const failed = results.find((result) => result.status === 'rejected');
    // What was cancelled needs no other try: its stream says so already.
    if (failed !== undefined && (!watched.signal.aborted || signal.aborted)) throw failed.reason;
  },
  divide: (payload) => {
    const { itemIds, ...work } = Payload.parse(payload);
    return itemIds.map((itemId) => ({ ...work, itemIds: [itemId] }));
  },
});
