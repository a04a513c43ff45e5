import { z } from 'zod';
import type { Cancellations } from '../cancellations.ts';
import type { WorkCommands } from '../work-commands.ts';
import { after, runOrFail, type Task } from './task.ts';

const Payload = z.object({ jobId: z.string(), after, itemIds: z.array(z.string()) });

/**
 * Processes a few items of one job concurrently, so that their appends share a group commit. A cancellation aborts
 * running work. If one item fails, the task is retried; items that have ended do nothing then. The last failure fails the item.
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
    // A cancelled item needs no retry: its stream records the cancellation.
    if (failed !== undefined && (!watched.signal.aborted || signal.aborted)) throw failed.reason;
  },
  divide: (payload) => {
    const { itemIds, ...work } = Payload.parse(payload);
    return itemIds.map((itemId) => ({ ...work, itemIds: [itemId] }));
  },
});
