import { z } from 'zod';
import type { ServerClient } from './server-client.ts';
import { isTemporary } from './server-error.ts';

const Job = z.object({
  id: z.string(),
  status: z.enum([
    ...(['queued', 'processing', 'completed'] as const),
    ...(['completed_with_errors', 'failed', 'cancelled'] as const),
  ]),
  run: z.int(),
  total_items: z.int(),
  completed_items: z.int(),
  failed_items: z.int(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  updated_at: z.string(),
});
/** A job as it is shown. */
export type Job = z.output<typeof Job>;

/** Resolves after so many milliseconds; rejects at Ctrl-C. */
type Wait = (ms: number) => Promise<unknown>;

/** Minimum interval between reads of the job, because events may arrive in hundreds. */
const readEveryMs = 2_000;
/** Pause after a broken stream. */
const reopenAfterMs = 1_000;
/** Number of failed reads (each with the retries of the client) after which the watch fails; a restart of the server is survived. */
const maxFailedReads = 10;

const isOver = ({ status }: Job): boolean => status !== 'queued' && status !== 'processing';

/** Yields a job of a server now, after each change, and at its end. Its event stream triggers the reads. */
export async function* watchOnServer(
  client: ServerClient,
  jobId: string,
  wait: Wait,
): AsyncGenerator<Job> {
  const path = `/v1/jobs/${encodeURIComponent(jobId)}`;
  const read = async (left: number): Promise<Job> => {
    try {
      return (await client.send({ method: 'GET', path }, Job)).body;
    } catch (error) {
      if (left === 0 || !isTemporary(error)) throw error;
      await wait(readEveryMs);
      return await read(left - 1);
    }
  };
  let job = await read(0);
  yield job;
  let position = '0';
  while (!isOver(job)) {
    const stream = await followed(client, `${path}/events`, position, wait);
    let isOpen = true;
    while (isOpen && !isOver(job)) {
      isOpen = await stream.change();
      const now = await read(maxFailedReads);
      if (JSON.stringify(now) !== JSON.stringify(job)) yield now;
      job = now;
    }
    position = stream.position();
  }
}

/** A stream of events that is read in the background. */
const followed = async (client: ServerClient, path: string, after: string, wait: Wait) => {
  let position = after;
  let changed = Promise.withResolvers<boolean>();
  const follow = async (): Promise<void> => {
    const ids = (await client.follow(path, after)) ?? [];
    for await (const id of ids) {
      position = id;
      changed.resolve(true);
    }
  };
  const ended = follow().catch(async (error: unknown) => {
    if (!isTemporary(error)) throw error;
    await wait(reopenAfterMs);
  });
  // The waiter gets the error; without a waiter the rejection must not be unhandled.
  ended.catch(() => {});
  return {
    position: () => position,
    /** Resolves some time after the next event, at once at the end of the stream: true while more can follow. */
    async change(): Promise<boolean> {
      const end = ended.then(() => false);
      await Promise.race([changed.promise, end]);
      changed = Promise.withResolvers<boolean>();
      return await Promise.race([wait(readEveryMs).then(() => true), end]);
    },
  };
};
