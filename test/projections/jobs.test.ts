import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import postgres from 'postgres';
import { feedOf, type JobOrder, jobsOf } from '#projections/job-rows.ts';
import { jobs } from '#projections/jobs.ts';
import { type DeliveryOrder, deliveriesOf, webhookDeliveries } from '#projections/webhook-deliveries.ts';
import { rowForm } from '#src/adapters/postgres/read-connections.ts';
import type { FoldedEvent } from '#src/eventlog/event-rows.ts';
import { ensureProjections } from '#src/eventlog/projections/projection.ts';
import { rebuild } from '#src/eventlog/projections/rebuild.ts';
import type { ItemEvent } from '#src/jobs/item-group.ts';
import type { JobEvent } from '#src/jobs/job.ts';
import type { DeliveryEvent } from '#src/webhooks/delivery.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { startTestApp } from '#test/support/app.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';
import { over } from '#test/support/job-watch.ts';
import { rowByRow } from '#test/support/list-pages.ts';
import { startReceiver } from '#test/support/receiver.ts';

const ids = (kind: 'vid' | 'prv', count: number) =>
  Array.from({ length: count }, (_, index) => generatedId(kind, index));

describe('the read models of jobs and deliveries', () => {
  it('follow the order of the log, and have the same rows when they are folded from the start in other batches', async () => {
    await using receiver = await startReceiver((index) => ({ status: index === 0 ? 500 : 200 }));
    await using app = await startTestApp({
      environment: { OUTBOUND_ALLOW: '127.0.0.0/8', WEBHOOK_SCHEDULE: '0s,10ms' },
    });
    const { accountId, key } = await app.createAccount();
    const create = async (body: unknown): Promise<string> =>
      ((await (await app.post('/v1/jobs', body, { key })).json()) as { job_id: string }).job_id;
    const mixed = await create({ ids: [...ids('vid', 60), ...ids('prv', 3)], webhook_url: receiver.url });
    await over(app, key, mixed);
    await app.post(`/v1/jobs/${mixed}/retry`, {}, { key });
    await over(app, key, mixed);
    const cancelled = await create({ ids: ids('vid', 200) });
    await app.post(`/v1/jobs/${cancelled}/cancel`, {}, { key });
    await receiver.count(3);

    const { pool, log, sql } = app.core;
    const newestFirst = await jobsOf(sql, accountId, { limit: 10, before: null });
    assert.deepEqual(
      newestFirst.rows.map(({ jobId }) => jobId),
      [cancelled, mixed],
    );
    const feed = await feedOf(sql, mixed, { after: '0', limit: 1_000 });
    const positions = feed.map(({ position }) => Number(position));
    assert.deepEqual(
      positions,
      positions.toSorted((a, b) => a - b),
    );
    for (const projection of [jobs, webhookDeliveries]) {
      for (const batchSize of [1, 7, 10_000]) {
        const rebuilt = await rebuild({ pool, log, projection, switching: 'never', batchSize });
        assert.equal(rebuilt.differences, 0, JSON.stringify(rebuilt.proof));
        assert.ok(rebuilt.proof.every(({ rows }) => rows > 0 || projection === webhookDeliveries));
      }
    }
  });

  it('show the same job however its events are divided into batches', async () => {
    await using opened = await logOnPostgres();
    const { pool } = opened;
    await ensureProjections(pool, [jobs]);
    const told = toldOf('job_1', [
      { type: 'JobCreated', at: '10:00:00.000' },
      { type: 'JobStarted', at: '10:00:01.000' },
      { type: 'JobRetried', run: 2, at: '10:00:05.000' },
      { type: 'JobRetried', run: 3, at: '10:00:04.000' },
    ]);
    const rowAfter = async (...batches: readonly (readonly FoldedEvent<JobEvent>[])[]) => {
      await pool.query('TRUNCATE jobs_v1, job_items_v1, job_feed_v1');
      for (const batch of batches) await jobs.fold(pool, batch, {});
      const { rows } = await pool.query('SELECT job::text FROM jobs job');
      return rows;
    };

    const oneByOne = await rowAfter(...told.map((event) => [event]));

    assert.deepEqual(await rowAfter(told), oneByOne);
    assert.deepEqual(await rowAfter(told.slice(0, 2), told.slice(2)), oneByOne);
    assert.deepEqual(await rowAfter(told.slice(0, 3), told.slice(3)), oneByOne);
  });

  it('record for each retry whether the job continued', async () => {
    await using opened = await logOnPostgres();
    const { pool, url } = opened;
    await ensureProjections(pool, [jobs]);
    const at = '10:00:00.000';
    const told = toldOf('job_1', [
      { type: 'JobCreated', at },
      { type: 'JobStarted', at },
      { type: 'JobRetried', run: 2, at },
      { type: 'JobRetried', run: 3, at },
      { type: 'JobCompleted', at },
      { type: 'JobRetried', run: 4, at },
      { type: 'JobRetried', run: 5, at },
    ]);
    await jobs.fold(pool, told, {});

    const sql = postgres(url, rowForm);
    const feed = await feedOf(sql, 'job_1', { after: '2', limit: 100 });
    await sql.end();

    assert.deepEqual(
      feed.map(({ goesOn }) => goesOn),
      [true, true, false, false, false],
    );
  });
});

