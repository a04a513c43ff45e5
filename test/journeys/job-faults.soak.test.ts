import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { orphanedWork, removeFailedWork } from '#src/adapters/graphile-worker/work-queue.ts';
import { systemCall } from '#src/app/open-core.ts';
import { loadConfig } from '#src/config.ts';
import { cancelJob } from '#src/jobs/cancel-job.ts';
import { extractItem } from '#src/jobs/extract-item.ts';
import { itemsPerGroup } from '#src/jobs/job.ts';
import { jobStreams } from '#src/jobs/job-streams.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { semaphore } from '#src/kernel/semaphore.ts';
import { lists } from '#test/simulator/collections.ts';
import type { TestApp } from '#test/support/app.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';
import { booksOf, videos } from '#test/support/job-books.ts';
import { createJob, retryHalf, workCheck } from '#test/support/job-faults.ts';
import { jobOf, over } from '#test/support/job-watch.ts';
import { logWithout } from '#test/support/jobs.ts';
import { startApi, workerOn } from '#test/support/queue.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { jsonIn, type UsageJson } from '#test/support/response-json.ts';
import { startWorkerProcess } from '#test/support/start-worker-process.ts';

/** What failed before is due now, and has been tried so often that two tries are left. */
const makeTasksDue = (app: TestApp, tasks: readonly string[], tries: number) =>
  app.core.pool.query(
    `UPDATE graphile_worker._private_jobs AS q
     SET attempts = greatest(q.attempts, $2 - 2), run_at = now()
     FROM graphile_worker._private_tasks AS t
     WHERE t.id = q.task_id AND t.identifier = ANY ($1) AND q.locked_at IS NULL AND q.attempts > 0`,
    [tasks, tries],
  );

describe('a task that runs again after a failed attempt', () => {
  it('does not start the next attempt early: an item, and a delivery', async () => {
    await using app = await startApi({ WEBHOOK_SCHEDULE: '0s,3s,10s' });
    await using receiver = await startReceiver((index) => ({ status: index === 0 ? 500 : 204 }));
    const { key } = await app.createAccount({ credits: 10 });
    const met = new Set<string>();
    /** As a worker that is killed between what came of an attempt and the word to the queue that it is done. */
    const dies = (what: string): void => {
      if (met.has(what)) return;
      met.add(what);
      throw new Error('the word that it is done is lost');
    };
    let reads = 0;
    await using worker = await startWorkerInProcess(loadConfig({ ...app.environment, ROLE: 'worker' }), {
      work: ({ log, clock, ledger, work }) => {
        const extract = extractItem({
          ...jobStreams({ log, clock }),
          ...{
            ledger,
            reading: semaphore({ total: 4 }),
            abandoned: { record: async () => {} },
            random: () => 0.5,
            retryDelaysMs: [3_000],
          },
          onFault: () => {},
          read: async () => {
            reads += 1;
            if (reads === 1) throw new Refusal('PLATFORM_TIMEOUT', 'not yet');
            return { language: 'en' };
          },
        });
        return {
          extractItem: async (item, stop) => {
            await extract(item, stop);
            dies('item');
          },
          deliverWebhook: async (delivery, stop) => {
            await work.deliverWebhook(delivery, stop);
            dies('delivery');
          },
        };
      },
    });
    assert.ok(worker);
    const jobId = await createJob(app, key, { ids: videos(1), webhook_url: receiver.url });
    const waits = async () =>
      (
        await app.core.pool.query<{ type: string; is_over: boolean }>(
          `SELECT failed.type, next.recorded_at - failed.recorded_at
             >= (failed.data ->> 'retryAt')::timestamptz - (failed.data ->> 'at')::timestamptz AS is_over
           FROM es_event AS failed
           JOIN es_event AS next ON next.stream = failed.stream AND next.version = failed.version + 1
           WHERE failed.type IN ('ItemPostponed', 'DeliveryAttemptFailed')
           ORDER BY failed.position`,
        )
      ).rows;
    for (let looks = 0; looks < 400 && (await waits()).length < 2; looks += 1) {
      await makeTasksDue(app, ['extract-items', 'deliver-webhook'], 10);
      await pause(50);
    }
    assert.deepEqual(await waits(), [
      { type: 'ItemPostponed', is_over: true },
      { type: 'DeliveryAttemptFailed', is_over: true },
    ]);
    assert.deepEqual([...met], ['item', 'delivery']);
    const job = await jobOf(app, key, jobId);
    assert.deepEqual([job.status, job.items[0]?.attempts], ['completed', 2]);
  });
});

