import { setTimeout as pause } from 'node:timers/promises';
import { systemCall } from '#src/app/application-core.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import type { TestApp } from '#test/support/app.ts';
import { jobOf, over, type ShownJob } from '#test/support/job-watch.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/support/start-worker-process.ts';

export const videos = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => generatedId('vid', 10_000 + index));

/** Charges of a job in the ledger, and credits still reserved. */
export const booksOf = async (app: TestApp, accountId: string, jobId: string) => {
  const { rows } = await app.core.pool.query<{ settled: string; items: string }>(
    `SELECT count(*)::text AS settled, count(DISTINCT data ->> 'itemId')::text AS items
     FROM es_event WHERE type = 'ReservationSettled' AND data ->> 'jobId' = $1`,
    [jobId],
  );
  let balance = await app.core.ledger.balance(systemCall(accountId), { fresh: true });
  for (let looks = 0; looks < 200 && balance.reserved > 0; looks += 1) {
    await pause(50);
    balance = await app.core.ledger.balance(systemCall(accountId), { fresh: true });
  }
  return {
    settled: Number(rows[0]?.settled),
    items: Number(rows[0]?.items),
    remaining: balance.remaining,
    reserved: balance.reserved,
  };
};

/** The outcome of a job whose workers were restarted repeatedly. */
export type Restarted = {
  readonly job: ShownJob;
  readonly books: Awaited<ReturnType<typeof booksOf>>;
  readonly restarts: number;
  /** Webhooks received, and the number of distinct ids. */
  readonly told: { readonly times: number; readonly ids: number };
};

/**
 * Runs a job of some videos, each of which takes `readMs` to read, on `workers` processes of which the oldest is ended and
 * replaced `restarts` times, or until the job has ended. The last workers finish the job.
 */
export const jobUnderRestarts = async (
  app: TestApp,
  options: {
    readonly items: number;
    readonly readMs: number;
    readonly workers: number;
    readonly restarts: number | 'until it is over';
    /** Pause before the n-th worker is ended. */
    readonly waitMs: (n: number) => number;
    readonly signal: (n: number) => 'SIGKILL' | 'SIGTERM';
    /** Arguments of `startWorkerProcess`. */
    readonly pace?: readonly string[];
  },
): Promise<Restarted> => {
  await using receiver = await startReceiver();
  const { accountId, key } = await app.createAccount({ credits: options.items });
  const delay = { kind: 'delay', ms: options.readMs } as const;
  app.simulator.plan({ endpoint: 'reel', times: 'always', does: delay });
  const body = { ids: videos(options.items), webhook_url: receiver.url };
  const made = await app.post('/v1/jobs', body, { key });
  const { job_id: jobId } = (await made.json()) as { job_id: string };

  const start = () => startWorkerProcess(app.environment, options.pace);
  await using running = new AsyncDisposableStack();
  const working: WorkerProcess[] = [];
  for (let n = 1; n < options.workers; n += 1) working.push(running.use(await start()));
  // Started while the others work, because a process takes a while to start.
  let next = start();
  const isOver = async () =>
    !['queued', 'processing'].includes((await jobOf(app, key, jobId)).status);
  const isEnough = async (count: number) =>
    options.restarts === 'until it is over' ? await isOver() : count >= options.restarts;
  let restarts = 0;
  for (; !(await isEnough(restarts)); restarts += 1) {
    working.push(running.use(await next));
    next = start();
    await pause(options.waitMs(restarts));
    await working.shift()?.end(options.signal(restarts));
  }
  running.use(await next);
  app.simulator.reset();
  const job = await over(app, key, jobId);
  const books = await booksOf(app, accountId, jobId);
  await receiver.count(1);
  const ids = new Set(receiver.received.map(({ json }) => json.id)).size;
  return { job, books, restarts, told: { times: receiver.received.length, ids } };
};
