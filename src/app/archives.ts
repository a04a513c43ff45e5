import type { Client } from 'pg';
import { z } from 'zod';
import { projections } from '#projections/index.ts';
import { addWork, hasQueue, waitingWorkSql } from '../adapters/graphile-worker/work-queue.ts';
import { exportArchive } from '../adapters/postgres/archive/export-archive.ts';
import type { Manifest } from '../adapters/postgres/archive/format.ts';
import { importArchive } from '../adapters/postgres/archive/import-archive.ts';
import { inspectMigrations, migrate, readMigrations } from '../adapters/postgres/migrations.ts';
import { insertSecretState, type SecretState, secretStateIn } from '../adapters/postgres/secret-keys/secret-state.ts';
import type { Config } from '../config.ts';
import type { Archives } from '../edges/cli/operator-interface.ts';
import { reactionsName } from '../edges/worker/reactions.ts';
import type { Task } from '../edges/worker/task.ts';
import { openClient } from '../eventlog/connection.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { adoptOn, requireNoProcess } from './adopt-secret.ts';
import { commandPool, connectTimeoutOfCommandMs } from './command-pool.ts';
import { openCore } from './open-core.ts';
import { type OpenDatabase, openDatabase } from './open-database.ts';
import { fingerprintOf } from './secret-keys.ts';

/** Archives of the configured database. `program`: the version that writes. */
export const archivesOf = (
  configured: (options: { readonly mayCreate: boolean }) => readonly [Config, { readonly logger: Logger }],
  program: string,
): Archives => ({
  write: async function* ({ content, until }, { signal, onProgress }) {
    const [config, { logger }] = configured({ mayCreate: false });
    await using database = await openDatabase(config, { logger, withMigrations: false });
    const url = database.directUrl;
    const { applied } = await inspectMigrations({ url });
    if (applied.length === 0) throw new Error('the database has no tables of Steno yet');
    yield* exportArchive({
      ...{ url, content, until, program, signal },
      onProgress: (done, total) => onProgress?.({ what: 'lines', done, total }),
      createdAt: systemClock().toISOString(),
      secret: await archivedSecret(url, config),
      // An archive contains the checkpoint of what fills the queue, and the tasks it has queued.
      subscription: reactionsName,
      tasksSql: async (client) => ((await hasQueue(client)) ? waitingWorkSql : null),
    });
  },
  restore: async (bytes, { content, isSecretLost }, work) => {
    const [config, { logger }] = configured({ mayCreate: true });
    await using database = await openDatabase(config, { logger, withMigrations: false });
    const url = database.directUrl;
    // A process would append events and update read models.
    await requireNoProcess(url);
    let archived: Manifest | null = null;
    const end = await importArchive({
      ...{ url, bytes, signal: work.signal, subscription: reactionsName },
      prepare: async (manifest) => {
        requireContent(manifest, content);
        if (!isSecretLost) requireSecret(manifest, config);
        archived = manifest;
        await migrateAsIn(manifest, url);
        if (content === 'backup') await makeQueue(url);
      },
      addTasks,
    });
    await migrate({ url });
    await settleSecret(url, config, { archived, isSecretLost });
    const last = BigInt(end.last_position);
    await foldReadModels(config, database, { ...work, logger, last });
    return end;
  },
});

const requireContent = (manifest: Manifest, wanted: Manifest['content']): void => {
  if (manifest.content === wanted) return;
  throw new Error(
    wanted === 'backup'
      ? 'the archive contains only events, no accounts and no keys: use steno events import'
      : 'the archive is a backup: use steno restore',
  );
};

const requireSecret = (manifest: Manifest, config: Config): void => {
  const { secret_fingerprint: fingerprint, secret_previous_fingerprint: previous = null } = manifest;
  const { secretKey, previousSecretKey } = config;
  const known = [secretKey, ...(previousSecretKey === null ? [] : [previousSecretKey])];
  const fingerprints = known.map(fingerprintOf);
  const isKnown = (one: string | null): boolean => one === null || fingerprints.includes(one);
  if (isKnown(fingerprint) && isKnown(previous)) return;
  throw new Error(
    'SECRET_KEY is not the one that the backup was made with; set that one, also as SECRET_KEY_PREVIOUS beside a new one, or add --lost-secret where it is lost: passwords and the signing secrets of webhooks are lost with it',
  );
};

