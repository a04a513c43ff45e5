import { setTimeout as pause } from 'node:timers/promises';
import { Logger as QueueLogger, run as runQueue } from 'graphile-worker';
import { Client } from 'pg';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { clientOf } from '#test/support/app.ts';
import { testDatabase } from '#test/support/database.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { type BenchServer, startBenchServer } from './bench-server.ts';
import { processorTime } from './processor-time.ts';
import { alternately, median, type Row, rounded } from './row.ts';

export const name = 'jobs';

const concurrency = 24;
const settings = { WORKER_CONCURRENCY: String(concurrency), WORKER_POOL_SIZE: '20', OUTBOUND_ALLOW: '127.0.0.0/8' };
const videos = (count: number): string[] => Array.from({ length: count }, (_, index) => generatedId('vid', index));

type Options = { readonly rounds: number; readonly announced: number };

/**
 * `steno serve` in one child process, API and worker, over cached transcripts. The baseline is the
 * queue alone, with its own database, in this process.
 */
export const run = async (options: Options = { rounds: 5, announced: 20 }): Promise<readonly Row[]> => {
  await using server = await startBenchServer(settings);
  const database = new Client({ connectionString: server.databaseUrl });
  await database.connect();
  const bench = await benchOf(server, database);
  await bench.job(1_000);
  await bench.job(100);
  const rows = [
    ...(await speed(bench, options)),
    ...(await costs(bench, options)),
    ...(await latencies(bench, options)),
  ];
  await database.end();
  return rows;
};

type JobTimes = {
  readonly firstStartMs: number;
  /** From the first item started to the last one completed. */
  readonly itemsMs: number;
  /** From the job's creation to its end. */
  readonly wholeMs: number;
  readonly lastItemAt: number;
};

type Bench = Awaited<ReturnType<typeof benchOf>>;

