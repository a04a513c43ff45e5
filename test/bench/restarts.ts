import { setTimeout as pause } from 'node:timers/promises';
import { startTestApp } from '#test/support/app.ts';
import { booksOf, videos } from '#test/support/job-books.ts';
import { jobOf, over } from '#test/support/job-watch.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/support/start-worker-process.ts';
import type { Row } from './row.ts';

const usual = {
  items: 1_000,
  workers: 2,
  everyMs: 30_000,
  /** Long enough for several restarts during the job. */
  readMs: 1_500,
};

/**
 * A job of 1,000 items with two worker processes, one of which is ended every 30 seconds, alternately by SIGKILL and SIGTERM, with
 * the intervals of production: a killed one counts as dead after 30 s.
 */
export const restarts = async (options = usual): Promise<readonly Row[]> => {
  const { items, workers, everyMs, readMs } = options;
  await using app = await startTestApp({
    environment: { ROLE: 'api', OUTBOUND_ALLOW: '127.0.0.0/8', WORKER_CONCURRENCY: '4' },
  });
  await using receiver = await startReceiver();
  const startedAt = performance.now();
  const { accountId, key } = await app.createAccount({ credits: items });
  const delay = { kind: 'delay', ms: readMs } as const;
  app.simulator.plan({ endpoint: 'reel', times: 'always', does: delay });
  const body = { ids: videos(items), webhook_url: receiver.url };
  const made = await app.post('/v1/jobs', body, { key });
  const { job_id: jobId } = (await made.json()) as { job_id: string };
  const isOver = async () => !['queued', 'processing'].includes((await jobOf(app, key, jobId)).status);

  await using running = new AsyncDisposableStack();
  const start = async () => running.use(await startWorkerProcess(app.environment, ['usual']));
  const working: WorkerProcess[] = [];
  while (working.length < workers) working.push(await start());
  let restarts = 0;
  for (; !(await isOver()); restarts += 1) {
    await pause(everyMs);
    await working.shift()?.end(restarts % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
    working.push(await start());
  }
  const job = await over(app, key, jobId);
  const books = await booksOf(app, accountId, jobId);
  await receiver.count(1);
  const told = new Set(receiver.received.map(({ json }) => json.id)).size;
  const about = `${items} items, ${workers} workers, ${restarts} restarts, one every ${everyMs / 1_000} s`;
  const zero = (what: string, value: number, unit: string): Row => ({
    ...{ case: `${about}: ${what}`, value, unit },
    ...{ goal: 0, goalKind: 'at most' },
  });
  return [
    zero('not terminal', items - job.completed_items - job.failed_items, 'items'),
    zero('failed', job.failed_items, 'items'),
    zero(
      'charged otherwise than complete',
      Math.abs(books.items - job.completed_items) + (books.settled - books.items),
      'items',
    ),
    zero('still held or missing', books.reserved + Math.abs(items - job.completed_items - books.remaining), 'credits'),
    zero('told besides the one', told - 1, 'webhooks'),
    { case: `${about}: creation to end`, value: Math.round((performance.now() - startedAt) / 1_000), unit: 's' },
  ];
};
