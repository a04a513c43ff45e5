import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '#test/simulator/main.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { usedDatabase } from '#test/support/database.ts';

const figuresOf = async (app: TestApp): Promise<Record<string, number | null>> => {
  const { objectives } = (await (await app.get('/api/status')).json()) as {
    objectives: { id: string; current: number | null }[];
  };
  return Object.fromEntries(objectives.map(({ id, current }) => [id, current]));
};

describe('the objectives of a service', () => {
  it('go on after a restart with what was measured before', async () => {
    await using database = await usedDatabase();
    await using simulator = await startSimulator();
    const on = { database, simulator };
    {
      await using app = await startTestApp(on);
      const before = await figuresOf(app);
      assert.deepEqual([before['availability'], before['uncached_latency_p95']], [null, null]);
      const { key } = await app.createAccount();
      assert.equal((await app.get(`/v1/transcripts/${samples.prose}`, { key })).status, 200);
      assert.equal((await app.get('/api/health')).status, 200);
    }
    await using app = await startTestApp(on);
    const after = await figuresOf(app);
    assert.equal(after['availability'], 100);
    assert.equal(after['error_rate'], 0);
    assert.ok(Number(after['uncached_latency_p95']) > 0);
    assert.ok(Number(after['liveness_latency']) > 0);
  });
});
