import { Logger as QueueLogger, run as runQueue } from 'graphile-worker';
import { postgresPool } from '#src/adapters/postgres.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { startReceiver } from '#test/support/receiver.ts';
import type { Row } from './row.ts';

export const name = 'jobs';

const concurrency = 24;
const videos = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => generatedId('vid', index));

/** One program (API and worker in one process) over transcripts that are kept already, beside the queue alone. */
export const run = async (): Promise<readonly Row[]> => {
  await using app = await startTestApp({
    environment: {
      WORKER_CONCURRENCY: String(concurrency),
      WORKER_POOL_SIZE: '20',
      OUTBOUND_ALLOW: '127.0.0.0/8',
    },
  });
  const { key } = await app.createAccount({ plan: 'scale' });
  await jobOf(app, key, videos(1_000));

  const empty = await emptyTasks(app.databaseUrl, 1_000);
  const thousand = await best(3, () => jobOf(app, key, videos(1_000)));
  // As many items either way, so that what is folded and queued beside them weighs the same.
  const whole = await best(3, () => timed(() => jobOf(app, key, videos(1_000))));
  const parts = await best(3, () =>
    timed(() => Promise.all(Array.from({ length: 10 }, () => jobOf(app, key, videos(100))))),
  );
  const perSecond = 1_000 / (thousand.itemsMs / 1_000);
  const starts: number[] = [];
  const announcements: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    await using receiver = await startReceiver();
    const one = await jobOf(app, key, videos(3), receiver.url);
    await receiver.count(1);
    starts.push(one.firstStartMs);
    announcements.push(performance.timeOrigin + performance.now() - one.lastItemAt);
  }
  return [
    {
      case: `1,000 items over kept transcripts, one process, against the queue with empty tasks, ${concurrency} at once`,
      value: Math.round(perSecond),
      unit: 'items/s',
      baseline: Math.round(empty),
      ratio: perSecond / empty,
      goal: 0.5,
    },
    {
      case: 'cost per item, one job of 1,000 against ten of 100',
      value: whole.itemsMs / 1_000,
      unit: 'ms',
      baseline: parts.itemsMs / 1_000,
      ratio: whole.itemsMs / parts.itemsMs,
      goal: 1.2,
    },
    { case: 'creation to first item started, p50', value: percentile(starts, 0.5), unit: 'ms' },
    { case: 'creation to first item started, p95', value: percentile(starts, 0.95), unit: 'ms' },
    {
      case: 'last item to webhook received, p50',
      value: percentile(announcements, 0.5),
      unit: 'ms',
    },
    {
      case: 'last item to webhook received, p95',
      value: percentile(announcements, 0.95),
      unit: 'ms',
    },
  ];
};

const percentile = (values: readonly number[], part: number): number =>
  Math.round([...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0);

const timed = async (work: () => Promise<unknown>): Promise<{ readonly itemsMs: number }> => {
  const startedAt = performance.now();
  await work();
  return { itemsMs: performance.now() - startedAt };
};

const best = async <One extends { readonly itemsMs: number }>(
  times: number,
  work: () => Promise<One>,
): Promise<One> => {
  const all: One[] = [];
  for (let time = 0; time < times; time += 1) all.push(await work());
  const [first] = all.sort((a, b) => a.itemsMs - b.itemsMs);
  if (first === undefined) throw new Error('nothing was measured');
  return first;
};

/** Creates a job, waits for its end by the log alone, and reads its times there. */
const jobOf = async (app: TestApp, key: string, ids: string[], webhookUrl?: string) => {
  const { pool, log } = app.foundation;
  const ended = Promise.withResolvers<void>();
  let jobId = '';
  const stop = log.onAppended(async () => {
    if (jobId === '') return;
    const { rowCount } = await pool.query(
      `SELECT 1 FROM es_event WHERE stream = $1 AND type IN ('JobCompleted', 'JobCompletedWithErrors', 'JobFailed')`,
      [`job-${jobId}`],
    );
    if (rowCount !== 0) ended.resolve();
  });
  const body = webhookUrl === undefined ? { ids } : { ids, webhook_url: webhookUrl };
  const answer = await app.post('/v1/jobs', body, { key });
  jobId = ((await answer.json()) as { job_id: string }).job_id;
  await ended.promise;
  stop();
  const { rows } = await pool.query<{ created: Date; first: Date; last: Date }>(
    `SELECT min(recorded_at) FILTER (WHERE type = 'JobCreated') AS created,
       min(recorded_at) FILTER (WHERE type = 'ItemStarted') AS first,
       max(recorded_at) FILTER (WHERE type = 'ItemCompleted') AS last
     FROM es_event WHERE stream LIKE $1 OR stream = $2`,
    [`items-${jobId}-%`, `job-${jobId}`],
  );
  const [times] = rows;
  if (times === undefined) throw new Error(`${jobId} left nothing`);
  return {
    firstStartMs: times.first.getTime() - times.created.getTime(),
    itemsMs: times.last.getTime() - times.first.getTime(),
    lastItemAt: times.last.getTime(),
  };
};

/** Empty tasks per second of the queue under the same settings. */
const emptyTasks = async (url: string, count: number): Promise<number> => {
  const pool = postgresPool({ url, applicationName: 'steno bench', max: 20 });
  await pool.query(
    `SELECT graphile_worker.add_job('empty', '{}'::json) FROM generate_series(1, $1::int)`,
    [count],
  );
  const { promise, resolve } = Promise.withResolvers<void>();
  let done = 0;
  const startedAt = performance.now();
  const runner = await runQueue({
    pgPool: pool,
    concurrency,
    noHandleSignals: true,
    pollInterval: 1_000,
    logger: new QueueLogger(() => () => {}),
    taskList: {
      empty: async () => {
        done += 1;
        if (done === count) resolve();
      },
    },
  });
  await promise;
  const seconds = (performance.now() - startedAt) / 1_000;
  await runner.stop();
  await pool.end();
  return count / seconds;
};