describe('a suspended worker', () => {
  it('cannot charge an item that another worker has completed meanwhile', async () => {
    await using app = await startApi();
    const { accountId, key } = await app.createAccount({ credits: 100 });
    app.simulator.plan({ endpoint: 'reel', times: 4, does: { kind: 'delay', ms: 400 } });
    await using first = await startWorkerProcess(app.environment);
    const asked = app.simulator.nextRequest(({ endpoint }) => endpoint === 'reel');
    const jobId = await createJob(app, key, { ids: videos(4) });
    await asked;
    first.child.kill('SIGSTOP');
    const second = await workerOn(app, {});
    const job = await over(app, key, jobId);
    assert.deepEqual([job.status, job.completed_items], ['completed', 4]);
    first.child.kill('SIGCONT');
    await pause(1_000);
    await second[Symbol.asyncDispose]();
    const { settled, items, remaining } = await booksOf(app, accountId, jobId);
    assert.deepEqual({ settled, items, remaining }, { settled: 4, items: 4, remaining: 96 });
    assert.deepEqual((await jobOf(app, key, jobId)).completed_items, 4);
  });
});

describe('a worker that gets SIGTERM', () => {
  it('completes what it has begun and leaves nothing locked; two others complete the job, each item read once', async () => {
    await using app = await startApi();
    const count = 90;
    const { accountId, key } = await app.createAccount({ credits: 100 });
    app.simulator.plan({ endpoint: 'reel', times: 60, does: { kind: 'delay', ms: 100 } });
    const jobId = await createJob(app, key, { ids: videos(count) });
    // Nobody dies here: a second without a word, on a busy machine, is no death.
    const start = () => startWorkerProcess(app.environment, ['usual']);
    for (let stops = 0; stops < 2; stops += 1) {
      await using worker = await start();
      await pause(300 + 150 * stops);
      const startedAt = performance.now();
      assert.equal(await worker.end('SIGTERM'), 0);
      // Every process ends by itself within 25 s: `src/app/shutdown.ts`.
      assert.ok(performance.now() - startedAt < 25_000);
      const { rows } = await app.core.pool.query(
        `SELECT count(*)::int AS locked FROM graphile_worker._private_jobs WHERE locked_by IS NOT NULL`,
      );
      assert.equal(rows[0]?.locked, 0);
    }
    assert.equal((await jobOf(app, key, jobId)).status, 'processing');
    await using first = await start();
    await using second = await start();
    assert.ok(first && second);
    const job = await over(app, key, jobId);
    assert.deepEqual([job.status, job.completed_items], ['completed', count]);
    assert.ok(job.items.every(({ attempts }) => attempts === 1));
    const { settled, items, remaining, reserved } = await booksOf(app, accountId, jobId);
    assert.deepEqual({ settled, items }, { settled: count, items: count });
    assert.deepEqual({ remaining, reserved }, { remaining: 10, reserved: 0 });
  });
});

describe('a queue that lost its tasks', () => {
  it('is filled again from the streams', async () => {
    await using app = await startApi();
    const { key } = await app.createAccount({ credits: 100 });
    await using first = await startWorkerProcess(app.environment);
    app.simulator.plan({ endpoint: 'reel', times: 100, does: { kind: 'delay', ms: 300 } });
    const jobId = await createJob(app, key, { ids: videos(30) });
    for (let looks = 0; looks < 100; looks += 1) {
      if ((await jobOf(app, key, jobId)).completed_items > 2) break;
      await pause(50);
    }
    await first.end('SIGKILL');
    await app.core.pool.query('DELETE FROM graphile_worker._private_jobs');
    app.simulator.reset();
    await using second = await workerOn(app, {});
    assert.ok(second);
    const job = await over(app, key, jobId);
    assert.deepEqual([job.status, job.completed_items], ['completed', 30]);
  });
});

