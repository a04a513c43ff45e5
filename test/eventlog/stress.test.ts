import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { LogUnavailableError } from '#src/eventlog/unavailable-error.ts';
import { chaos } from '#test/bench/chaos.ts';
import { gapSafeReader, gapStress, naiveReader, overlapping } from '#test/bench/gap-stress.ts';
import { event, logOnPostgres } from '#test/support/eventlog.ts';
import { subscription } from '#test/support/subscription.ts';
import { tcpProxy } from '#test/support/tcp-proxy.ts';

describe('the total order', () => {
  it('is read without gaps where a naive cursor loses an event of each overlap', async () => {
    await using ours = await logOnPostgres();
    const safe = await overlapping(ours, gapSafeReader(ours.log), 3);
    assert.deepEqual(safe, { stored: 6, delivered: 6, lost: 0, doubled: 0, inverted: 0 });
    await using theirs = await logOnPostgres();
    const naive = await overlapping(theirs, naiveReader(theirs.pool), 3);
    assert.equal(naive.lost, 3);
  });

  it('loses, duplicates and reorders nothing under writers that overlap and roll back', async () => {
    await using opened = await logOnPostgres({ max: 14 });
    const { stored, delivered, lost, doubled, inverted, whileOpen } = await gapStress(
      opened,
      gapSafeReader(opened.log),
      { seconds: 0.5, writers: 12, seed: 7 },
    );
    assert.deepEqual({ lost, doubled, inverted }, { lost: 0, doubled: 0, inverted: 0 });
    assert.equal(delivered, stored);
    assert.equal(whileOpen, stored);
    assert.ok(stored > 10, `${stored} events`);
  });
});

describe('effects', () => {
  it('happen exactly once, in order, even if a process is killed amid its transaction', async () => {
    await using opened = await logOnPostgres();
    const effects = await chaos(opened, { kills: 1, workers: 1, seed: 11 });
    const { missing, doubled, inverted, kills } = effects;
    assert.deepEqual({ missing, doubled, inverted, kills }, { missing: 0, doubled: 0, inverted: 0, kills: 1 });
  });
});

describe('a Postgres that becomes unavailable and comes back', () => {
  it('causes a clear error for callers, and nothing is lost or done twice', async () => {
    await using opened = await logOnPostgres();
    const url = new URL(opened.url);
    await using proxy = await tcpProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.host = `127.0.0.1:${proxy.port}`;
    const pool = postgresPool({ url: url.href, applicationName: 'steno test', max: 4 });
    const log = postgresEventLog({ pool });
    const seen: string[] = [];
    await using line = subscription({
      name: 'seen',
      log,
      pool,
      onError: 'stop',
      handle: async (_, events) => void seen.push(...events.map(({ id }) => id)),
    });
    line.start();
    const append = (name: string) => log.append([{ stream: 's', expected: 'any', events: [event(name)] }]);
    const [before] = await append('before');
    assert.ok(before?.outcome === 'appended');
    await line.caughtUpTo(before.lastPosition, { timeoutMs: 60_000 });

    await proxy.stop();
    for (const name of ['a', 'b', 'c']) await assert.rejects(append(name), LogUnavailableError);
    assert.equal(await line.caughtUpTo(before.lastPosition + 1n, { timeoutMs: 20 }), false);
    await proxy.start();

    const [after] = await append('a');
    assert.ok(after?.outcome === 'appended');
    assert.equal(await line.caughtUpTo(after.lastPosition, { timeoutMs: 60_000 }), true);
    assert.deepEqual(seen, [event('before').id, event('a').id]);
    await line.stop();
    await pool.end();
  });
});
