import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { postgresPool } from '#src/adapters/postgres.ts';
import { part, sqlOn } from '#src/eventlog/sql.ts';
import { isUnavailable } from '#src/eventlog/unavailable-error.ts';
import { testDatabase } from '#test/support/database.ts';

const onDatabase = async (statementTimeoutMs: number | null) => {
  const database = await testDatabase();
  const pool = postgresPool({ url: database.url, applicationName: 'test', statementTimeoutMs });
  return {
    sql: sqlOn(pool),
    [Symbol.asyncDispose]: async () => {
      await pool.end();
      await database[Symbol.asyncDispose]();
    },
  };
};

describe('a statement written as a template', () => {
  it('has its values as parameters, those of its parts too', async () => {
    await using on = await onDatabase(1_000);
    const quote = `'; DROP TABLE es_event; --`;
    const filter = part`one = ${'b'} ${part`AND ${quote} = other`}`;
    const rows = await on.sql`
      SELECT one, ${2}::int AS two
      FROM (VALUES ('a', ${quote}), ('b', ${quote})) AS given (one, other)
      WHERE ${filter} ${part``}`;
    assert.deepEqual(rows, [{ one: 'b', two: 2 }]);
  });

  it('is cancelled when it takes too long, and the next one is served', async () => {
    await using on = await onDatabase(100);
    await assert.rejects(on.sql`SELECT pg_sleep(60)`, isUnavailable);
    assert.deepEqual(await on.sql`SELECT 1 AS one`, [{ one: 1 }]);
  });

  it('may take as long as it needs where there is no timeout', async () => {
    await using on = await onDatabase(null);
    assert.deepEqual(await on.sql`SHOW statement_timeout`, [{ statement_timeout: '0' }]);
  });
});
