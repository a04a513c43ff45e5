import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { failedWork, removeFailedWork } from '#src/adapters/graphile-worker/work-queue.ts';
import { loadConfig } from '#src/config.ts';
import type { WorkCommands } from '#src/edges/worker/work-commands.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';
import { makeTasksDue, queueTasks, startApi, until, workerOn } from '#test/support/queue.ts';

const fault = async (): Promise<never> => {
  throw new TypeError('it is poison');
};

describe('a worker', { concurrency: true }, () => {
  it('counts the attempts of a task that is queued again because its concurrency key is at its limit', async () => {
    await using app = await startApi();
    const { pool } = app.core;
    // Of one receiver four go on at once; eight are taken at the same moment, and each has two tries left.
    const deliveries = Array.from({ length: 8 }, (_, n) => `dlv_${n}`);
    const concurrencyKeys = ['receiver:whk_1'];
    await queueTasks(
      pool,
      deliveries.map((deliveryId) => ({
        ...{ task: 'deliver-webhook', payload: { deliveryId } },
        ...{ concurrencyKeys, attempts: 8 },
      })),
    );
    const tried: string[] = [];
    const givenUp: string[] = [];
    const work: Partial<WorkCommands> = {
      deliverWebhook: async ({ deliveryId }) => {
        tried.push(deliveryId);
        await pause(100);
        await fault();
      },
      failDelivery: async ({ deliveryId }) => {
        givenUp.push(deliveryId);
      },
    };
    // No worker dies here, and one that is only slow must not count as dead after the two seconds of tests.
    await using _ = await workerOn(app, work, { isUsualPace: true });
    await until(async () => {
      await makeTasksDue(pool);
      return givenUp.length >= deliveries.length;
    });
    assert.deepEqual(givenUp.toSorted(), deliveries);
    assert.deepEqual(
      tried.toSorted(),
      deliveries.flatMap((one) => [one, one]),
    );
  });

  it('passes the expected attempt of a task to its command, even for a task that was divided', async () => {
    await using app = await startApi();
    const itemIds = ['itm_0000', 'itm_0001'];
    await queueTasks(app.core.pool, [
      { task: 'extract-items', payload: { jobId: 'job_1', after: 2, itemIds, deaths: 2 } },
      // As an earlier version asked for it.
      { task: 'extract-items', payload: { jobId: 'job_2', itemIds: ['itm_0002'] } },
      { task: 'deliver-webhook', payload: { after: 3, deliveryId: 'dlv_1' } },
      { task: 'deliver-webhook', payload: { deliveryId: 'dlv_2' } },
    ]);
    const told = new Map<string, number | null>();
    await using _ = await workerOn(app, {
      extractItem: async ({ itemId, expectedAttempt }) => void told.set(itemId, expectedAttempt),
      deliverWebhook: async ({ deliveryId, expectedAttempt }) => void told.set(deliveryId, expectedAttempt),
    });
    await until(() => told.size >= 5);
    assert.deepEqual(Object.fromEntries(told), {
      ...{ itm_0000: 2, itm_0001: 2, itm_0002: null },
      ...{ dlv_1: 3, dlv_2: null },
    });
  });

  it('that is stopped unlocks tasks that do not end in time, without counting the attempt', async () => {
    await using app = await startApi();
    const { pool } = app.core;
    const payload = { jobId: 'job_1' };
    await queueTasks(pool, [{ task: 'resolve-listing', payload, attempts: 3 }]);
    const begun = Promise.withResolvers<void>();
    const work: Partial<WorkCommands> = {
      resolveListing: (_, { signal }) => {
        begun.resolve();
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      },
    };
    const worker = await workerOn(app, work, { isUsualPace: true });
    await begun.promise;
    await worker[Symbol.asyncDispose]();
    const { rows } = await pool.query(
      `SELECT key, max_attempts - attempts AS left, run_at <= now() AS is_due, locked_by
       FROM graphile_worker._private_jobs`,
    );
    assert.deepEqual(rows, [{ key: 'task 0', left: 22, is_due: true, locked_by: null }]);
  });

  it('that is stopped takes no more tasks, even while its poll of the database hangs', async () => {
    await using app = await startApi();
    await using proxy = await postgresProxy(app.databaseUrl);
    const asked = proxy.stopAt('q.is_available AND q.run_at <= now()');
    const taken: string[] = [];
    const environment = { ...app.environment, ROLE: 'worker', DATABASE_URL: proxy.url };
    const worker = await startWorkerInProcess(loadConfig(environment), {
      work: () => ({
        closeJob: async ({ jobId }) => {
          taken.push(jobId);
        },
      }),
    });
    await asked;
    const add = (jobId: string) =>
      app.core.pool.query(`SELECT graphile_worker.add_job('close-job', json_build_object('jobId', $1::text))`, [jobId]);
    await add('job_1');
    await until(() => taken.length > 0);
    const stopped = worker[Symbol.asyncDispose]();
    // A poll that was sent before may still be under way on a busy machine.
    await pause(1_000);
    await add('job_2');
    await pause(1_000);
    assert.deepEqual(taken, ['job_1']);
    proxy.isThere = false;
    await stopped;
  });

  it('keeps permanently failed tasks for doctor, even tasks that had waited for a month, but none that was replaced', async () => {
    await using app = await startApi();
    const { pool } = app.core;
    const payload = { accountId: 'acc_1' };
    await queueTasks(pool, [{ task: 'renew-credits', payload, attempts: 24 }]);
    await pool.query(
      `UPDATE graphile_worker._private_jobs
       SET created_at = now() - interval '32 days', updated_at = now() - interval '32 days'`,
    );
    const worker = await workerOn(app, { renewCredits: fault });
    await until(async () => (await failedWork(pool)).length > 0);
    await worker[Symbol.asyncDispose]();
    assert.equal(await removeFailedWork(pool), 0);
    assert.deepEqual(await failedWork(pool), [{ task: 'renew-credits', pieces: 1 }]);
    // One that was queued again under its key while it ran.
    await pool.query('UPDATE graphile_worker._private_jobs SET key = NULL');
    assert.equal(await removeFailedWork(pool), 1);
  });
});
