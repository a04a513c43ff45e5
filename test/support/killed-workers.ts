import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { booksOf, videos } from '#test/support/job-books.ts';
import { createJob } from '#test/support/job-faults.ts';
import { over } from '#test/support/job-watch.ts';
import { startApi, until } from '#test/support/queue.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { seeded } from '#test/support/seeded.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/support/start-worker-process.ts';

/** Kills one worker after the other while they work on jobs, and asserts that nothing is lost or done twice. */
export const killWorkers = async (kills: number, seed: number): Promise<void> => {
  await using app = await startApi();
  await using receiver = await startReceiver();
  const itemsPerJob = 2;
  const ids = videos(kills * itemsPerJob);
  const { accountId, key } = await app.createAccount({ plan: 'pro', credits: ids.length });
  // Reading takes a while, so that kills meet it half done.
  app.simulator.plan({ endpoint: 'reel', times: 'always', does: { kind: 'delay', ms: 50 } });
  const random = seeded(seed);
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
  for (let n = 0; n < kills; n += 1) {
    const working = await next.shift();
    if (n + next.length + 1 < kills) next.push(start());
    // A kill waits for requests of items, not for a time, so that work goes on between two kills on a slow machine too.
    let requests = Math.ceil(random() * itemsPerJob);
    const point = app.simulator.nextRequest(({ endpoint }) => {
      if (endpoint === 'reel') requests -= 1;
      return requests === 0;
    });
    const body = { ids: ids.slice(n * itemsPerJob, (n + 1) * itemsPerJob), webhook_url: receiver.url };
    jobs.push(await createJob(app, key, body));
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
  await until(() => told() >= kills);
  assert.equal(told(), kills);
};
