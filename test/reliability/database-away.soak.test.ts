import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Logger } from '#src/kernel/logger.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { samples } from '#test/simulator/samples.ts';
import { silentLogger, startTestApp, type TestApp } from '#test/support/app.ts';
import { usedDatabase } from '#test/support/database.ts';
import { over } from '#test/support/job-watch.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';
import { jsonIn, type UsageJson } from '#test/support/response-json.ts';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** Bytes that are held, once everything that nobody holds is gone. */
const heldBytes = async (): Promise<number> => {
  assert.ok(typeof collect === 'function');
  for (let round = 0; round < 3; round += 1) {
    collect();
    await pause(50);
  }
  return process.memoryUsage().heapUsed;
};

/** So many requests of each kind as callers and watchers make in two minutes, some at a time; all are refused but one kind. */
const refusedOn = async (app: TestApp, key: string, rounds: number): Promise<void> => {
  const ask = async (path: string): Promise<void> => {
    const answer = await app.get(path, { key });
    if (path === '/api/health') {
      assert.equal(answer.status, 200);
      await answer.arrayBuffer();
      return;
    }
    assert.equal(answer.status, 503, path);
    assert.match(answer.headers.get('Retry-After') ?? '', /^[1-9]\d*$/);
    const { error } = (await answer.json()) as { error: { code: string } };
    const isWatched = path === '/api/health/ready';
    assert.equal(error.code, isWatched ? 'NOT_READY' : 'SERVICE_UNAVAILABLE', path);
  };
  const transcript = `/v1/transcripts/${samples.prose}`;
  const each = [transcript, transcript, '/v1/usage', '/v1/jobs', '/v1/ledger', '/api/health'];
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all([...each, ...each, ...each, ...each, ...each].map(ask));
    if (round % 4 === 0) await ask('/api/health/ready');
  }
};

describe('a database that is unavailable for long', () => {
  it('does not affect liveness, memory or the size of the log; the queue drains when it is back', async () => {
    const lines: string[] = [];
    const count = (message: string): void => {
      lines.push(message);
    };
    const logger: Logger = { ...silentLogger, warn: count, error: count };
    await using database = await usedDatabase();
    await using proxy = await postgresProxy(database.url);
    await using app = await startTestApp({ database: proxy, logger });
    const { key } = await app.createAccount({ plan: 'scale' });
    await (await app.get(`/v1/transcripts/${samples.prose}`, { key })).arrayBuffer();
    const ids = Array.from({ length: 30 }, (_, index) => generatedId('vid', index + 1));
    const made = await app.post('/v1/jobs', { ids }, { key });
    const { job_id: jobId } = (await made.json()) as { job_id: string };

    proxy.isThere = false;
    const awaySinceMs = performance.now();
    await refusedOn(app, key, 12);
    const before = await heldBytes();
    await refusedOn(app, key, 60);
    const grown = (await heldBytes()) - before;
    // 1,500 refusals: one that left two kilobytes behind would be seen.
    assert.ok(grown < 2_500_000, `${grown} bytes more`);
    // Polls of the worker log by time: two lines a second at most, beside the first of each kind.
    const awayS = (performance.now() - awaySinceMs) / 1_000;
    assert.ok(lines.length < 50 + 2 * awayS, `${awayS} s\n${lines.join('\n')}`);

    proxy.isThere = true;
    const done = await until(async () => {
      const answer = await app.get('/api/health/ready');
      await answer.arrayBuffer();
      return answer.status === 200;
    });
    assert.ok(done, 'it is ready again');
    const { status, completed_items: completed } = await over(app, key, jobId);
    assert.deepEqual([status, completed], ['completed', 30]);
    const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key }));
    assert.equal(usage.credits_used, 31);
  });
});

const until = async (isSo: () => Promise<boolean>): Promise<boolean> => {
  for (let looks = 0; looks < 300; looks += 1) {
    if (await isSo()) return true;
    await pause(100);
  }
  return false;
};
