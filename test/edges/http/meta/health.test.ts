import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { healthyExtraction, healthyProbe, runningJob, startEdge, unprobedPlatform } from '#test/support/http.ts';

const never = () => new Promise<never>(() => undefined);

describe('GET /api/health', () => {
  it('answers at once, while everything behind it hangs', async () => {
    await using edge = await startEdge({ queries: { readiness: never, probe: never } });
    const answer = await edge.get('/api/health', {});
    assert.equal(answer.status, 200);
    const { uptime_s, ...body } = (await answer.json()) as Record<string, unknown>;
    assert.deepEqual(body, { status: 'ok', service: 'steno', version: '1.0.0' });
    assert.equal(typeof uptime_s, 'number');
  });

  it('is not counted, and carries the headers of the rate limit', async () => {
    await using edge = await startEdge();
    for (let at = 0; at < 70; at += 1) {
      const answer = await edge.get('/api/health', {});
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('x-ratelimit-remaining'), '60');
    }
  });

  it('answers HEAD', async () => {
    await using edge = await startEdge();
    const answer = await fetch(`${edge.url}/api/health`, { method: 'HEAD' });
    assert.equal(answer.status, 200);
    assert.equal(await answer.text(), '');
  });
});

const parts = { database: 'ok', writes: 'ok', eventStore: 'ok', queue: 'ok', redis: 'not_configured' } as const;

describe('GET /api/health/ready', () => {
  it('says ready when database and platform answer', async () => {
    await using edge = await startEdge();
    const answer = await edge.get('/api/health/ready', {});
    assert.equal(answer.status, 200);
    const body = (await answer.json()) as { status: string; checks: { egress: object } };
    assert.equal(body.status, 'ready');
    assert.deepEqual(Object.keys(body.checks), ['database', 'event_store', 'queue', 'redis', 'egress']);
  });

  it('stays ready without Redis: limits are then counted per process', async () => {
    await using edge = await startEdge({ queries: { readiness: async () => ({ ...parts, redis: 'failed' }) } });
    assert.equal((await edge.get('/api/health/ready', {})).status, 200);
  });

  for (const [what, queries] of [
    ['the database is down', { readiness: async () => ({ ...parts, database: 'failed' as const }) }],
    [
      'the platform does not answer',
      {
        extractionHealth: () => ({
          ...healthyExtraction,
          lastProbe: { ...healthyProbe, ok: false, status: 0, reason: 'timeout' },
        }),
        probe: async () => ({ ...healthyProbe, ok: false, status: 0, reason: 'timeout' }),
      },
    ],
  ] as const) {
    it(`answers 503 when ${what}, with the checks and in the Error shape`, async () => {
      await using edge = await startEdge({ queries });
      const answer = await edge.get('/api/health/ready', {});
      assert.equal(answer.status, 503);
      assert.ok(answer.headers.has('retry-after'));
      const body = (await answer.json()) as { status: string; error: { code: string } };
      assert.equal(body.status, 'not_ready');
      assert.equal(body.error.code, 'NOT_READY');
    });
  }

  it('probes the platform if the last probe is four minutes old', async () => {
    const { queries, looks } = unprobedPlatform(healthyProbe);
    await using edge = await startEdge({ queries });
    assert.equal((await edge.get('/api/health/ready', {})).status, 200);
    assert.equal(looks(), 1);
  });

  it('fails once the process shuts down, which ends streams', async () => {
    await using edge = await startEdge({ queries: { job: async () => runningJob, jobFeed: async () => [] } });
    const watched = await edge.get('/v1/jobs/job_1/events');
    edge.drain();
    assert.equal(await watched.text(), 'retry: 1000\n\n');
    const answer = await edge.get('/api/health/ready', {});
    assert.equal(answer.status, 503);
    assert.equal((await edge.get('/api/health', {})).status, 200);
  });
});

describe('GET /api/health/egress', () => {
  it('answers the result of one probe, with 200 also for a failed one', async () => {
    const probe = { ok: false, status: 0, reason: 'timeout', checkedAt: 'x', latencyMs: 5_000.4 };
    await using edge = await startEdge({ queries: { probe: async () => probe } });
    const answer = await edge.get('/api/health/egress', {});
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), {
      ok: false,
      status: 0,
      reason: 'timeout',
      checked_at: 'x',
      latency_ms: 5_000,
    });
  });
});
