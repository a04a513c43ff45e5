import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { testDatabase } from '#test/support/database.ts';
import { schemaOf } from '#test/support/schema.ts';

const path = new URL('../migrations/schema.sql', import.meta.url);
const head =
  '-- What all migrations come to, without rights. Kept by KEEP_SCHEMA=1 npm test -- test/schema.test.ts, and read in review.\n\n';

describe('migrations/schema.sql', () => {
  it('equals the result of all migrations, on every version of Postgres', async () => {
    await using database = await testDatabase();
    const schema = head + (await schemaOf(database.url));
    if (process.env['KEEP_SCHEMA'] === '1') writeFileSync(path, schema);
    assert.equal(readFileSync(path, 'utf8'), schema);
  });
});