describe('a list that is sorted', () => {
  const at = '2026-11-02T10:00:00.000Z';

  it('of jobs has every page in the order of a column, and each job once', async () => {
    await using opened = await logOnPostgres();
    const { pool, url } = opened;
    await ensureProjections(pool, [jobs]);
    const told = [
      { jobId: 'a', reference: '@quay', totalItems: 2, credits: 0 },
      { jobId: 'b', reference: null, totalItems: 30, credits: 7 },
      { jobId: 'c', reference: '@market', totalItems: 2, credits: 7 },
      { jobId: 'd', reference: '@quay', totalItems: 9, credits: 100 },
    ].flatMap(({ credits, ...job }) => [
      { type: 'JobCreated', data: { ...created, ...job, at } },
      { type: 'ItemsQueued', data: { jobId: job.jobId, language: null, at, items: [{ ...item, itemId: job.jobId }] } },
      {
        type: 'ItemCompleted',
        data: { jobId: job.jobId, itemId: job.jobId, creditsCharged: credits, chargeId: null, at },
      },
    ]);
    await jobs.fold(pool, inOrder<JobEvent | ItemEvent>(told), {});

    const sql = postgres(url, { ...rowForm, max: 1 });
    const listed = async (by: JobOrder['by'], isDescending: boolean): Promise<string> => {
      const rows = await rowByRow((page) => jobsOf(sql, 'acc_1', { ...page, order: { by, isDescending } }));
      return rows.map(({ jobId }) => jobId).join('');
    };
    const seen = {
      created: [await listed('created', true), await listed('created', false)],
      reference: [await listed('reference', true), await listed('reference', false)],
      items: [await listed('items', true), await listed('items', false)],
      credits: [await listed('credits', true), await listed('credits', false)],
    } satisfies Record<JobOrder['by'], readonly string[]>;
    await sql.end();
    assert.deepEqual(seen, {
      created: ['dcba', 'abcd'],
      reference: ['dacb', 'bcad'],
      items: ['bdca', 'acdb'],
      credits: ['dcba', 'abcd'],
    });
  });

  it('of deliveries has every page in the order of a column, and each delivery once', async () => {
    await using opened = await logOnPostgres();
    const { pool, url } = opened;
    await ensureProjections(pool, [webhookDeliveries]);
    const delivery = { accountId: 'acc_1', webhookId: 'whk_1', url: 'https://example.org', eventId: 'e', jobId: null };
    const failure = { webhookId: 'whk_1', why: 'timeout', httpStatus: null, durationMs: 9, retryAt: null, at };
    const told = [
      { deliveryId: 'a', kind: 'job.failed', attempts: 1 },
      { deliveryId: 'b', kind: 'job.completed', attempts: 12 },
      { deliveryId: 'c', kind: 'job.failed', attempts: 0 },
      { deliveryId: 'd', kind: 'job.completed', attempts: 2 },
    ].flatMap(({ attempts, ...one }) => [
      { type: 'DeliveryRequested', data: { ...delivery, ...one, run: 1, replayOf: null, at } },
      ...Array.from({ length: attempts }, (_, index) => ({
        type: 'DeliveryAttemptFailed',
        data: { ...failure, deliveryId: one.deliveryId, attempt: index + 1 },
      })),
    ]);
    await webhookDeliveries.fold(pool, inOrder<DeliveryEvent>(told), {});

    const sql = postgres(url, { ...rowForm, max: 1 });
    const listed = async (by: DeliveryOrder['by'], isDescending: boolean): Promise<string> => {
      const order = { by, isDescending };
      const rows = await rowByRow((page) => deliveriesOf(sql, 'acc_1', { webhookId: 'whk_1' }, { ...page, order }));
      return rows.map(({ deliveryId }) => deliveryId).join('');
    };
    const seen = {
      requested: [await listed('requested', true), await listed('requested', false)],
      kind: [await listed('kind', true), await listed('kind', false)],
      attempts: [await listed('attempts', true), await listed('attempts', false)],
    } satisfies Record<DeliveryOrder['by'], readonly string[]>;
    await sql.end();
    assert.deepEqual(seen, { requested: ['dcba', 'abcd'], kind: ['cadb', 'bdac'], attempts: ['bdac', 'cadb'] });
  });
});

type Step =
  | { readonly type: 'JobCreated' | 'JobStarted' | 'JobCompleted'; readonly at: string }
  | { readonly type: 'JobRetried'; readonly run: number; readonly at: string };

/** Events with positions in this order. */
const inOrder = <OneEvent extends JobEvent | ItemEvent | DeliveryEvent>(
  events: readonly { readonly type: string; readonly data: object }[],
) =>
  events.map((event, index) => ({
    ...event,
    position: BigInt(index + 1),
  })) as unknown as readonly FoldedEvent<OneEvent>[];

const item = { videoId: 'lighthouse1', reference: 'lighthouse1' };

/** Steps of one job at times of one day, in the order of the log. */
const toldOf = (jobId: string, steps: readonly Step[]): readonly FoldedEvent<JobEvent>[] =>
  steps.map(({ type, at, ...rest }, index) => ({
    type,
    position: BigInt(index + 1),
    data: { ...created, ...rest, jobId, at: `2026-11-02T${at}Z` },
  })) as unknown as readonly FoldedEvent<JobEvent>[];

const created = {
  accountId: 'acc_1',
  kind: 'transcripts',
  reference: null,
  listing: null,
  totalItems: 1,
  webhookUrl: null,
};
