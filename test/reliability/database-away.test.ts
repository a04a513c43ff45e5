import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';
import { queueTasks, startApi, workerOn } from '#test/support/queue.ts';

describe('a worker whose database became unavailable', () => {
  it('ends at SIGTERM: results that it cannot store cause no unhandled rejection', async () => {
    await using app = await startApi();
    await using proxy = await postgresProxy(app.databaseUrl);
    const { key } = await app.createAccount({ credits: 30 });
    const working = Promise.withResolvers<void>();
    const isAway = Promise.withResolvers<void>();
    const environment = { ...app.environment, DATABASE_URL: proxy.url };
    const worker = await workerOn(
      { environment },
      {
        extractItem: async ({ itemId }) => {
          working.resolve();
          await isAway.promise;
          if (itemId.endsWith('5')) throw new Error('it fails');
        },
      },
    );
    const ids = Array.from({ length: 12 }, (_, index) => generatedId('vid', index + 1));
    assert.equal((await app.post('/v1/jobs', { ids }, { key })).status, 202);
    await working.promise;
    proxy.isThere = false;
    isAway.resolve();
    await worker[Symbol.asyncDispose]();
  });

  it('ends by itself if that happens during its start', async () => {
    await using app = await startApi();
    await using proxy = await postgresProxy(app.databaseUrl);
    await queueTasks(app.core.pool, [{ task: 'close-job', payload: { jobId: 'job_1' } }]);
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const environment = { ...app.environment, DATABASE_URL: proxy.url };
    const beats = proxy.stopAt('INSERT INTO worker_pools');
    const beginning = workerOn({ environment }, { closeJob: () => isOver });
    await beats;
    // What says that the piece is done, and asks for the next, is on its way.
    proxy.delayMs = 2_000;
    end();
    const sent = proxy.sent;
    while (proxy.sent < sent + 2) await pause(10);
    proxy.isThere = false;
    await assert.rejects(beginning);
  });
});
