import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { type Rollback, rollbackMessage } from '#src/eventlog/rollback-guard.ts';
import { LogUnavailableError } from '#src/eventlog/unavailable-error.ts';
import { event, idOf, logOnPostgres } from '#test/support/eventlog.ts';

const to = (stream: string, name: string) => ({ stream, expected: 'any' as const, events: [event(name)] });

describe('a log that has lost an acknowledged event', () => {
  it('is refused by every append and every read of the whole log, and reported once', async () => {
    await using opened = await logOnPostgres();
    const { pool } = opened;
    const reported: Rollback[] = [];
    const log = postgresEventLog({ pool, onRollback: (lost) => void reported.push(lost) });
    await log.append([to('s', 'kept')]);
    await log.append([to('s', 'lost')]);
    await pool.query('DROP TRIGGER es_event_append_only ON es_event');
    await pool.query('DELETE FROM es_event WHERE position = 2');
    // A failover breaks the connections.
    const removed = once(pool, 'remove');
    (await pool.connect()).release(true);
    await removed;

    const refused = (call: Promise<unknown>) => assert.rejects(call, LogUnavailableError);
    await refused(log.append([to('t', 'a')]));
    await refused(log.append([to('t', 'b')], { within: async () => {} }));
    await refused(log.appendLocked('t', 1n, () => [to('t', 'c')]));
    await refused(log.readAll({ after: 0n, limit: 10 }));
    await refused(log.readBatch({ after: 0n, limit: 10, types: undefined }));
    const lost = { position: 2n, id: idOf('lost'), endsAt: 1n };
    assert.deepEqual(reported, [lost]);
    assert.deepEqual(log.detectedRollback(), lost);
    assert.match(rollbackMessage(lost), /at position 2 .* the log ends at 1$/);
    assert.equal(await opened.log.versionOf('t'), 0n);
  });
});
