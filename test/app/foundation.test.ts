import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { openDoors } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import { silentLogger, testSecret } from '#test/support/app.ts';
import { testDatabase } from '#test/support/database.ts';

describe('the secret of an installation', () => {
  it('is that of its first start, until the database is told to forget it', async () => {
    await using database = await testDatabase();
    const start = async (secret: string) => {
      const config = loadConfig({ DATABASE_URL: database.url, SECRET_KEY: secret });
      await using _ = await openDoors(config, { logger: silentLogger });
    };
    await Promise.all([start(testSecret), start(testSecret)]);
    await start(testSecret);
    const another = [...testSecret].reverse().join('');
    await assert.rejects(start(another), ({ name, message }: Error) => {
      assert.equal(name, 'ConfigError');
      assert.match(message, /^SECRET_KEY is not the one that this database was begun with/);
      assert.ok(!message.includes(another) && !message.includes('\n'));
      return true;
    });

    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query('DELETE FROM secret_fingerprint');
    await client.end();
    await start(another);
    await assert.rejects(start(testSecret), /SECRET_KEY/);
  });
});
