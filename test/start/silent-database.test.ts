import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { testSecret } from '#test/support/app.ts';
import { usedDatabase } from '#test/support/database.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';
import { startProgram } from '#test/support/program.ts';

describe('a stop while the database does not answer', () => {
  it('of a worker ends like any other, without sending its last messages', async () => {
    await using database = await usedDatabase();
    await using proxy = await postgresProxy(database.url);
    const environment = { DATABASE_URL: proxy.url, SECRET_KEY: testSecret };
    await using program = startProgram(['worker'], environment);
    assert.ok(program.child.stdout);
    await once(program.child.stdout, 'data');
    proxy.holdBack();
    program.child.kill('SIGTERM');
    const { code, stderr } = await program.finished;
    assert.equal(code, 0, stderr);
  });
});
