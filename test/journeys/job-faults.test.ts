import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { orphanedWork } from '#src/adapters/graphile-worker/work-queue.ts';
import { systemCall } from '#src/app/open-core.ts';
import { loadConfig } from '#src/config.ts';
import { cancelJob } from '#src/jobs/cancel-job.ts';
import { extractItem } from '#src/jobs/extract-item.ts';
import { itemsPerGroup } from '#src/jobs/job.ts';
import { jobStreams } from '#src/jobs/job-streams.ts';
import { semaphore } from '#src/kernel/semaphore.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';
import { booksOf, videos } from '#test/support/job-books.ts';
import { createJob, retryHalf, workCheck } from '#test/support/job-faults.ts';
import { over } from '#test/support/job-watch.ts';
import { logWithout } from '#test/support/jobs.ts';
import { startApi, until, workerOn } from '#test/support/queue.ts';
import { startReceiver } from '#test/support/receiver.ts';

describe('a job', { concurrency: true }, () => {
  it('is queued again from the streams if the queue lost its tasks', async () => {
    await using app = await startApi();
    const { key } = await app.createAccount({ credits: 10 });
    const jobId = await createJob(app, key, { ids: videos(2) });
    {
      let isTaken = false;
      await using _ = await workerOn(app, {
        extractItem: () => {
          isTaken = true;
          return Promise.reject(new TypeError('not yet'));
        },
      });
      await until(() => isTaken);
    }
    await app.core.pool.query('DELETE FROM graphile_worker._private_jobs');
    await using _ = await workerOn(app, {});
    const job = await over(app, key, jobId);
    assert.deepEqual([job.status, job.completed_items], ['completed', 2]);
  });

  it('completes a cancellation that stopped halfway and lost its task: nothing more is read, its credits are released', async () => {
    await using app = await startApi();
    const { accountId, key } = await app.createAccount({ credits: 100 });
    const { log, clock, pool } = app.core;
    const jobId = await createJob(app, key, { ids: videos(itemsPerGroup + 2) });
    const fault = new TypeError('it stops here');
    const isLast = ({ stream }: { readonly stream: string }) => stream.endsWith('-01');
    const half = jobStreams({ log: logWithout(log, isLast, fault), clock });
    const call = { ...systemCall(accountId), deduplicationKey: 'cancel' };
    await assert.rejects(cancelJob(half)(call, { jobId }), fault);
    const config = loadConfig({ ...app.environment, ROLE: 'worker' });
    const idle = await startWorkerInProcess(config, {
      work: () => ({
        cancelItems: () => Promise.reject(new TypeError('not yet')),
        extractItem: () => Promise.reject(new TypeError('not yet')),
      }),
    });
    const lost = async () =>
      (
        await pool.query(
          `DELETE FROM graphile_worker._private_jobs AS q USING graphile_worker._private_tasks AS t
           WHERE t.id = q.task_id AND t.identifier = 'cancel-items'`,
        )
      ).rowCount;
    for (let looks = 0; looks < 1_200 && (await lost()) === 0; looks += 1) await pause(50);
    await idle[Symbol.asyncDispose]();
    await pool.query('DELETE FROM graphile_worker._private_jobs');

    const read: string[] = [];
    await using worker = await startWorkerInProcess(config, {
      work: () => ({ extractItem: async ({ itemId }) => void read.push(itemId) }),
    });
    assert.ok(worker);
    const held = async () => (await app.core.ledger.balance(systemCall(accountId), { fresh: true })).reserved;
    for (let looks = 0; looks < 1_200 && (await held()) > 0; looks += 1) await pause(50);
    const { settled, remaining, reserved } = await booksOf(app, accountId, jobId);
    assert.deepEqual({ settled, remaining, reserved, read }, { settled: 0, remaining: 100, reserved: 0, read: [] });
    assert.deepEqual((await orphanedWork(pool, { olderThanS: 0, itemsPerGroup })).cancellations, []);
  });

  it('fails an item with an internal error after its attempts, completes the others, and empties the queue', async () => {
    await using app = await startApi();
    const { accountId, key } = await app.createAccount({ credits: 100 });
    const [poison, ...others] = videos(12);
    assert.ok(poison);
    await using worker = await startWorkerInProcess(loadConfig({ ...app.environment, ROLE: 'worker' }), {
      work: ({ log, clock, ledger }) => ({
        extractItem: extractItem({
          ...jobStreams({ log, clock }),
          ledger,
          reading: semaphore({ total: 4 }),
          abandoned: { record: async () => {} },
          random: () => 0,
          retryDelaysMs: [100, 100],
          onFault: () => {},
          read: async ({ videoId }) => {
            if (videoId === poison) throw new Error('it is poison');
            return { language: 'en' };
          },
        }),
      }),
    });
    assert.ok(worker);
    const jobId = await createJob(app, key, { ids: [poison, ...others] });
    const job = await over(app, key, jobId);
    assert.deepEqual([job.status, job.completed_items], ['completed_with_errors', 11]);
    assert.deepEqual(
      job.items.map(({ attempts, error_code }) => [attempts, error_code]),
      [[3, 'INTERNAL_ERROR'], ...others.map(() => [1, null])],
    );
    const { settled, remaining, reserved } = await booksOf(app, accountId, jobId);
    assert.deepEqual({ settled, remaining, reserved }, { settled: 11, remaining: 89, reserved: 0 });

    // Work that failed for good: of what has ended all the same, of what is not known, and long ago.
    const { pool } = app.core;
    const item = await pool.query('SELECT item_id FROM job_items WHERE job_id = $1 LIMIT 1', [jobId]);
    await pool.query(
      `SELECT graphile_worker.add_job(task, payload, job_key => key, run_at => now() + interval '1 day')
       FROM (VALUES ('extract-items', json_build_object('jobId', $1::text, 'itemIds', ARRAY[$2::text]), 'item'),
                    ('deliver-webhook', '{"deliveryId":"dlv_none"}', 'delivery'),
                    ('close-job', '{"jobId":"job_young"}', 'young'),
                    ('close-job', '{"jobId":"job_old"}', 'old')) AS one (task, payload, key)`,
      [jobId, item.rows[0]?.item_id],
    );
    await pool.query(
      `UPDATE graphile_worker._private_jobs
       SET attempts = max_attempts, run_at = now() - interval '31 days' * (key = 'old')::int
       WHERE key IN ('item', 'delivery', 'young', 'old')`,
    );
    const failed = async () =>
      (await pool.query(`SELECT key FROM graphile_worker.jobs WHERE attempts >= max_attempts`)).rows;
    for (let looks = 0; looks < 1_200 && (await failed()).length > 1; looks += 1) await pause(50);
    assert.deepEqual(await failed(), [{ key: 'young' }]);
    assert.equal(await workCheck(app), 'warning: failed permanently: 1 of close-job');
  });

  it('completes a retry that stopped halfway and lost its task', async () => {
    await using app = await startApi();
    await using receiver = await startReceiver();
    const { key, jobId } = await retryHalf(app, receiver);
    app.simulator.reset();
    const reacted = async () =>
      (await app.core.pool.query(`DELETE FROM graphile_worker._private_jobs WHERE payload ->> 'jobId' = $1`, [jobId]))
        .rowCount;
    const idle = await startWorkerInProcess(loadConfig({ ...app.environment, ROLE: 'worker' }), {
      work: () => ({ requeueItems: () => Promise.reject(new TypeError('not yet')) }),
    });
    for (let looks = 0; looks < 1_200 && (await reacted()) === 0; looks += 1) await pause(50);
    await idle[Symbol.asyncDispose]();
    await using worker = await startWorkerInProcess(loadConfig({ ...app.environment, ROLE: 'worker' }));
    assert.ok(worker);
    const job = await over(app, key, jobId);
    assert.deepEqual([job.status, job.completed_items], ['completed', 2]);
  });
});
