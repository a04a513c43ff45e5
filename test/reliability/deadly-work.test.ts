import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { crashesUntilDeadLetter } from '#src/edges/worker/task.ts';
import { makeTasksDue, queueTasks, startApi, until, workerOn } from '#test/support/queue.ts';

describe('a task that ends its process', { concurrency: true }, () => {
  it('runs alone after two crashes, each item of a job separately', async () => {
    await using app = await startApi();
    const many = { jobId: 'job_1', itemIds: ['itm_0000', 'itm_0001', 'itm_0002'] };
    await queueTasks(app.core.pool, [
      { task: 'extract-items', payload: { ...many, deaths: 1 }, isHeld: true },
      { task: 'resolve-listing', payload: { jobId: 'job_2', deaths: 2 } },
      { task: 'deliver-webhook', payload: { deliveryId: 'dlv_1', deaths: 2 } },
      { task: 'deliver-webhook', payload: { deliveryId: 'dlv_2', deaths: 1 }, isHeld: true },
    ]);
    const done: string[] = [];
    let underWay = 0;
    let most = 0;
    const work = async (what: string): Promise<void> => {
      underWay += 1;
      most = Math.max(most, underWay);
      await pause(100);
      underWay -= 1;
      done.push(what);
    };
    await using _ = await workerOn(app, {
      extractItem: ({ itemId }) => work(itemId),
      resolveListing: ({ jobId }) => work(jobId),
      deliverWebhook: ({ deliveryId }) => work(deliveryId),
    });
    await until(() => done.length >= 6);
    const all = ['dlv_1', 'dlv_2', 'itm_0000', 'itm_0001', 'itm_0002', 'job_2'];
    assert.deepEqual(done.toSorted(), all);
    assert.equal(most, 1);
  });

  it('is dead-lettered where its owner sees it; a task without an owner is run a few more times', async () => {
    await using app = await startApi();
    const { pool } = app.core;
    const deaths = crashesUntilDeadLetter - 1;
    await queueTasks(pool, [
      { task: 'extract-items', payload: { jobId: 'job_1', itemIds: ['itm_0000'], deaths }, isHeld: true },
      { task: 'resolve-listing', payload: { jobId: 'job_2', deaths }, isHeld: true },
      { task: 'deliver-webhook', payload: { deliveryId: 'dlv_1', deaths }, isHeld: true },
      { task: 'close-job', payload: { jobId: 'job_3', deaths }, isHeld: true },
    ]);
    const given: string[] = [];
    const giveUp = async (what: string, fault: unknown): Promise<void> => {
      given.push(`${what}: ${fault instanceof Error ? fault.message : fault}`);
    };
    const tried: string[] = [];
    const tryIt = async (what: string): Promise<void> => {
      tried.push(what);
    };
    await using _ = await workerOn(app, {
      extractItem: ({ itemId }) => tryIt(itemId),
      failItem: ({ itemId }, fault) => giveUp(itemId, fault),
      resolveListing: ({ jobId }) => tryIt(jobId),
      failListing: ({ jobId }, fault) => giveUp(jobId, fault),
      deliverWebhook: ({ deliveryId }) => tryIt(deliveryId),
      failDelivery: ({ deliveryId }, fault) => giveUp(deliveryId, fault),
      closeJob: ({ jobId }) => tryIt(jobId),
    });
    await until(async () => {
      await makeTasksDue(pool);
      return given.length >= 3 && tried.length > 0;
    });
    const why = `${crashesUntilDeadLetter} processes ended while they ran this task`;
    assert.deepEqual(given.toSorted(), [`dlv_1: ${why}`, `itm_0000: ${why}`, `job_2: ${why}`]);
    assert.deepEqual(tried, ['job_3']);
  });
});
