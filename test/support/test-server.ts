import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { openEmbeddedPostgres } from '#src/adapters/embedded-postgres/embedded-postgres.ts';
import { openPostgresVersion } from '#test/support/postgres-version.ts';

/** Without fsync: these data need not survive a power cut. */
const postgresSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  max_wal_size: '1GB',
  // A test database lives for a second: autovacuum and JIT do not pay off.
  autovacuum: 'off',
  jit: 'off',
};

/** The Postgres server of the tests: TEST_DATABASE_URL, another version, or the embedded one. */
export const openTestServer = async (
  version: string | undefined,
  folder: string,
): Promise<{ readonly url: string } & AsyncDisposable> => {
  const given = process.env['TEST_DATABASE_URL'] ?? '';
  if (version === undefined && given !== '') {
    return { url: given, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  process.env['STENO_TEST_UNSYNCED'] = 'yes';
  const settings = postgresSettings;
  await mkdir(folder, { mode: 0o755 });
  const server =
    version === undefined
      ? await openEmbeddedPostgres({ dataDir: folder, settings })
      : await openPostgresVersion(version, join(folder, 'postgres'), settings);
  // A run opens thousands of connections, and the default 4,096 SCRAM iterations are most of the cost of each.
  const client = new Client(server.url);
  await client.connect();
  const { username, password } = new URL(server.url);
  const role = client.escapeIdentifier(username);
  if (version !== '15') await client.query('SET scram_iterations = 1');
  await client.query(`ALTER ROLE ${role} PASSWORD ${client.escapeLiteral(password)}`);
  await client.end();
  return server;
};