/** The keys of the rows of a database, which may be older than what names them. */
const archivedSecret = async (
  url: string,
  { secretKey }: Config,
): Promise<Pick<SecretState, 'fingerprint' | 'previous'>> => {
  await using client = await openClient({ url, applicationName: 'steno archive' });
  return (await secretStateIn(client)) ?? { fingerprint: fingerprintOf(secretKey), previous: null };
};

/** Keeps which keys the restored rows are made with; where those are lost, adopts SECRET_KEY. */
const settleSecret = async (
  url: string,
  config: Config,
  { archived, isSecretLost }: { readonly archived: Manifest | null; readonly isSecretLost: boolean },
): Promise<void> => {
  const fingerprint = archived?.secret_fingerprint ?? null;
  if (fingerprint === null) return;
  const previous = archived?.secret_previous_fingerprint ?? null;
  const pool = commandPool(url);
  try {
    await insertSecretState(pool, { fingerprint, previous });
    if (isSecretLost) await adoptOn(pool, config, 'all');
  } finally {
    await pool.end();
  }
};

/** Applies the migrations of the archive before the import, and later ones after it, so that rows match their tables. */
const migrateAsIn = async ({ migrations, program }: Manifest, url: string): Promise<void> => {
  const known = new Map((await readMigrations()).map(({ name, checksum }) => [name, checksum]));
  const foreign = migrations.find(({ name, checksum }) => known.get(name) !== checksum);
  if (foreign !== undefined) {
    throw new Error(
      `the archive has the migration ${foreign.name}, which this program does not have: use the version of Steno that wrote it (${program}), or a later one`,
    );
  }
  const upTo = migrations.at(-1)?.name ?? '';
  await migrate({ url, upTo });
  const { applied } = await inspectMigrations({ url });
  const later = applied.find((name) => name > upTo);
  if (later !== undefined) {
    throw new Error(
      `the database has the migration ${later}, which is later than the archive: import an archive into a new database`,
    );
  }
};

const makeQueue = async (url: string): Promise<void> => {
  const { runMigrations } = await import('graphile-worker');
  const pgPool = commandPool(url);
  await runMigrations({ pgPool }).finally(() => pgPool.end());
};

const StoredTask = z.object({
  task: z.string(),
  key: z.string(),
  payload: z.record(z.string(), z.unknown()),
  runAt: z.string().nullable(),
  priority: z.int(),
  concurrencyKeys: z.array(z.string()),
  attemptsLeft: z.int(),
  queueName: z.string().nullable(),
});

const addTasks = async (client: Client, tasks: readonly string[]): Promise<void> => {
  const work = tasks.map((text): Task => {
    const { queueName, ...task } = StoredTask.parse(JSON.parse(text));
    return queueName === null ? task : { ...task, queueName };
  });
  await addWork(client, work);
};

/** Updates every read model up to the last event; throws if one fails. */
const foldReadModels = async (
  config: Config,
  database: OpenDatabase,
  options: Parameters<Archives['restore']>[2] & { readonly logger: Logger; readonly last: bigint },
): Promise<void> => {
  const { logger, signal, onProgress, last } = options;
  await using stack = new AsyncDisposableStack();
  const connectTimeoutMs = connectTimeoutOfCommandMs;
  const core = await openCore(stack, config, database, { logger, isFolding: true, connectTimeoutMs });
  for (const { name } of projections) {
    while ((await core.caughtUp(name, last)) !== true) {
      signal.throwIfAborted();
      const { failure = null, position = 0n } = (await core.subscriptions.get(name)?.report()) ?? {};
      if (failure !== null) throw new Error(`the read model ${name} cannot be folded: ${failure}`);
      onProgress?.({ what: `${name}, events`, done: Number(position), total: Number(last) });
    }
  }
};
