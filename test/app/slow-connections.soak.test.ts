import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { adoptSecret } from '#src/app/adopt-secret.ts';
import { checkSetup } from '#src/app/doctor-checks.ts';
import { loadConfig } from '#src/config.ts';
import { silentLogger, startTestApp } from '#test/support/app.ts';
import { type TestDatabase, testDatabase, usedDatabase } from '#test/support/database.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';
import { operate } from '#test/support/run-operator.ts';

/** Longer than a server waits for a connection, and less than half of what the first connection of a command may take. */
const connectDelayMs = 2_200;

describe('a command of an operator on a machine that is busy', () => {
  it('waits for its connections', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'steno-slow-'));
    const file = join(folder.path, 'all.ndjson.zst');
    await using database = await usedDatabase();
    const environment = await (async () => {
      await using app = await startTestApp({ database });
      await app.createAccount();
      return app.environment;
    })();
    const run = async (variables: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<void> => {
      const { code, stderr } = await operate(variables, ...words);
      assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
    };
    await run(environment, 'backup', file);
    await using empty = await testDatabase();
    await using adopting = await usedDatabase();
    await using stack = new AsyncDisposableStack();
    const slowly = async ({ url }: TestDatabase) => {
      const proxy = stack.use(await postgresProxy(url));
      proxy.connectDelayMs = connectDelayMs;
      return { ...environment, DATABASE_URL: proxy.url };
    };
    const slow = await slowly(database);
    const options = { logger: silentLogger };

    await Promise.all([
      run(slow, 'projections', 'rebuild', 'usage'),
      run(await slowly(empty), 'restore', file),
      adoptSecret(loadConfig(await slowly(adopting)), options, []),
      (async () => {
        for await (const { name, status, message } of checkSetup(loadConfig(slow), options)) {
          assert.notEqual(`${name}: ${status}`, 'database: failed', message);
        }
      })(),
    ]);
  });
});
