import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adoptSecret } from '#src/app/adopt-secret.ts';
import { openApplication } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import { silentLogger, testSecret } from '#test/support/app.ts';
import { testDatabase } from '#test/support/database.ts';

describe('the secret of an installation', () => {
  it('must be that of its first start, until the database adopts another', async () => {
    await using database = await testDatabase();
    const configOf = (secret: string) => loadConfig({ DATABASE_URL: database.url, SECRET_KEY: secret });
    const start = async (secret: string) => {
      await using _ = await openApplication(configOf(secret), { logger: silentLogger });
    };
    await Promise.all([start(testSecret), start(testSecret)]);
    await start(testSecret);
    const another = [...testSecret].reverse().join('');
    await assert.rejects(start(another), ({ name, message }: Error) => {
      assert.equal(name, 'ConfigError');
      assert.match(message, /^SECRET_KEY is not the one that this database was created with/);
      assert.ok(!message.includes(another) && !message.includes('\n'));
      return true;
    });

    await adoptSecret(configOf(another), { logger: silentLogger }, []);
    await start(another);
    await assert.rejects(start(testSecret), /SECRET_KEY/);
  });
});
