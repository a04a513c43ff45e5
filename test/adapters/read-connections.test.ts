import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConnections } from '#src/adapters/read-connections.ts';
import { isUnavailable } from '#src/eventlog/unavailable.ts';
import { testDatabase } from '#test/support/database.ts';

describe('connections that read', () => {
  it('end a reading that takes too long, and serve the next one', async () => {
    await using database = await testDatabase();
    const sql = await readConnections({ url: database.url, withinMs: 100 });
    await assert.rejects(sql`SELECT pg_sleep(60)`, isUnavailable);
    const [row] = await sql<{ ids: string[] }[]>`SELECT ${['a', 'b']}::text[] AS ids`;
    assert.deepEqual(row?.ids, ['a', 'b']);
    await sql.end();
  });

  it('walk through a ledger as long as it takes', async () => {
    await using database = await testDatabase();
    const sql = await readConnections({ url: database.url, withinMs: null });
    const [row] = await sql<{ statement_timeout: string }[]>`SHOW statement_timeout`;
    assert.equal(row?.statement_timeout, '0');
    await sql.end();
  });
});