describe('a task that always throws', () => {
  const fault = async (): Promise<never> => {
    throw new TypeError('it is poison');
  };

  it('holds no credits of a job that is cancelled', async () => {
    await using app = await startApi();
    const { accountId, key } = await app.createAccount({ credits: 10 });
    const jobId = await createJob(app, key, { ids: videos(2) });
    const { log, clock } = app.core;
    const isOfItems = ({ stream }: { readonly stream: string }) => stream.startsWith('items-');
    const broken = jobStreams({ log: logWithout(log, isOfItems, new TypeError('broken')), clock });
    const call = { ...systemCall(accountId), deduplicationKey: 'cancel' };
    await assert.rejects(cancelJob(broken)(call, { jobId }), /broken/);
    assert.equal((await jobOf(app, key, jobId)).status, 'cancelled');
    await using worker = await startWorkerInProcess(loadConfig({ ...app.environment, ROLE: 'worker' }), {
      work: () => ({ cancelItems: fault, extractItem: async () => {} }),
    });
    assert.ok(worker);
    const held = async () => (await app.core.ledger.balance(systemCall(accountId), { fresh: true })).reserved;
    for (let looks = 0; looks < 300 && (await held()) > 0; looks += 1) {
      await makeTasksDue(app, ['cancel-items'], 10);
      await pause(50);
    }
    const { settled, remaining, reserved } = await booksOf(app, accountId, jobId);
    assert.deepEqual({ settled, remaining, reserved }, { settled: 0, remaining: 10, reserved: 0 });
  });

  it('ends: an item and a listing as failed, a delivery as failed and ready to be sent again', async () => {
    await using app = await startApi({ LISTING_TIMEOUT: '300ms' });
    await using receiver = await startReceiver();
    const { accountId, key } = await app.createAccount({ credits: 100 });
    const made = await app.post('/v1/webhooks', { url: receiver.url }, { key });
    const { webhook } = (await made.json()) as { webhook: { id: string } };
    let isPoisoned = true;
    const tries = { items: 0, listings: 0, deliveries: 0 };
    await using worker = await startWorkerInProcess(loadConfig({ ...app.environment, ROLE: 'worker' }), {
      work: ({ work }) => ({
        extractItem: async (item, stop) => {
          if (!item.itemId.endsWith('0001')) return await work.extractItem(item, stop);
          tries.items += 1;
          await fault();
        },
        resolveListing: () => {
          tries.listings += 1;
          return fault();
        },
        deliverWebhook: async (delivery, stop) => {
          if (!isPoisoned) return await work.deliverWebhook(delivery, stop);
          tries.deliveries += 1;
          await fault();
        },
      }),
    });
    assert.ok(worker);
    const ended = async <Found>(look: () => Promise<Found | null>): Promise<Found> => {
      for (let looks = 0; looks < 300; looks += 1) {
        await makeTasksDue(app, ['extract-items', 'deliver-webhook'], 10);
        await makeTasksDue(app, ['resolve-listing'], 5);
        const found = await look();
        if (found !== null) return found;
        await pause(50);
      }
      throw new Error('it does not end');
    };
    const jobEnded = (jobId: string) =>
      ended(async () => {
        const job = await jobOf(app, key, jobId);
        return job.status === 'queued' || job.status === 'processing' ? null : job;
      });

    app.simulator.plan({ endpoint: 'browse', times: 'always', does: { kind: 'silence' } });
    const listed = await createJob(app, key, { kind: 'playlist', ids: [lists.small], limit: 40 });
    const read = await createJob(app, key, { ids: videos(3) });
    const job = await jobEnded(read);
    assert.deepEqual(
      [job.status, ...job.items.map(({ status, error_code }) => error_code ?? status)],
      ['completed_with_errors', 'complete', 'INTERNAL_ERROR', 'complete'],
    );
    const unlisted = await jobEnded(listed);
    assert.equal(unlisted.status, 'failed');
    const { settled, remaining, reserved } = await booksOf(app, accountId, read);
    assert.deepEqual({ settled, remaining, reserved }, { settled: 2, remaining: 98, reserved: 0 });

    type DeliveryJson = { id: string; job_id: string; status: string; attempts: { reason: string }[] };
    const path = `/v1/webhooks/${webhook.id}/deliveries`;
    const failed = await ended(async () => {
      const answer = await jsonIn<{ deliveries: DeliveryJson[] }>(await app.get(path, { key }));
      const over = answer.deliveries.filter(({ status }) => status === 'failed');
      return over.length === 2 ? over : null;
    });
    for (const { attempts } of failed) {
      assert.deepEqual(
        attempts.map(({ reason }) => reason),
        ['internal_error'],
      );
    }
    // The first try, and the two that were left; of the deliveries there are two.
    assert.deepEqual(tries, { items: 3, listings: 3, deliveries: 6 });
    const queued = async () =>
      (
        await app.core.pool.query(
          `SELECT count(*)::int AS pieces FROM graphile_worker.jobs
           WHERE task_identifier IN ('extract-items', 'resolve-listing', 'deliver-webhook')`,
        )
      ).rows[0]?.pieces;
    for (let looks = 0; looks < 100 && (await queued()) > 0; looks += 1) await pause(50);
    assert.equal(await queued(), 0);
    const health = await app.core.pool.query('SELECT FROM webhook_health');
    assert.equal(health.rowCount, 0, 'a fault of ours says nothing of the receiver');

    isPoisoned = false;
    const one = failed.find(({ job_id }) => job_id === read);
    assert.equal((await app.post(`${path}/${one?.id}/replay`, {}, { key })).status, 202);
    await receiver.count(1);
    assert.equal(receiver.received[0]?.json.data['job_id'], read);
  });

  it('stays failed for a day, where doctor reports it, if its end cannot be recorded', async () => {
    await using app = await startApi();
    const { key } = await app.createAccount({ credits: 10 });
    const jobId = await createJob(app, key, { ids: videos(1) });
    const config = loadConfig({ ...app.environment, ROLE: 'worker' });
    const worker = await startWorkerInProcess(config, { work: () => ({ extractItem: fault, failItem: fault }) });
    const { pool } = app.core;
    const tried = async () =>
      (
        await pool.query<{ attempts: number }>(
          `SELECT attempts FROM graphile_worker.jobs
           WHERE task_identifier = 'extract-items' AND locked_at IS NULL`,
        )
      ).rows;
    for (let looks = 0; looks < 300 && (await tried())[0]?.attempts !== 25; looks += 1) {
      await makeTasksDue(app, ['extract-items'], 25);
      await pause(50);
    }
    await worker[Symbol.asyncDispose]();
    assert.deepEqual(await tried(), [{ attempts: 25 }]);
    assert.equal(await workCheck(app), 'warning: failed permanently: 1 of extract-items');
    assert.equal((await jobOf(app, key, jobId)).status, 'queued');

    const forgotten = async () =>
      (await orphanedWork(pool, { olderThanS: 0, itemsPerGroup })).items.map((item) => item.jobId);
    assert.deepEqual(await forgotten(), []);
    assert.equal(await removeFailedWork(pool), 0);
    await pool.query(`UPDATE graphile_worker._private_jobs SET run_at = now() - interval '25 hours'`);
    assert.deepEqual(await forgotten(), [jobId]);
  });
});

