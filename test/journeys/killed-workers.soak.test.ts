import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { usualPace } from '#src/adapters/graphile-worker/pools.ts';
import { loadConfig } from '#src/config.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';
import { booksOf, videos } from '#test/support/job-books.ts';
import { over } from '#test/support/job-watch.ts';
import { killWorkers } from '#test/support/killed-workers.ts';
import { startApi } from '#test/support/queue.ts';
import { freshSeed } from '#test/support/seeded.ts';
import { startWorkerProcess } from '#test/support/start-worker-process.ts';

describe('a worker that is killed', { concurrency: true }, () => {
  it('at forty-nine random points loses nothing: every item is read, is charged once, and one webhook is sent', () =>
    killWorkers(49, freshSeed()));

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
