import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { postgresServiceRecords } from '#src/adapters/postgres/service-records-postgres.ts';
import { version } from '#src/app.ts';
import { plans } from '#src/credits/plans/plans.ts';
import { testDatabase } from '#test/support/database.ts';
import {
  bearer,
  healthyExtraction,
  healthyProbe,
  readReceipt,
  startEdge,
  transcript,
  unprobedPlatform,
} from '#test/support/http.ts';

type Status = {
  status: string;
  checks: Record<string, unknown>;
  egress: Record<string, unknown>;
  active_alerts: { id: string; since: string | null }[];
  audit: { status: string; checked_at: string | null };
  read_models: unknown[];
  relay: unknown;
  objectives: { id: string; status: string; current: number | null; objective: number }[];
  limits: Record<string, unknown>;
  links: Record<string, string>;
};

const statusOf = async (url: string, path = '/api/status'): Promise<Status> =>
  (await (await fetch(url + path)).json()) as Status;

const parts = { database: 'ok', writes: 'ok', eventStore: 'ok', queue: 'ok', redis: 'not_configured' } as const;

describe('GET /api/status', () => {
  it('has the shape of the specification, at both of its addresses', async () => {
    await using edge = await startEdge();
    for (const path of ['/api/status', '/api/status.json']) {
      const body = await statusOf(edge.url, path);
      assert.deepEqual(Object.keys(body), [
        'status',
        'service',
        'brand',
        'generated_at',
        'links',
        'objectives',
        'components',
        'checks',
        'egress',
        'active_alerts',
        'audit',
        'notes',
        'read_models',
        'relay',
        'history',
        'limits',
      ]);
      assert.deepEqual(body.read_models, [{ name: 'usage', lag_positions: 3, lag_seconds: 0.25, stopped: false }]);
      assert.deepEqual(body.relay, { state: 'failing', lag_positions: 2, lag_seconds: 1.5 });
      assert.equal(body.status, 'operational');
      assert.deepEqual(body.checks, { liveness: 'ok', readiness: 'ok', egress: true });
      assert.equal(body.egress['mode'], 'direct');
      assert.deepEqual(body.active_alerts, []);
      assert.deepEqual(body.audit, { status: 'ok', checked_at: '1970-01-01T00:00:00.000Z' });
      assert.equal(body.limits['free_credits'], 10_000);
      assert.equal(body.limits['anonymous_credits_per_day'], 600);
      assert.equal(body.limits['batch_max_videos'], 50);
      for (const objective of body.objectives) {
        assert.deepEqual(Object.keys(objective).toSorted(), [
          'current',
          'description',
          'id',
          'met_when',
          'name',
          'objective',
          'signal',
          'status',
          'target',
          'unit',
          'window',
        ]);
      }
    }
  });

  it('probes the platform itself if no process has yet, and uses the result', async () => {
    const silent = { ...healthyProbe, ok: false, status: 0, reason: 'timeout' };
    const { queries, looks } = unprobedPlatform(silent);
    await using edge = await startEdge({ queries });
    const body = await statusOf(edge.url);
    assert.equal(looks(), 1);
    assert.deepEqual(body.checks, { liveness: 'ok', readiness: 'failed', egress: false });
    assert.deepEqual(body.egress['last_probe'], {
      ok: false,
      status: 0,
      reason: 'timeout',
      checked_at: silent.checkedAt,
      latency_ms: 40,
    });
    assert.deepEqual(
      body.active_alerts.map(({ id }) => id),
      ['egress_down'],
    );
  });

  it('shows the limit of visitors that is set', async () => {
    await using edge = await startEdge({ settings: { anonymousCreditsPerDay: 50 } });
    const body = await statusOf(edge.url);
    assert.equal(body.limits['anonymous_credits_per_day'], 50);
  });

  it('calls an objective met only where it was measured, on every process alike and after a restart', async () => {
    await using database = await testDatabase();
    const pool = postgresPool({ url: database.url, applicationName: 'test' });
    await using stack = new AsyncDisposableStack();
    stack.defer(() => pool.end());
    const clock = () => new Date('2026-11-21T12:00:30.000Z');
    const start = async () =>
      stack.use(
        await startEdge({
          clock,
          serviceRecords: postgresServiceRecords({ pool, clock }),
          commands: { readTranscript: async () => ({ ...readReceipt, transcript, text: null }) },
        }),
      );
    const objectivesOf = async ({ url }: { url: string }) => (await statusOf(url)).objectives;
    const [one, other, late] = [await start(), await start(), await start()];
    const before = await objectivesOf(late);
    assert.deepEqual(before.map(({ id, status, current }) => [id, status, current]).slice(0, 3), [
      ['availability', 'monitored', null],
      ['cached_latency_p95', 'monitored', null],
      ['uncached_latency_p95', 'monitored', null],
    ]);

    await one.get('/v1/transcripts/x', bearer);
    await one.get('/api/health', {});
    await other.get('/v1/usage', bearer);
    for (const edge of [one, other, other]) await edge.recordResponses();
    const seen = await objectivesOf(one);
    assert.deepEqual(await objectivesOf(other), seen);
    assert.deepEqual(await objectivesOf(await start()), seen);
    const current = (id: string) => seen.find((objective) => objective.id === id);
    // One of three answers was a fault: the questions of this edge know no usage.
    assert.equal(current('availability')?.current, 66.67);
    assert.equal(current('error_rate')?.current, 33.33);
    assert.equal(current('cached_latency_p95')?.status, 'met');
    assert.equal(current('liveness_latency')?.status, 'met');
    assert.equal(current('uncached_latency_p95')?.current, null);
  });

  it('is degraded and names the alert after three failures in a row', async () => {
    await using edge = await startEdge({
      queries: {
        extractionHealth: () => ({
          ...healthyExtraction,
          consecutiveFailures: 3,
          failingSince: '2026-11-21T10:50:00.000Z',
          lastFailureAt: '2026-11-21T11:00:00.000Z',
        }),
      },
    });
    const body = await statusOf(edge.url);
    assert.equal(body.status, 'degraded');
    assert.deepEqual(
      body.active_alerts.map(({ id, since }) => [id, since]),
      [['extraction_failures', '2026-11-21T10:50:00.000Z']],
    );
    assert.equal(body.objectives.find(({ id }) => id === 'extraction_failures')?.status, 'monitored');
  });

  it('is an outage while the database is down', async () => {
    await using edge = await startEdge({
      queries: { readiness: async () => ({ ...parts, database: 'failed' as const }) },
    });
    const body = await statusOf(edge.url);
    assert.equal(body.status, 'outage');
    assert.equal(body.checks['readiness'], 'failed');
  });

  it('may be cached for a minute', async () => {
    await using edge = await startEdge();
    const answer = await edge.get('/api/status', {});
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=60');
  });
});

