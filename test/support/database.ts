import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { runMigrations } from 'graphile-worker';
import { Client, Pool } from 'pg';
import { projections } from '#projections/index.ts';
import { migrate, readMigrations } from '#src/adapters/postgres/migrations.ts';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { ensureProjections, tablesOf } from '#src/eventlog/projections/projection.ts';
import { keepDump } from '#test/support/leaks.ts';

/** An empty, migrated database of one test. Disposing it drops it, open connections included. */
export type TestDatabase = { readonly url: string; [Symbol.asyncDispose](): Promise<void> };

/** A template database: the function that makes it, and a fingerprint that changes with its content. */
type Template = {
  readonly name: string;
  readonly text: () => Promise<string>;
  readonly make: (url: string) => Promise<unknown>;
};

const migrated: Template = {
  name: 'migrated',
  text: async () => JSON.stringify(await readMigrations()),
  make: (url) => migrate({ url }),
};

const used: Template = {
  name: 'used',
  text: async () => {
    const models = projections.map((one) => [one.name, one.version, one.createSql(tablesOf(one, ''))]);
    // The package version of the queue is part of the fingerprint.
    const packages = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
    return JSON.stringify([await migrated.text(), models, packages]);
  },
  make: async (url) => {
    await migrate({ url });
    const pool = postgresPool({ url, applicationName: 'steno tests' });
    await ensureProjections(pool, projections);
    await runMigrations({ pgPool: pool });
    await pool.end();
  },
};

const lockOfTemplates = [20261121, 2] as const;

/** One connection for all test databases of this process: connecting takes half as long as copying. It does not keep the process alive. */
let administration: Pool | undefined;

const administrationOf = (connectionString: string): Pool => {
  const pool = new Pool({ connectionString, max: 2, allowExitOnIdle: true });
  pool.on('error', () => {});
  return pool;
};

/** Databases that no test has dropped yet, each with where it was opened. */
const undropped = new Map<string, string>();
// The connections of an open database keep its process, and so the run, alive for 30 s.
process.on('exit', () => {
  for (const opened of undropped.values()) console.error(`a test left its database open: ${opened}`);
  if (undropped.size > 0) process.exitCode = 1;
});

/** The line of a test that a call comes from. */
const openedAt = (): string =>
  new Error().stack
    ?.split('\n')
    .findLast((line) => line.includes('.test.ts'))
    ?.trim() ?? '';

/** Templates known to exist in this process. */
const templates = new Map<Template, Promise<string>>();

/** A migrated database on which the product was never started. */
export const testDatabase = (): Promise<TestDatabase> => copyOf(migrated);

/**
 * A database with the tables of read models and of the queue, as an earlier start leaves it: making them takes as long as
 * the rest of a start. `isSearched`: the search for leaked secrets reads a dump of it.
 */
export const usedDatabase = ({ isSearched = false } = {}): Promise<TestDatabase> => copyOf(used, isSearched);

/**
 * Copies a template into a new database (some 30 ms). The name of a template contains the fingerprint of its content,
 * so that checkouts and test processes share a server safely.
 */
const copyOf = async (template: Template, isSearched = false): Promise<TestDatabase> => {
  const opened = openedAt();
  const adminUrl = adminUrlOf(process.env['TEST_DATABASE_URL']);
  const from = templates.get(template) ?? ensureTemplate(adminUrl, template);
  templates.set(template, from);
  const name = `steno_test_${randomUUID().replaceAll('-', '')}`;
  // Without fsync, FILE_COPY takes half the time of WAL_LOG.
  const strategy = process.env['STENO_TEST_UNSYNCED'] === undefined ? 'WAL_LOG' : 'FILE_COPY';
  const create = `CREATE DATABASE ${name} TEMPLATE ${await from} STRATEGY ${strategy}`;
  administration ??= administrationOf(adminUrl);
  const admin = administration;
  await admin.query(create);
  undropped.set(name, opened);
  return {
    url: urlOf(adminUrl, name),
    [Symbol.asyncDispose]: async () => {
      if (isSearched) await keepDump(urlOf(adminUrl, name));
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      undropped.delete(name);
    },
  };
};

const adminUrlOf = (url: string | undefined): string => {
  if (url === undefined || url === '') {
    throw new Error(
      'TEST_DATABASE_URL is not set. Run the tests by `npm test` (or `npm test -- test/credits`), which starts a Postgres; or set TEST_DATABASE_URL to a Postgres where databases may be created.',
    );
  }
  return url;
};

const ensureTemplate = async (adminUrl: string, template: Template): Promise<string> => {
  const hash = createHash('sha256').update(await template.text());
  const name = `steno_${template.name}_${hash.digest('hex').slice(0, 16)}`;
  await asAdmin(adminUrl, async (admin) => {
    await admin.query('SELECT pg_advisory_lock($1, $2)', [...lockOfTemplates]);
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount !== 0) return;
    // Built under another name and renamed, so that an incomplete template is never copied.
    const building = `${name}_building`;
    await admin.query(`DROP DATABASE IF EXISTS ${building} WITH (FORCE)`);
    await admin.query(`CREATE DATABASE ${building}`);
    await template.make(urlOf(adminUrl, building));
    // The first connection after a change of the catalog writes a file that later connections, also those to copies,
    // start from in half the time.
    await asAdmin(urlOf(adminUrl, building), (client) => client.query('SELECT 1'));
    await admin.query(`ALTER DATABASE ${building} WITH ALLOW_CONNECTIONS false`);
    await admin.query(`ALTER DATABASE ${building} RENAME TO ${name}`);
  });
  return name;
};

const urlOf = (adminUrl: string, database: string): string => {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
};

const asAdmin = async <Result>(adminUrl: string, work: (admin: Client) => Promise<Result>): Promise<Result> => {
  const admin = new Client({ connectionString: adminUrl });
  admin.on('error', () => {});
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
};