describe('a retry that stopped halfway', { concurrency: true }, () => {
  it('ends its job as failed if it always throws, with its credits released and a webhook', async () => {
    await using app = await startApi();
    await using receiver = await startReceiver();
    const { accountId, key, jobId } = await retryHalf(app, receiver);
    assert.equal((await jobOf(app, key, jobId)).status, 'queued');
    let tries = 0;
    await using worker = await startWorkerInProcess(loadConfig({ ...app.environment, ROLE: 'worker' }), {
      work: () => ({
        requeueItems: async () => {
          tries += 1;
          throw new TypeError('it is poison');
        },
      }),
    });
    assert.ok(worker);
    for (let looks = 0; looks < 300 && tries < 3; looks += 1) {
      await makeTasksDue(app, ['requeue-items'], 10);
      await pause(50);
    }
    const job = await over(app, key, jobId);
    assert.deepEqual([job.status, job.failed_items], ['failed', 2]);
    // On a busy machine the queue makes a try by itself before `makeTasksDue`.
    assert.ok(tries >= 3 && tries <= 10, `${tries} tries`);
    const { settled, remaining, reserved } = await booksOf(app, accountId, jobId);
    assert.deepEqual({ settled, remaining, reserved }, { settled: 0, remaining: 10, reserved: 0 });
    await receiver.count(2);
    const told = receiver.received.map(({ json }) => `${json.type} ${json.data['run']}`);
    assert.deepEqual(told.toSorted(), ['job.failed 1', 'job.failed 2']);
  });
});

