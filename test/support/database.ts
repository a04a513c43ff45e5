import { createHash, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { type Migration, migrate, readMigrations } from '#src/adapters/migrations.ts';
import { isJourney, keepDump } from '#test/support/leaks.ts';

/** An empty, migrated database of one test. Disposing it drops it, open connections included. */
export type TestDatabase = { readonly url: string; [Symbol.asyncDispose](): Promise<void> };

const lockOfTemplates = [20261121, 2] as const;

let template: Promise<string> | undefined;

/**
 * Copies the migrated template of this checkout into a database of its own (some 30 ms). The template is
 * named after the text of all migrations, so that checkouts and test processes share a server safely.
 */
export const testDatabase = async (): Promise<TestDatabase> => {
  const adminUrl = adminUrlOf(process.env['TEST_DATABASE_URL']);
  template ??= ensureTemplate(adminUrl);
  const from = await template;
  const name = `steno_test_${randomUUID().replaceAll('-', '')}`;
  // On a server that syncs nothing, copying its files takes half of what copying its pages through the log takes.
  const strategy = process.env['STENO_TEST_UNSYNCED'] === undefined ? 'WAL_LOG' : 'FILE_COPY';
  await asAdmin(adminUrl, (admin) =>
    admin.query(`CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY ${strategy}`),
  );
  const isDumped = isJourney();
  return {
    url: urlOf(adminUrl, name),
    [Symbol.asyncDispose]: async () => {
      if (isDumped) await keepDump(urlOf(adminUrl, name));
      await asAdmin(adminUrl, (admin) =>
        admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
      );
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

const ensureTemplate = async (adminUrl: string): Promise<string> => {
  const name = `steno_template_${hashOf(await readMigrations())}`;
  await asAdmin(adminUrl, async (admin) => {
    await admin.query('SELECT pg_advisory_lock($1, $2)', [...lockOfTemplates]);
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount !== 0) return;
    // Built under another name: a template whose building was cut short is never copied.
    const building = `${name}_building`;
    await admin.query(`DROP DATABASE IF EXISTS ${building} WITH (FORCE)`);
    await admin.query(`CREATE DATABASE ${building}`);
    await migrate({ url: urlOf(adminUrl, building) });
    await admin.query(`ALTER DATABASE ${building} WITH ALLOW_CONNECTIONS false`);
    await admin.query(`ALTER DATABASE ${building} RENAME TO ${name}`);
  });
  return name;
};

const hashOf = (migrations: readonly Migration[]): string =>
  migrations
    .reduce((hash, { name, checksum }) => hash.update(name).update(checksum), createHash('sha256'))
    .digest('hex')
    .slice(0, 16);

const urlOf = (adminUrl: string, database: string): string => {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
};

const asAdmin = async <Result>(
  adminUrl: string,
  work: (admin: Client) => Promise<Result>,
): Promise<Result> => {
  const admin = new Client({ connectionString: adminUrl });
  admin.on('error', () => {});
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
};
