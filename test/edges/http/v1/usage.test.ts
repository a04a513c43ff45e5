import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { UsageReport } from '#src/queries.ts';
import { errorOf, holder, startEdge } from '#test/support/http.ts';

const report = (days: number): UsageReport => ({
  plan: 'free',
  creditsRemaining: 90,
  creditsReserved: 4,
  limitPerMinute: 120,
  isUnlimited: false,
  periodDays: days,
  requests: 3,
  successful: 2,
  failed: 1,
  creditsUsed: 6,
  byTag: [],
  byKind: [{ kind: 'transcript', count: 2, credits: 6 }],
  daily: [{ day: '2026-11-21', count: 3, credits: 2 }],
});

const queries = { usage: async (_: string, days: number) => report(days) };

describe('GET /v1/usage', () => {
  it('returns the usage of 30 days and the remaining credits, not to be cached', async () => {
    await using edge = await startEdge({ queries });
    const answer = await edge.get('/v1/usage');
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('cache-control') ?? '', /no-store/);
    assert.equal(answer.headers.get('x-credits-charged'), '0');
    assert.deepEqual(await answer.json(), {
      plan: 'free',
      credits_remaining: 90,
      credits_reserved: 4,
      rate_limit_per_min: 120,
      unlimited: false,
      period_days: 30,
      requests: 3,
      successful: 2,
      failed: 1,
      credits_used: 6,
      by_tag: [],
      by_kind: [{ kind: 'transcript', count: 2, credits: 6 }],
      daily: [{ day: '2026-11-21', count: 3, credits: 2 }],
    });
  });

  it('accepts 1 to 366 days', async () => {
    await using edge = await startEdge({ queries });
    for (const days of [1, 366]) {
      const answer = await edge.get(`/v1/usage?days=${days}`);
      assert.deepEqual(((await answer.json()) as { period_days: number }).period_days, days);
    }
  });

  for (const days of ['-1', '0', '367', '1e9', '1.5', 'NaN', '10;', '9007199254740993', '', ' 3']) {
    // S49: malformed and out-of-range numbers
    it(`refuses days=${days}, never clamping it`, async () => {
      await using edge = await startEdge({ queries });
      const answer = await edge.get(`/v1/usage?days=${encodeURIComponent(days)}`);
      assert.equal(answer.status, 400);
      const { code, details } = await errorOf(answer);
      assert.equal(code, 'INVALID_REQUEST');
      assert.match(JSON.stringify(details), /"path":"days"/);
    });
  }

  it('is forbidden to a key with other scopes', async () => {
    await using edge = await startEdge({
      queries: { ...queries, findKeyHolder: async () => ({ ...holder, scopes: ['transcripts'] }) },
    });
    const answer = await edge.get('/v1/usage');
    assert.equal(answer.status, 403);
    assert.equal((await errorOf(answer)).code, 'FORBIDDEN');
    assert.equal(answer.headers.get('x-ratelimit-limit'), '120');
  });
});
