import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '#test/simulator/main.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { usedDatabase } from '#test/support/database.ts';
import { testRedis } from '#test/support/redis.ts';
import { operate } from '#test/support/run-operator.ts';

const figuresOf = async (app: TestApp): Promise<Record<string, number | null>> => {
  const { objectives } = (await (await app.get('/api/status')).json()) as {
    objectives: { id: string; current: number | null }[];
  };
  return Object.fromEntries(objectives.map(({ id, current }) => [id, current]));
};

describe('the objectives of a service', () => {
  it('are the same on every process, and continue after a restart with earlier measurements', async () => {
    await using database = await usedDatabase();
    await using simulator = await startSimulator();
    await using redis = await testRedis(() => Date.now());
    const start = () => startTestApp({ database, simulator, environment: { REDIS_URL: redis.url, ROLE: 'api' } });
    {
      await using one = await start();
      await using other = await start();
      const before = await figuresOf(one);
      assert.deepEqual([before['availability'], before['uncached_latency_p95']], [null, null]);
      const { key } = await one.createAccount();
      assert.equal((await one.get(`/v1/transcripts/${samples.prose}`, { key })).status, 200);
      assert.equal((await other.get('/api/health')).status, 200);
    }
    await using one = await start();
    await using other = await start();
    const after = await figuresOf(one);
    assert.equal(after['availability'], 100);
    assert.equal(after['error_rate'], 0);
    assert.ok(Number(after['uncached_latency_p95']) > 0);
    assert.ok(Number(after['liveness_latency']) > 0);
    // Each has looked at the platform itself, and tells the others within a minute.
    const { egress_probe_latency: own, ...shared } = await figuresOf(other);
    assert.ok(Number(own) >= 0);
    assert.deepEqual({ ...shared, egress_probe_latency: after['egress_probe_latency'] }, after);
  });
});

describe('notes of operators', () => {
  it('are written, listed and ended by command, and shown as text wherever the status is', async () => {
    await using app = await startTestApp();
    const status = (...words: readonly string[]) => operate(app.environment, 'status', ...words);
    const made = await status('note', 'Disks <b>move</b>.', '--severity', 'degraded', '--json');
    const { id } = JSON.parse(made.stdout) as { id: string };
    const shown = async (path: string) => (await app.get(path)).text();
    const report = JSON.parse(await shown('/api/status.json'));
    assert.equal(report.status, 'degraded');
    assert.deepEqual(report.notes, [JSON.parse(made.stdout)]);
    assert.match(await shown('/status'), /Disks &lt;b>move/);
    assert.match(await shown('/status.atom'), /Degraded: Disks &lt;b&gt;move/);

    assert.match((await status('end', id)).stdout, /has ended/);
    const [listed] = (await status('notes', '--json')).stdout.trim().split('\n');
    const { ends_at } = JSON.parse(listed ?? '') as { ends_at: string };
    assert.ok(Date.parse(ends_at) <= Date.now());
    assert.equal((await status('end', 'nte_none')).code, 5);
    assert.equal((await status('note', 'x', '--until', '2020-01-01T00:00:00Z')).code, 2);
    assert.equal((await status('note', 'x', '--until', 'soon')).code, 2);
  });
});
