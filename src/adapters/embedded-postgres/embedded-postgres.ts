import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { codeOf } from '../../eventlog/unavailable-error.ts';
import { elapsedMs } from '../../kernel/clock.ts';
import { provideBinaries } from './binaries.ts';
import {
  type Cluster,
  ensureCluster,
  isPostmaster,
  type Postmaster,
  readPostmaster,
  removeStaleLock,
  startPostmaster,
  stopPostmaster,
  urlOf,
} from './cluster.ts';
import { locate, refuseFilesOfRoot, writeClusterPointer } from './data-folder.ts';

/** A running Postgres on a folder. Disposing it stops the server, unless another process still uses it. */
export type EmbeddedPostgres = {
  readonly url: string;
  /** The folder of data, password and log. */
  readonly folder: string;
  [Symbol.asyncDispose](): Promise<void>;
};

const database = 'steno';
const lockOfUsers = [20261121, 3] as const;
const openTimeoutMs = 90_000;

/**
 * Opens the Postgres of a data folder: connects to a running server (of another process, or of one that was killed), or
 * starts it, and creates the cluster the first time.
 *
 * Every process that uses it holds a shared advisory lock; a process that disconnects and finds no other holder stops
 * the server. So no state file can become stale when a process dies.
 */
export const openEmbeddedPostgres = async (options: {
  readonly dataDir: string;
  /** Added to postgresql.conf, when this call is the one that starts the server. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly onNotice?: (message: string) => void;
}): Promise<EmbeddedPostgres> => {
  const { dataDir, settings = {}, onNotice = () => {} } = options;
  const place = await locate(dataDir, onNotice);
  const { folder, user, copiesFolder } = place;
  const binaries = await provideBinaries(user, copiesFolder, onNotice);
  const cluster: Cluster = { folder, user, binaries, settings };
  await ensureCluster(cluster);
  refuseFilesOfRoot(place);
  await writeClusterPointer(place);
  const holder = await attach(cluster, onNotice);
  return {
    url: await urlOf(folder, holder.postmaster.port, database),
    folder,
    [Symbol.asyncDispose]: () => leave(cluster, holder),
  };
};

type Holder = { readonly client: Client; readonly postmaster: Postmaster };

const attach = async (cluster: Cluster, onNotice: (message: string) => void): Promise<Holder> => {
  const { folder } = cluster;
  const deadline = elapsedMs() + openTimeoutMs;
  while (elapsedMs() < deadline) {
    const postmaster = await readPostmaster(folder);
    if (postmaster === null) {
      await startPostmaster(cluster);
      continue;
    }
    const found = postmaster.status === 'ready' ? await connect(cluster, postmaster) : null;
    if (found instanceof Client) return { client: found, postmaster };
    if (!(await isPostmaster(folder, postmaster.pid))) {
      if (await removeStaleLock(folder, postmaster)) {
        onNotice(`Postgres of ${folder} was not stopped properly; it recovers from its log`);
      }
      continue;
    }
    // The server of this folder refuses the connection.
    if (found !== null) throw found;
    await pause(50);
  }
  throw new Error(
    `Postgres of ${folder} does not answer within ${openTimeoutMs / 1000} s; its log is ${join(folder, 'postgres.log')}`,
  );
};

/**
 * Null: no server answers, or it is starting or stopping. An error: a server refuses the connection, perhaps another
 * one that has taken the port.
 */
const connect = async (cluster: Cluster, postmaster: Postmaster): Promise<Client | Error | null> => {
  const { folder } = cluster;
  const client = new Client({
    connectionString: await urlOf(folder, postmaster.port, 'postgres'),
    application_name: `steno process ${process.pid}`,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  client.on('error', () => {});
  let isUser = false;
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock_shared($1, $2)', [...lockOfUsers]);
    isUser = true;
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (rowCount === 0) await createDatabase(client);
    return client;
  } catch (error) {
    const isOver = isPassing(error);
    // This process started the server and cannot use it, for example on a full disk: it must not keep running.
    if (isUser && !isOver) await leave(cluster, { client, postmaster }).catch(() => undefined);
    else await client.end().catch(() => undefined);
    if (isOver) return null;
    const refused = new Error(`connecting to the Postgres of ${folder}`, { cause: error });
    if (isUser) throw refused;
    return refused;
  }
};

const createDatabase = async (client: Client): Promise<void> => {
  try {
    await client.query(`CREATE DATABASE ${database}`);
  } catch (error) {
    // A concurrent process created it: duplicate_database, or a unique violation in the catalog.
    if (!['42P04', '23505'].includes(codeOf(error) ?? '')) throw error;
  }
};

/** Class 57 of SQLSTATE is "operator intervention": starting up, shutting down. */
const isPassing = (error: unknown): boolean =>
  /^(ECONNREFUSED|ECONNRESET|EPIPE|57P0\d)$/.test(codeOf(error) ?? '') ||
  (error instanceof Error && /terminated|timeout/i.test(error.message));

const leave = async ({ folder }: Cluster, { client, postmaster }: Holder): Promise<void> => {
  try {
    await client.query('SELECT pg_advisory_unlock_shared($1, $2)', [...lockOfUsers]);
    const { rows } = await client.query<{ alone: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS alone', [
      ...lockOfUsers,
    ]);
    // A process that connects now waits for the lock, is disconnected by the shutdown and starts the server again.
    if (rows[0]?.alone === true) await stopPostmaster(folder, postmaster);
  } catch (error) {
    if (!isPassing(error) && !/not queryable/.test(String(error))) throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
};
