import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestApp } from '#test/support/app.ts';

describe('the readiness of the queue', () => {
  it('asks for its tables and for a worker that lives', async () => {
    await using app = await startTestApp();
    const { pool, queries } = app.foundation;
    const queue = async () => (await queries.readiness()).queue;
    assert.equal(await queue(), 'ok');

    await pool.query(`UPDATE worker_pools SET beat_at = now() - interval '1 minute'`);
    const silent = await queue();
    await pool.query('UPDATE worker_pools SET beat_at = now()');
    await pool.query('ALTER SCHEMA graphile_worker RENAME TO away');
    const lost = await queue();
    await pool.query('ALTER SCHEMA away RENAME TO graphile_worker');
    assert.deepEqual([silent, lost, await queue()], ['failed', 'failed', 'ok']);
  });
});
