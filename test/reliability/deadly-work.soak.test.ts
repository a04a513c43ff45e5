import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { failedWork } from '#src/adapters/graphile-worker/work-queue.ts';
import { crashesUntilDeadLetter, crashesUntilQuarantine } from '#src/edges/worker/task.ts';
import { maxGroups } from '#src/jobs/job.ts';
import { booksOf, videos } from '#test/support/job-books.ts';
import { jobOf } from '#test/support/job-watch.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';
import { queueTasks, startApi, until, workerOn } from '#test/support/queue.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { startWorkerProcess } from '#test/support/start-worker-process.ts';

/** How often the end of such a task is tried. */
const crashesOfDeadLetter = 3;

const isOver = ({ status }: { readonly status: string }): boolean => status !== 'queued' && status !== 'processing';

// Seven starts at once take longer on a busy machine than a process waits for a connection.
describe('a task that ends its process', { concurrency: 3 }, () => {
  it('fails after five crashes; the other tasks are completed, charged and announced once', async () => {
    await using app = await startApi();
    await using receiver = await startReceiver();
    const { accountId, key } = await app.createAccount({ credits: 40 });
    const body = { ids: videos(25), webhook_url: receiver.url };
    const made = await app.post('/v1/jobs', body, { key });
    const { job_id: jobId } = (await made.json()) as { job_id: string };

    let crashes = 0;
    // Not over HTTP: so many looks would reach the limit of the key.
    const over = async () => {
      const { rows } = await app.core.pool.query<{ status: string }>('SELECT status FROM jobs WHERE job_id = $1', [
        jobId,
      ]);
      return rows[0] !== undefined && isOver(rows[0]);
    };
    for (let starts = 0; starts <= 3 * crashesUntilDeadLetter && !(await over()); starts += 1) {
      const start = await startWorkerProcess(app.environment, ['deadly:0003']).catch((error: Error) => error);
      if (start instanceof Error) {
        // Killed by the task before it said that it was ready; another that cannot start on a busy machine has not crashed.
        if (start.message.startsWith('the worker ended with null')) crashes += 1;
        continue;
      }
      await using worker = start;
      await until(async () => worker.child.signalCode !== null || (await over()));
      if (worker.child.signalCode === null) break;
      crashes += 1;
    }
    const job = await jobOf(app, key, jobId);
    assert.equal(job.status, 'completed_with_errors');
    const failed = job.items.filter(({ status }) => status === 'failed');
    assert.deepEqual(
      failed.map(({ video_id, error_code }) => [video_id, error_code]),
      [[body.ids[3], 'INTERNAL_ERROR']],
    );
    assert.equal(crashes, crashesUntilDeadLetter);
    const books = await booksOf(app, accountId, jobId);
    assert.deepEqual(books, { settled: 24, items: 24, remaining: 16, reserved: 0 });

    await using worker = await startWorkerProcess(app.environment);
    assert.ok(worker);
    await receiver.count(1);
    assert.equal(new Set(receiver.received.map(({ json }) => json.id)).size, 1);
  });

  it('is divided into groups when it is a cancellation or a retry, so that one group does not hold up the others', async () => {
    await using app = await startApi();
    const deaths = crashesUntilDeadLetter;
    const { pool } = app.core;
    await queueTasks(pool, [
      { task: 'cancel-items', payload: { jobId: 'job_1', deaths } },
      { task: 'requeue-items', payload: { jobId: 'job_2', deaths } },
    ]);
    const told = { job_1: new Set<number | null>(), job_2: new Set<number | null>() };
    const tell = async ({ jobId, group }: { jobId: string; group: number | null }) =>
      void told[jobId as keyof typeof told].add(group);
    let givenUp = 0;
    const giveUp = async () => {
      givenUp += 1;
    };
    const worker = await workerOn(app, {
      ...{ cancelItems: tell, failCancellation: giveUp },
      ...{ requeueItems: tell, failRetry: giveUp },
    });
    await until(() => Math.min(told.job_1.size, told.job_2.size) >= maxGroups || givenUp > 0);
    await worker[Symbol.asyncDispose]();
    const all = new Set(Array.from({ length: maxGroups }, (_, group) => group));
    assert.deepEqual([told, givenUp], [{ job_1: all, job_2: all }, 0]);
  });

  it('is divided once, even if its removal is lost, so that the crashes of its parts are not reset', async () => {
    await using app = await startApi();
    const { pool } = app.core;
    const itemIds = ['itm_0000', 'itm_0001'];
    const payload = { jobId: 'job_1', itemIds, deaths: crashesUntilQuarantine };
    await queueTasks(pool, [{ task: 'extract-items', payload }]);
    // Its first removal is lost, so that the worker finds it locked and not running.
    await pool.query(
      `CREATE SEQUENCE removals;
       CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN RETURN CASE WHEN nextval(''removals'') > 1 THEN OLD END; END';
       CREATE TRIGGER lost BEFORE DELETE ON graphile_worker._private_jobs
         FOR EACH ROW WHEN (json_array_length(OLD.payload -> 'itemIds') > 1) EXECUTE FUNCTION lose()`,
    );
    const ran: string[] = [];
    await using _ = await workerOn(app, { extractItem: async ({ itemId }) => void ran.push(itemId) });
    await until(async () => (await pool.query('SELECT FROM graphile_worker._private_jobs')).rowCount === 0);
    const { rows } = await pool.query('SELECT last_value::int AS removals FROM removals');
    assert.deepEqual([ran.toSorted(), rows], [itemIds, [{ removals: 2 }]]);
  });

  it('waits in quarantine until its process has run for a while, so that a crash loop does not dead-letter healthy tasks', async () => {
    await using app = await startApi();
    await queueTasks(app.core.pool, [{ task: 'resolve-listing', payload: { jobId: 'job_1', deaths: 2 } }]);
    const startedMs = performance.now();
    let takenMs = 0;
    await using _ = await workerOn(app, {
      resolveListing: async () => {
        takenMs = performance.now();
      },
    });
    await until(() => takenMs > 0);
    assert.ok(takenMs - startedMs >= 500, `taken after ${takenMs - startedMs} ms`);
  });

  it('is not a task that runs while the database is unavailable: no crash is counted, and it does not run again', async () => {
    await using app = await startApi();
    const { pool } = app.core;
    await using proxy = await postgresProxy(app.databaseUrl);
    const environment = { ...app.environment, DATABASE_URL: proxy.url };
    await queueTasks(pool, [{ task: 'resolve-listing', payload: { jobId: 'job_1' } }]);
    const pieces = async () => {
      const { rows } = await pool.query<{ deaths: string | null; is_held: boolean }>(
        `SELECT payload ->> 'deaths' AS deaths, locked_by IS NOT NULL AS is_held
         FROM graphile_worker._private_jobs ORDER BY id`,
      );
      return rows;
    };
    let tries = 0;
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const work = {
      resolveListing: async () => {
        tries += 1;
        await isOver;
      },
    };
    // As usual, five times as fast: whoever looks first when the database is back looks before he beats.
    const pace = { beatMs: 1_000, deadAfterS: 5 };
    await using _ = await workerOn({ environment }, work, { pace });
    using _end = { [Symbol.dispose]: end };
    await until(() => tries > 0);
    for (let time = 0; time < 2; time += 1) {
      proxy.isThere = false;
      await pause(6_500);
      proxy.isThere = true;
      await pause(1_600);
      assert.deepEqual([tries, await pieces()], [1, [{ deaths: null, is_held: true }]]);
    }
    await pool.query(
      `INSERT INTO graphile_worker._private_jobs (task_id, payload, key, locked_by, locked_at)
       SELECT task_id, '{"jobId":"job_2"}', 'of the dead', 'pool-dead', now() - interval '1 hour'
       FROM graphile_worker._private_jobs`,
    );
    await until(() => tries > 1);
    const found = [
      { deaths: null, is_held: true },
      { deaths: '1', is_held: true },
    ];
    assert.deepEqual(await pieces(), found, 'dead pools are still found');
  });

  it('stays in the queue as failed when its process ends even while it is dead-lettered', async () => {
    await using app = await startApi();
    const { pool } = app.core;
    const deaths = crashesUntilDeadLetter - 1;
    // A failed task of this kind is kept for a month. A listing without a job could be removed before it is seen.
    const task = 'cancel-items';
    await queueTasks(pool, [{ task, payload: { jobId: 'job_1', group: 0, deaths }, isHeld: true }]);
    let ends = 0;
    for (; ends < crashesOfDeadLetter; ends += 1) {
      const { promise: isDying, resolve: die } = Promise.withResolvers<void>();
      {
        await using _ = await workerOn(app, {
          // The process that writes the end dies of it: nothing that it does after this is heard.
          failCancellation: async () => {
            await pool.query(
              `UPDATE graphile_worker._private_jobs SET locked_by = 'pool-dead', locked_at = now() + interval '1 hour'`,
            );
            die();
            throw new Error('nobody is there to say so');
          },
        });
        await isDying;
      }
      await pool.query(`UPDATE graphile_worker._private_jobs SET locked_at = now() - interval '1 hour'`);
    }
    await using _ = await workerOn(app, {
      failCancellation: async () => {
        ends += 1;
      },
    });
    await until(async () => (await failedWork(pool)).length > 0);
    assert.deepEqual(await failedWork(pool), [{ task, pieces: 1 }]);
    assert.equal(ends, crashesOfDeadLetter);
  });
});
