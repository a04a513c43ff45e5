import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Client, DatabaseError } from 'pg';
import { openClient } from '../../eventlog/connection.ts';

/** One file of `migrations/`. `checksum` is the SHA-256 (hex) of its text. */
export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string };

/** The state of a database against the migration files. */
export type MigrationState = { readonly applied: readonly string[]; readonly pending: readonly Migration[] };

/** The folder of this checkout. */
export const migrationsFolder = fileURLToPath(new URL('../../../migrations/', import.meta.url));

/** Any pair of numbers that nothing else on the database uses. */
const lockOfMigrations = [20261121, 1] as const;
const applicationName = 'steno migrate';
const lockNotAvailable = '55P03';
const deadlockDetected = '40P01';
const raisedNotice = '00000';

/** Reads the numbered files in order. `schema.sql` and the `.before.sql` and `.after.sql` of tests are not migrations. */
export const readMigrations = async (folder = migrationsFolder): Promise<readonly Migration[]> => {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
  return await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), 'utf8');
      return { name, sql, checksum: hash('sha256', sql) };
    }),
  );
};

/** Compares a database with the files and throws when a start is not safe. Changes nothing. */
export const inspectMigrations = async (options: {
  readonly url: string;
  readonly folder?: string;
}): Promise<MigrationState> => {
  await using client = await openClient({ ...options, applicationName });
  return await compare(client, await readMigrations(options.folder));
};

const compare = async (client: Client, migrations: readonly Migration[]): Promise<MigrationState> => {
  const table = await client.query(`SELECT to_regclass('schema_migrations') AS name`);
  if (table.rows[0]?.name === null) return { applied: [], pending: migrations };

  const { rows } = await client.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM schema_migrations ORDER BY name',
  );
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  const foreign = rows.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (foreign.length > 0) {
    throw new Error(
      `the database is newer than this program: it has the migration ${foreign.join(', ')}; start the version that wrote it, or a later one`,
    );
  }
  for (const { name, checksum } of rows) {
    if (known.get(name)?.checksum !== checksum) {
      throw new Error(
        `migration ${name} differs from what was applied to the database; restore the file and put the change into a new migration`,
      );
    }
  }
  const applied = rows.map(({ name }) => name);
  const pending = migrations.filter(({ name }) => !applied.includes(name));
  const last = applied.at(-1);
  const late = pending.find(({ name }) => last !== undefined && name < last);
  if (late !== undefined) {
    throw new Error(
      `migration ${late.name} comes before ${last}, which the database has already; give it the next free number`,
    );
  }
  return { applied, pending };
};

/**
 * Applies missing migrations in order, each file in its own transaction, one process at a time. A statement that waits
 * for a lock longer than `lockTimeoutMs` is cancelled (so that it does not block later queries) and retried, `attempts`
 * times. Returns the names applied now.
 */
export const migrate = async (options: {
  /** A direct connection: a session lock does not pass a transaction pooler. */
  readonly url: string;
  readonly folder?: string;
  readonly connectTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  readonly attempts?: number;
  /** The last one to apply; all when unset. */
  readonly upTo?: string;
  readonly onApplied?: (name: string) => void;
  /** What a migration says that it could not do. */
  readonly onNotice?: (message: string) => void;
}): Promise<readonly string[]> => {
  const { folder, lockTimeoutMs = 500, attempts = 20, upTo, onApplied, onNotice } = options;
  const migrations = await readMigrations(folder);
  await using client = await openClient({ ...options, applicationName });
  // The server's own notices, such as that a table exists, have other codes.
  client.on('notice', ({ code, message = '' }) => code === raisedNotice && onNotice?.(message));
  // Another process may run a long migration.
  await client.query(`SET lock_timeout = '30min'`);
  await client.query('SELECT pg_advisory_lock($1, $2)', [...lockOfMigrations]);
  await client.query(`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      name       text PRIMARY KEY,
      checksum   text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`);
  await client.query(`SELECT set_config('lock_timeout', $1, false)`, [`${lockTimeoutMs}ms`]);
  const pending = (await compare(client, migrations)).pending.filter(({ name }) => upTo === undefined || name <= upTo);
  for (const migration of pending) {
    await apply(client, migration, attempts);
    onApplied?.(migration.name);
  }
  return pending.map(({ name }) => name);
};

const apply = async (client: Client, migration: Migration, attempts: number): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('BEGIN');
      await client.query(migration.sql);
      await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [
        migration.name,
        migration.checksum,
      ]);
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      if (!isLockTrouble(error) || attempt >= attempts) {
        const at = error instanceof DatabaseError ? placeOf(migration.sql, error) : '';
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`migration ${migration.name}${at} failed: ${reason}`, { cause: error });
      }
      await pause(Math.min(100 * attempt, 1000));
    }
  }
};

const isLockTrouble = (error: unknown): boolean =>
  error instanceof DatabaseError && (error.code === lockNotAvailable || error.code === deadlockDetected);

const placeOf = (sql: string, { position }: DatabaseError): string =>
  position === undefined ? '' : `, line ${sql.slice(0, Number(position)).split('\n').length},`;
