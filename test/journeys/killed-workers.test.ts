import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { usualPace } from '#src/adapters/work-queue/pools.ts';
import { loadConfig } from '#src/config.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';
import { booksOf, videos } from '#test/support/job-books.ts';
import { over } from '#test/support/job-watch.ts';
import { startApi, until } from '#test/support/queue.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { seeded } from '#test/support/seeded.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/support/start-worker-process.ts';

describe('a worker that is killed', { concurrency: true }, () => {
  it('at fifty random points loses nothing: every item is read, is charged once, and one webhook is sent', async () => {
    await using app = await startApi();
    await using receiver = await startReceiver();
    const [restarts, itemsPerJob] = [50, 2];
    const ids = videos(restarts * itemsPerJob);
    const { accountId, key } = await app.createAccount({ plan: 'pro', credits: ids.length });
    // Reading takes a while, so that kills meet it half done.
    app.simulator.plan({ endpoint: 'reel', times: 'always', does: { kind: 'delay', ms: 50 } });
    const random = seeded(1);
    const jobs: string[] = [];
    await using running = new AsyncDisposableStack();
    // A worker that gets no connection within two seconds ends, and is started again.
    const start = async (tries = 5): Promise<WorkerProcess> => {
      const started = startWorkerProcess(app.environment, ['brief']);
      const again = (error: unknown) => (tries > 1 ? start(tries - 1) : Promise.reject(error));
      return await started.then((worker) => running.use(worker), again);
    };
    // The next ones start while one works, because a process takes a while to start.
    const next = [start(), start()];
    for (let n = 0; n < restarts; n += 1) {
      const working = await next.shift();
      if (n + next.length + 1 < restarts) next.push(start());
      // A kill waits for requests of items, not for a time, so that work goes on between two kills on a slow machine too.
      let requests = Math.ceil(random() * itemsPerJob);
      const point = app.simulator.nextRequest(({ endpoint }) => {
        if (endpoint === 'reel') requests -= 1;
        return requests === 0;
      });
      const body = {
        ids: ids.slice(n * itemsPerJob, (n + 1) * itemsPerJob),
        webhook_url: receiver.url,
      };
      const made = await app.post('/v1/jobs', body, { key });
      jobs.push(((await made.json()) as { job_id: string }).job_id);
      await point;
      await pause(random() * 100);
      assert.equal(await working?.end('SIGKILL'), null);
    }
    await using last = await startWorkerProcess(app.environment);
    assert.ok(last);
    for (const id of jobs) {
      const { status, completed_items: completed } = await over(app, key, id);
      assert.deepEqual([status, completed], ['completed', itemsPerJob]);
    }
    const count = ids.length;
    const books = await booksOf(app, accountId, ...jobs);
    assert.deepEqual(books, { settled: count, items: count, remaining: 0, reserved: 0 });
    const told = () => new Set(receiver.received.map(({ json }) => json.id)).size;
    await until(() => told() >= restarts);
    assert.equal(told(), restarts);
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
