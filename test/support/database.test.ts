import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { startTestApp } from '#test/support/app.ts';
import { testDatabase, usedDatabase } from '#test/support/database.ts';

/** The columns, indexes and functions of a database, and which read models are live. */
const madeIn = async ({ url }: { readonly url: string }): Promise<readonly string[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ made: string }>(
    `SELECT concat_ws(' ', table_schema, table_name, column_name, data_type, column_default) AS made
       FROM information_schema.columns
      WHERE table_schema NOT IN ('pg_catalog', 'information_schema')
     UNION ALL
     SELECT indexdef FROM pg_indexes WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
     UNION ALL
     SELECT pg_get_functiondef(oid)
       FROM pg_proc
      WHERE pronamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')
     UNION ALL
     SELECT concat_ws(' ', name, version, suffix) FROM es_projection
     ORDER BY made`,
  );
  await client.end();
  return rows.map(({ made }) => made);
};

describe('a test database copied from a template', () => {
  it('has the schema and read models that a first start of the program creates', async () => {
    await using database = await testDatabase();
    const before = await madeIn(database);
    const app = await startTestApp({ database });
    await app[Symbol.asyncDispose]();
    const after = await madeIn(database);
    assert.ok(after.length > before.length, 'a start makes tables');

    await using used = await usedDatabase();
    assert.deepEqual(await madeIn(used), after);
  });
});
