import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { responseMetrics } from '#src/edges/http/meta/response-metrics.ts';
import type { HourOfResponses, MinuteOfResponses } from '#src/status/service-records.ts';

describe('the counts of responses', () => {
  it('have one record for each minute and hour, also when the clock is set back', async () => {
    let now = new Date('2026-11-21T12:59:30.000Z');
    const stored: { minutes: readonly MinuteOfResponses[]; hours: readonly HourOfResponses[] }[] = [];
    const metrics = responseMetrics({
      clock: () => now,
      serviceRecords: {
        recordResponses: async (counts) => {
          stored.push(counts);
        },
      },
    });
    const times = ['12:59:59.900', '13:00:00.100', '12:59:59.950', '13:00:00.200'];
    for (const time of times) {
      now = new Date(`2026-11-21T${time}Z`);
      metrics.record({
        ...{ requestId: 'req_1', ownId: 'req_1', method: 'GET', route: '/api/health', status: 200 },
        ...{ code: null, accountId: null, creditsCharged: null },
        ...{ isCacheHit: null, ms: 1, isAborted: false },
      });
    }
    await metrics.store();
    const counted = (slots: readonly HourOfResponses[] = []) =>
      slots.map(({ startedAt, total }) => [startedAt.toISOString().slice(11, 16), total]);
    assert.deepEqual(counted(stored[0]?.minutes), [
      ['12:59', 1],
      ['13:00', 3],
    ]);
    assert.deepEqual(counted(stored[0]?.hours), [
      ['12:00', 1],
      ['13:00', 3],
    ]);
  });
});