describe('a listing that nobody waited for', { concurrency: true }, () => {
  const impatient = { LISTING_TIMEOUT: '300ms' };
  const slowly = { endpoint: 'browse', times: 'always', does: { kind: 'silence' } } as const;
  /** A job of a playlist that the platform says nothing about while it is made. */
  const createUnlisted = async (app: TestApp, key: string, body: object): Promise<string> => {
    app.simulator.plan(slowly);
    const jobId = await createJob(app, key, { kind: 'playlist', limit: 40, ...body });
    const { status, total_items } = await jobOf(app, key, jobId);
    assert.deepEqual([status, total_items], ['queued', 0]);
    return jobId;
  };
  const hereOn = (app: TestApp) => startWorkerInProcess(loadConfig({ ...app.environment, ROLE: 'worker' }));

  it('is made by the worker, even when the first one is killed during it; the rest is released', async () => {
    await using app = await startApi(impatient);
    await using receiver = await startReceiver();
    const { accountId, key } = await app.createAccount({ credits: 50 });
    const body = { ids: [lists.small], webhook_url: receiver.url };
    const jobId = await createUnlisted(app, key, body);
    const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key }));
    assert.deepEqual([usage.credits_reserved, usage.credits_remaining], [40, 10]);
    const asked = app.simulator.nextRequest(({ endpoint }) => endpoint === 'browse');
    await using first = await startWorkerProcess(app.environment);
    await asked;
    await first.end('SIGKILL');
    app.simulator.reset();

    await using second = await hereOn(app);
    assert.ok(second);
    const job = await over(app, key, jobId);
    assert.deepEqual([job.status, job.total_items, job.completed_items], ['completed', 5, 5]);
    const { settled, remaining, reserved } = await booksOf(app, accountId, jobId);
    assert.deepEqual({ settled, remaining, reserved }, { settled: 5, remaining: 45, reserved: 0 });
    await receiver.count(1);
    assert.equal(receiver.received[0]?.json.data['total_items'], 5);
  });

  it('fails its job when there is nothing to list, and releases the reserved credits', async () => {
    await using app = await startApi(impatient);
    await using receiver = await startReceiver();
    const { accountId, key } = await app.createAccount({ credits: 50 });
    const ids = ['PLnowhere0000000000000000000000000'];
    const jobId = await createUnlisted(app, key, { ids, webhook_url: receiver.url });
    app.simulator.reset();
    await using worker = await hereOn(app);
    assert.ok(worker);
    const job = await over(app, key, jobId);
    assert.deepEqual([job.status, job.total_items], ['failed', 0]);
    const { settled, remaining, reserved } = await booksOf(app, accountId, jobId);
    assert.deepEqual({ settled, remaining, reserved }, { settled: 0, remaining: 50, reserved: 0 });
    await receiver.count(1);
    assert.equal(receiver.received[0]?.json.type, 'job.failed');
  });
});