describe('GET /api/changelog.json', () => {
  it('goes from the first version to this one, and names only existing operations', async () => {
    await using edge = await startEdge();
    const entries = (await (await edge.get('/api/changelog.json', {})).json()) as object[];
    assert.equal(Reflect.get(entries.at(-1) ?? {}, 'version'), '1.0.0');
    const { paths } = (await (await edge.get('/openapi.json', {})).json()) as { paths: object };
    const named = entries.flatMap((entry) => Reflect.get(entry, 'operations') as string[]);
    const text = JSON.stringify(paths);
    for (const id of named) assert.ok(text.includes(`"operationId":"${id}"`), id);
    assert.equal(Reflect.get(entries[0] ?? {}, 'version'), version);
  });

  it('promises nothing without an operation, and neither do the plans and the description', async () => {
    await using edge = await startEdge();
    const changes = await (await edge.get('/api/changelog.json', {})).text();
    const { info, paths } = (await (await edge.get('/openapi.json', {})).json()) as { info: object; paths: object };
    const promised = `${changes} ${JSON.stringify([info, plans])}`;
    for (const [word, path] of [
      [/\bAI\b/, /\/ask$/],
      [/\bMCP\b/, /\/mcp$/],
    ] as const) {
      const isThere = Object.keys(paths).some((known) => path.test(known));
      assert.ok(isThere || !word.test(promised), `${word} is promised`);
    }
  });
});