/** Operations on the server, and measurements from its log and from the kernel. */
const benchOf = async (server: BenchServer, database: Client) => {
  const client = clientOf(server.url);
  const [key = ''] = await server.keys(1);

  const create = async (count: number, webhookUrl?: string): Promise<string> => {
    const body = { ids: videos(count), ...(webhookUrl && { webhook_url: webhookUrl }) };
    const answer = await client.post('/v1/jobs', body, { key });
    if (answer.status !== 202) throw new Error(`${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { job_id: string }).job_id;
  };
  const until = async (statement: string, values: readonly string[] = []): Promise<void> => {
    for (;;) {
      const { rows } = await database.query<{ is_so: boolean }>(statement, [...values]);
      if (rows[0]?.is_so === true) return;
      await pause(20);
    }
  };
  const over = async (jobId: string): Promise<JobTimes> => {
    await until(`SELECT EXISTS (SELECT FROM es_event WHERE stream = $1 AND type = 'JobCompleted') AS is_so`, [
      `job-${jobId}`,
    ]);
    return await timesOf(database, jobId);
  };
  /** Waits until every subscription has caught up and the queue has no due task. */
  const quiet = async (): Promise<void> => {
    await until(
      `SELECT (SELECT min(position) FROM es_subscription) >= (SELECT max(position) FROM es_event)
         AND NOT EXISTS (SELECT FROM graphile_worker._private_jobs WHERE run_at <= now()) AS is_so`,
    );
  };
  const used = async (): Promise<number> => {
    const { processMs, databaseMs } = await processorTime(database, server.pid);
    return processMs + databaseMs;
  };
  return { create, over, quiet, used, job: async (count: number) => over(await create(count)) };
};

const timesOf = async (database: Client, jobId: string): Promise<JobTimes> => {
  const { rows } = await database.query<{ [Time in 'created' | 'first' | 'last' | 'ended']: Date }>(
    `SELECT min(recorded_at) FILTER (WHERE type = 'JobCreated') AS created,
       min(recorded_at) FILTER (WHERE type = 'ItemStarted') AS first,
       max(recorded_at) FILTER (WHERE type = 'ItemCompleted') AS last,
       max(recorded_at) FILTER (WHERE type = 'JobCompleted') AS ended
     FROM es_event WHERE stream LIKE $1 OR stream = $2`,
    [`items-${jobId}-%`, `job-${jobId}`],
  );
  const [times] = rows;
  if (times === undefined) throw new Error(`${jobId} left nothing`);
  return {
    firstStartMs: times.first.getTime() - times.created.getTime(),
    itemsMs: times.last.getTime() - times.first.getTime(),
    wholeMs: times.ended.getTime() - times.created.getTime(),
    lastItemAt: times.last.getTime(),
  };
};

const speed = async (bench: Bench, { rounds }: Options): Promise<readonly Row[]> => {
  await using database = await testDatabase();
  await emptyTasks(database.url, 1_000);
  return [
    {
      case: `1,000 items over kept transcripts, one process, against the queue with empty tasks, ${concurrency} at once`,
      unit: 'items/s',
      ...(await alternately(
        rounds,
        async () => {
          await bench.quiet();
          return 1_000_000 / (await bench.job(1_000)).itemsMs;
        },
        () => emptyTasks(database.url, 1_000),
      )),
      goal: 0.5,
      goalKind: 'ratio',
    },
  ];
};

/** The cost of one item of a single running job: processor time of program and database including subscriptions, and time. */
const costs = async (bench: Bench, { rounds }: Options): Promise<readonly Row[]> => {
  const whole: number[] = [];
  const of = async (count: number, jobs: number): Promise<number> => {
    await bench.quiet();
    const idle = await idleShare(bench);
    const [before, startedAt] = [await bench.used(), performance.now()];
    const times: number[] = [];
    for (let made = 0; made < jobs; made += 1) {
      times.push((await bench.job(count)).wholeMs);
      await bench.quiet();
    }
    const used = (await bench.used()) - before - idle * (performance.now() - startedAt);
    whole.push(median(times) / count);
    return used / (count * jobs);
  };
  const cost = await alternately(
    rounds,
    () => of(1_000, 1),
    () => of(100, 5),
  );
  const times = [1, 0].map((turn) => median(whole.filter((_, at) => at % 2 === turn)));
  const [ofThousand = Number.NaN, ofHundred = Number.NaN] = times;
  return [
    {
      case: 'processor time for an item of a lone job of 1,000, against 100',
      unit: 'ms',
      ...cost,
      goal: 1.2,
      goalKind: 'ratio at most',
    },
    {
      case: 'creation to end for an item of a lone job of 1,000, against 100',
      unit: 'ms',
      value: rounded(ofThousand),
      baseline: rounded(ofHundred),
      ratio: rounded(ofThousand / ofHundred),
      goal: 1.2,
      goalKind: 'ratio at most',
    },
  ];
};

/** Processor time of program and database per millisecond while idle. */
const idleShare = async (bench: Bench): Promise<number> => {
  const [before, startedAt] = [await bench.used(), performance.now()];
  await pause(1_000);
  return ((await bench.used()) - before) / (performance.now() - startedAt);
};

const latencies = async (bench: Bench, { announced }: Options): Promise<readonly Row[]> => {
  const starts: number[] = [];
  const announcements: number[] = [];
  await using receiver = await startReceiver();
  for (let round = 1; round <= announced; round += 1) {
    await bench.quiet();
    const jobId = await bench.create(3, receiver.url);
    await receiver.count(round);
    const receivedAt = performance.timeOrigin + performance.now();
    const { firstStartMs, lastItemAt } = await bench.over(jobId);
    starts.push(firstStartMs);
    announcements.push(receivedAt - lastItemAt);
  }
  return [
    { case: 'creation to first item started, p50', value: percentile(starts, 0.5), unit: 'ms' },
    { case: 'creation to first item started, p95', value: percentile(starts, 0.95), unit: 'ms' },
    { case: 'last item to webhook received, p50', value: percentile(announcements, 0.5), unit: 'ms' },
    { case: 'last item to webhook received, p95', value: percentile(announcements, 0.95), unit: 'ms' },
  ];
};

const percentile = (values: readonly number[], part: number): number =>
  Math.round([...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0);

/** Throughput of the queue in empty tasks per second under the same settings. */
const emptyTasks = async (url: string, count: number): Promise<number> => {
  const pool = postgresPool({ url, applicationName: 'steno bench', max: 20 });
  const { promise, resolve } = Promise.withResolvers<void>();
  let done = 0;
  let startedAt = 0;
  const runner = await runQueue({
    pgPool: pool,
    concurrency,
    noHandleSignals: true,
    pollInterval: 1_000,
    logger: new QueueLogger(() => () => {}),
    taskList: {
      empty: async () => {
        if (done === 0) startedAt = performance.now();
        done += 1;
        if (done === count) resolve();
      },
    },
  });
  await pool.query(`SELECT graphile_worker.add_job('empty', '{}'::json) FROM generate_series(1, $1::int)`, [count]);
  await promise;
  const seconds = (performance.now() - startedAt) / 1_000;
  await runner.stop();
  await pool.end();
  return count / seconds;
};
