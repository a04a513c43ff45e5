import { mkdir, writeFile } from 'node:fs/promises';
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

const authentication = `host postgres all 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
`;

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
  // A run opens thousands of connections, and checking the password is a quarter of the cost of each. It is checked where
  // another program could take this server for its own.
  const client = new Client(server.url);
  await client.connect();
  const { rows } = await client.query<{ hba_file: string }>('SHOW hba_file');
  for (const { hba_file: file } of rows) await writeFile(file, authentication);
  await client.query('SELECT pg_reload_conf()');
  await client.end();
  return server;
};
