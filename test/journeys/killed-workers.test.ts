import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { usualPace } from '#src/adapters/work-queue/pools.ts';
import { loadConfig } from '#src/config.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';
import { over } from '#test/support/job-watch.ts';
import { startApi } from '#test/support/queue.ts';
import { booksOf, jobUnderRestarts, videos } from '#test/support/restarts.ts';
import { seeded } from '#test/support/seeded.ts';
import { startWorkerProcess } from '#test/support/start-worker-process.ts';

describe('a worker that is killed', { concurrency: true }, () => {
  it('at fifty random points loses nothing: every item is read, is charged once, and one webhook is sent', async () => {
    await using app = await startApi();
    const random = seeded(1);
    // Some work takes a while, so that kills meet it half done.
    const { job, books, restarts, told } = await jobUnderRestarts(app, {
      ...{ items: 200, readMs: 150, workers: 1, restarts: 50 },
      waitMs: () => Math.floor(random() * 250),
      signal: () => 'SIGKILL',
    });
    assert.deepEqual([job.status, job.completed_items], ['completed', 200]);
    assert.deepEqual(books, { settled: 200, items: 200, remaining: 0, reserved: 0 });
    assert.equal(restarts, 50);
    assert.equal(told.ids, 1);
  });

  it('is detected as dead and its tasks are unlocked within a minute, even if they have crashed often', async () => {
    const { beatMs, deadAfterS } = usualPace;
    assert.ok(deadAfterS * 1_000 + 2 * beatMs < 60_000);
    assert.ok(deadAfterS * 1_000 > 4 * beatMs);

    await using app = await startApi();
    const { accountId, key } = await app.createAccount({ credits: 10 });
    await using first = await startWorkerProcess(app.environment, ['usual']);
    app.simulator.plan({ endpoint: 'reel', times: 'always', does: { kind: 'silence' } });
    const asked = app.simulator.nextRequest(({ endpoint }) => endpoint === 'reel');
    const made = await app.post('/v1/jobs', { ids: videos(2) }, { key });
    const { job_id: jobId } = (await made.json()) as { job_id: string };
    await asked;
    await first.end('SIGKILL');
    const killedAt = performance.now();
    app.simulator.reset();
    await app.core.pool.query('UPDATE graphile_worker._private_jobs SET attempts = max_attempts');
    const config = loadConfig({ ...app.environment, ROLE: 'worker' });
    await using survivor = await startWorkerInProcess(config, { isUsualPace: true });
    assert.ok(survivor);
    const job = await over(app, key, jobId);
    const tookS = (performance.now() - killedAt) / 1_000;
    assert.deepEqual([job.status, job.completed_items], ['completed', 2]);
    assert.ok(tookS > 10 && tookS < 60, `the items were done ${tookS} s after the kill`);
    assert.equal((await booksOf(app, accountId, jobId)).remaining, 8);
  });
});
