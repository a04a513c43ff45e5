import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { postgresServiceRecords } from '#src/adapters/postgres/service-records-postgres.ts';
import { measuredOf } from '#src/status/objective-measurements.ts';
import type { ExtractionReport } from '#src/status/service-records.ts';
import { testDatabase } from '#test/support/database.ts';

const noneYet: ExtractionReport & { failingSince: string | null } = {
  failingSince: null,
  ...{ consecutiveFailures: 0, lastExtractedAt: null, lastFailureAt: null, lastProbe: null },
};
const minute = (at: string, total: number, failed: number, cached: Record<number, number>) => ({
  ...{ startedAt: new Date(at), total, failed },
  durations: {
    cached: new Map(Object.entries(cached).map(([bound, count]) => [Number(bound), count])),
    uncached: new Map(),
    liveness: new Map(),
  },
});

describe('the records of processes', () => {
  it('add up over all processes within each window, and count nothing twice', async () => {
    await using database = await testDatabase();
    const pool = postgresPool({ url: database.url, applicationName: 'test' });
    try {
      let now = new Date('2026-11-21T12:30:00.000Z');
      const clock = () => now;
      const [one, other] = [postgresServiceRecords({ pool, clock }), postgresServiceRecords({ pool, clock })];
      const first = {
        minutes: [minute('2026-11-21T12:00:00.000Z', 100, 1, { 5: 94, 500: 4, 800: 2 })],
        hours: [{ startedAt: new Date('2026-11-21T12:00:00.000Z'), total: 100, failed: 1 }],
      };
      const older = { minutes: [minute('2026-11-21T12:00:00.000Z', 10, 1, { 5: 10 })], hours: [] };
      for (const counts of [first, first, older]) await one.recordResponses(counts);
      await other.recordResponses({
        minutes: [minute('2026-11-21T12:10:00.000Z', 100, 0, { 5: 97, 500: 3 })],
        hours: [{ startedAt: new Date('2026-10-25T12:00:00.000Z'), total: 100, failed: 0 }],
      });
      const figures = async () => {
        const { availability, errorRate, p95 } = measuredOf(await other.read(), noneYet);
        return [availability, errorRate, p95.cached, p95.uncached];
      };
      assert.deepEqual(await figures(), [99.5, 0.5, 5, null]);
      now = new Date('2026-11-21T13:05:00.000Z');
      assert.deepEqual(await figures(), [99.5, 0, 5, null], 'a minute left the last hour');
      now = new Date('2026-12-21T11:00:00.000Z');
      assert.deepEqual(await figures(), [99, null, null, null], 'an hour left the last 30 days');

      now = new Date('2027-03-21T12:00:00.000Z');
      await one.recordResponses({ minutes: [], hours: [] });
      const { rows } = await pool.query(
        'SELECT (SELECT count(*) FROM response_minute) + (SELECT count(*) FROM response_hour) AS n',
      );
      assert.deepEqual(rows, [{ n: '0' }]);
    } finally {
      await pool.end();
    }
  });

  it('report consecutive failures until any process succeeds, and the latest probe', async () => {
    await using database = await testDatabase();
    const pool = postgresPool({ url: database.url, applicationName: 'test' });
    try {
      const clock = () => new Date('2026-11-21T12:30:00.000Z');
      const [api, worker] = [postgresServiceRecords({ pool, clock }), postgresServiceRecords({ pool, clock })];
      const failing: ExtractionReport = {
        consecutiveFailures: 3,
        lastExtractedAt: '2026-11-21T12:00:00.000Z',
        lastFailureAt: '2026-11-21T12:10:00.000Z',
        lastProbe: { ok: true, latencyMs: 41.7, checkedAt: '2026-11-21T12:11:00.000Z' },
      };
      await worker.recordExtraction(failing);
      const seenBy = async (own: typeof noneYet) => {
        const measured = measuredOf(await api.read(), own);
        return [measured.consecutiveFailures, measured.probeMs, measured.failingSince];
      };
      assert.deepEqual(await seenBy(noneYet), [3, 42, failing.lastFailureAt]);
      assert.deepEqual(await seenBy({ ...noneYet, lastExtractedAt: '2026-11-21T12:11:00.000Z' }), [0, 42, null]);
      const refused = { ok: false, latencyMs: 2_000, checkedAt: '2026-11-21T12:20:00.000Z' };
      assert.deepEqual(await seenBy({ ...noneYet, lastProbe: refused }), [...[3, null, failing.lastFailureAt]]);
      const failingSince = '2026-11-21T12:05:00.000Z';
      const own = { ...noneYet, consecutiveFailures: 4, failingSince, lastFailureAt: failingSince };
      assert.deepEqual(await seenBy(own), [4, 42, failingSince]);
    } finally {
      await pool.end();
    }
  });
});
