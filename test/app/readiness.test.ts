import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Pool } from 'pg';
import { queueState } from '#src/adapters/graphile-worker/work-queue.ts';
import { looksOf } from '#src/app/readiness.ts';
import { loadConfig } from '#src/config.ts';
import { samples } from '#test/simulator/samples.ts';
import { silentLogger, startTestApp, type TestApp } from '#test/support/app.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';
import { over } from '#test/support/job-watch.ts';

/** What a look finds in the end: answers are shared for a moment, and what a busy machine does not answer in time has failed. */
const comesTo = async (look: () => Promise<unknown>, wanted: unknown): Promise<void> => {
  let found = await look();
  for (let left = 1_000; left > 0 && !isDeepStrictEqual(found, wanted); left -= 1) {
    await pause(100);
    found = await look();
  }
  assert.deepEqual(found, wanted);
};

type ReadinessSample = {
  readonly ready: number;
  readonly queue: string;
  readonly status: string;
  readonly alerts: readonly string[];
};

/** What a process says of its queue, to those who watch it. */
const toldBy = async (app: TestApp): Promise<ReadinessSample> => {
  const ready = await app.get('/api/health/ready');
  const { checks } = (await ready.json()) as { checks: { queue: string } };
  const { status, active_alerts: alerts } = (await (await app.get('/api/status')).json()) as {
    status: string;
    active_alerts: { id: string }[];
  };
  const { queue } = checks;
  return { ready: ready.status, queue, status, alerts: alerts.map(({ id }) => id) };
};

describe('the readiness of the queue', () => {
  it('requires its tables and a running worker', async () => {
    await using app = await startTestApp();
    const { pool, queries } = app.core;
    const queue = async () => (await queries.readiness()).queue;
    await comesTo(queue, 'ok');
    await pool.query(`UPDATE worker_pools SET beat_at = now() - interval '1 minute'`);
    assert.equal(await queueState(pool, { deadAfterS: 25 }), 'no_worker');
    await pool.query('UPDATE worker_pools SET beat_at = now()');
    await pool.query('ALTER SCHEMA graphile_worker RENAME TO away');
    await comesTo(queue, 'failed');
    await pool.query('ALTER SCHEMA away RENAME TO graphile_worker');
    await comesTo(queue, 'ok');
  });

  it('is `no_worker` on an API process alone, which is ready all the same, until a worker starts', async () => {
    await using api = await startTestApp({ environment: { ROLE: 'api' } });
    const { key } = await api.createAccount();
    const made = await api.post('/v1/jobs', { ids: [samples.prose] }, { key });
    const { job_id: jobId } = (await made.json()) as { job_id: string };
    const alone = { ready: 200, queue: 'no_worker', status: 'degraded', alerts: ['no_worker'] };
    await comesTo(() => toldBy(api), alone);

    await using _ = await startWorkerInProcess(loadConfig({ ...api.environment, ROLE: 'worker' }));
    await over(api, key, jobId);
    const together = { ready: 200, queue: 'ok', status: 'operational', alerts: [] };
    await comesTo(() => toldBy(api), together);
  });
});

describe('the readiness of the event store', () => {
  it('is one query for all read models, and fails if one of them has stopped', async () => {
    await using app = await startTestApp({ environment: { ROLE: 'api' } });
    const { pool, log, subscriptions } = app.core;
    const asked: string[] = [];
    const counting: Pool = Object.assign(Object.create(pool), {
      query: (text: string, values: unknown[]) => {
        asked.push(text);
        return pool.query(text, values);
      },
    });
    const parts = { pool: counting, log, subscriptions, redis: null, logger: silentLogger };
    const { readiness } = looksOf({ database: { idleTransactionAlarmMs: 60_000 }, eventStoreUrl: null }, parts);
    await readiness();
    assert.equal(asked.length, 4, asked.join('\n'));

    // A subscription that no process here folds concerns nobody who reads.
    for (const [name, eventStore] of [
      ['somebody_elses', 'ok'],
      ['usage', 'failed'],
    ] as const) {
      await pool.query(
        `INSERT INTO es_subscription (name, failure) VALUES ($1, 'poison')
         ON CONFLICT (name) DO UPDATE SET failure = 'poison'`,
        [name],
      );
      await comesTo(async () => (await readiness()).eventStore, eventStore);
    }
  });
});
