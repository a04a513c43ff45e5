import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { openDatabase } from '#src/app/open-database.ts';
import { loadConfig } from '#src/config.ts';
import { silentLogger, testSecret } from '#test/support/app.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';

const adminUrl = process.env['TEST_DATABASE_URL'] ?? '';

const asAdmin = async (...statements: readonly string[]): Promise<void> => {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    for (const statement of statements) await admin.query(statement);
  } finally {
    await admin.end();
  }
};

/** An empty database beside a role that may use it and no more. */
const database = async (options = '') => {
  const name = `steno_test_${randomBytes(8).toString('hex')}`;
  await asAdmin(`CREATE DATABASE ${name} ${options}`, `CREATE ROLE ${name} LOGIN PASSWORD 'guest'`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const guest = new URL(url);
  guest.username = name;
  guest.password = 'guest';
  return {
    name,
    url: url.href,
    guestUrl: guest.href,
    [Symbol.asyncDispose]: () => asAdmin(`DROP DATABASE ${name} WITH (FORCE)`, `DROP ROLE ${name}`),
  };
};

const open = (url: string) =>
  openDatabase(loadConfig({ DATABASE_URL: url, SECRET_KEY: testSecret }), { logger: silentLogger });

const refusal = (name: string, why: string) => ({
  message: `DATABASE_URL (${new URL(adminUrl).host}/${name}) cannot be used: ${why}`,
});

describe('a configured database', () => {
  it('is refused, with its name, if it cannot store captions', async () => {
    await using latin = await database(`ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`);
    await assert.rejects(
      open(latin.url),
      refusal(
        latin.name,
        `its encoding is LATIN1, and captions need UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
      ),
    );
  });

  it('is refused, with its name, if it cannot be written to', async () => {
    await using standby = await database();
    await asAdmin(`ALTER DATABASE ${standby.name} SET default_transaction_read_only = on`);
    await assert.rejects(open(standby.url), refusal(standby.name, 'it accepts no writes: is it a standby?'));
  });

  it('is refused, with its name, if it is lost before its migrations', async () => {
    await using lost = await database();
    await using proxy = await postgresProxy(lost.url);
    const { host } = new URL(proxy.url);
    const isLost = proxy.breakAfter('steno migrate');
    await assert.rejects(open(proxy.url), {
      message: `DATABASE_URL (${host}/${lost.name}) cannot be used: Connection terminated unexpectedly`,
    });
    await isLost;
  });

  it('is refused, with its name, if the role may not create tables', async () => {
    await using locked = await database();
    await assert.rejects(
      open(locked.guestUrl),
      refusal(locked.name, 'permission denied for schema public (42501); its role has to make tables'),
    );
  });
});
