import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { postgresStatusHistory, postgresStatusNotes } from '#src/adapters/postgres/status-history-postgres.ts';
import { testDatabase } from '#test/support/database.ts';

const at = (time: string) => new Date(`2026-11-21T${time}:00.000Z`);
const alert = { id: 'egress_down', summary: 'The video platform does not answer.' };

describe('the history of the status', () => {
  it('counts probes by day, and an alert as one incident until it was absent for ten minutes', async () => {
    await using database = await testDatabase();
    const pool = postgresPool({ url: database.url, applicationName: 'test' });
    try {
      const history = postgresStatusHistory({ pool });
      const degraded = { state: 'degraded', alerts: [alert] } as const;
      await history.record({ at: at('10:00'), state: 'operational', alerts: [] });
      await history.record({ at: at('10:02'), ...degraded });
      await history.record({ at: at('10:04'), ...degraded });
      await history.record({ at: at('11:00'), ...degraded });
      const { days, incidents } = await history.read();
      assert.deepEqual(days, [{ day: '2026-11-21', checks: 4, degraded: 3, outage: 0 }]);
      assert.deepEqual(
        incidents.map(({ startedAt, lastSeenAt }) => [startedAt.slice(11, 16), lastSeenAt.slice(11, 16)]),
        [
          ['11:00', '11:00'],
          ['10:02', '10:04'],
        ],
      );

      await history.record({ at: new Date('2027-02-25T00:00:00.000Z'), state: 'outage', alerts: [] });
      const later = await history.read();
      assert.deepEqual(later.days, [{ day: '2027-02-25', checks: 1, degraded: 0, outage: 1 }]);
      assert.deepEqual(later.incidents, []);
    } finally {
      await pool.end();
    }
  });

  it('keeps a note until ninety days after its end, or after its start if it has none, and ends it once', async () => {
    await using database = await testDatabase();
    const pool = postgresPool({ url: database.url, applicationName: 'test' });
    try {
      const notes = postgresStatusNotes({ pool });
      const about = { text: 'We move.', severity: 'info', component: null } as const;
      const startedAt = at('10:00').toISOString();
      for (const noteId of ['nte_1', 'nte_2']) {
        await notes.add({ ...about, noteId, startedAt, endsAt: null });
      }
      const endsAt = new Date('2027-01-31T00:00:00.000Z').toISOString();
      await notes.add({ ...about, noteId: 'nte_0', startedAt, endsAt });
      const ended = await notes.end('nte_1', at('11:00'));
      assert.equal(ended?.endsAt, at('11:00').toISOString());
      assert.deepEqual(await notes.end('nte_1', at('12:00')), ended);
      assert.equal(await notes.end('nte_3', at('12:00')), null);
      const history = postgresStatusHistory({ pool });
      assert.equal((await history.read()).notes.length, 3);
      const later = new Date('2027-02-25T00:00:00.000Z');
      await history.record({ at: later, state: 'operational', alerts: [] });
      assert.deepEqual(
        (await history.read()).notes.map(({ noteId }) => noteId),
        ['nte_0'],
      );
    } finally {
      await pool.end();
    }
  });

  it('stores what could not be stored with the next probe', async () => {
    await using database = await testDatabase();
    const pool = postgresPool({ url: database.url, applicationName: 'test' });
    try {
      const history = postgresStatusHistory({ pool });
      await pool.query('ALTER TABLE status_day RENAME TO status_day_away');
      await assert.rejects(history.record({ at: at('10:00'), state: 'outage', alerts: [] }));
      await pool.query('ALTER TABLE status_day_away RENAME TO status_day');
      await history.record({ at: at('10:02'), state: 'operational', alerts: [] });
      assert.deepEqual((await history.read()).days, [{ day: '2026-11-21', checks: 2, degraded: 0, outage: 1 }]);
    } finally {
      await pool.end();
    }
  });
});
