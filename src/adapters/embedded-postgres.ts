import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { codeOf } from '../eventlog/unavailable-error.ts';
import { elapsedMs } from '../kernel/clock.ts';
import { provideBinaries } from './embedded-postgres/binaries.ts';
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
} from './embedded-postgres/cluster.ts';
import { leaveWord, locate, refuseFilesOfRoot } from './embedded-postgres/place.ts';

/** A running Postgres on a folder. Disposing it stops the server, unless another process still uses it. */
export type EmbeddedPostgres = {
  readonly url: string;
  /** Where data, password and log of the server are. */
  readonly folder: string;
  [Symbol.asyncDispose](): Promise<void>;
};

const database = 'steno';
const lockOfUsers = [20261121, 3] as const;
const openTimeoutMs = 90_000;

/**
 * Opens the Postgres of a data folder: the one that runs already (started by another process, or left by
 * one that was killed), else it starts it, and creates it the first time.
 *
 * Every process that uses it holds a shared lock inside the database; who leaves and finds itself alone
 * stops the server. So a command beside a running server, a server beside a running command, and a
 * process that dies need no file that could be stale.
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
  await leaveWord(place);
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
    // It is the one of this folder that refuses us.
    if (found !== null) throw found;
    await pause(50);
  }
  throw new Error(
    `Postgres of ${folder} does not answer within ${openTimeoutMs / 1000} s; its log is ${join(folder, 'postgres.log')}`,
  );
};

/**
 * Null: nobody answers there, or the server is just starting or ending. An error: somebody answers and refuses, which may be
 * another server that has the port of one that is gone.
 */
const connect = async (
  cluster: Cluster,
  postmaster: Postmaster,
): Promise<Client | Error | null> => {
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
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [
      database,
    ]);
    if (rowCount === 0) await createDatabase(client);
    return client;
  } catch (error) {
    const isOver = isPassing(error);
    // It is ours and of no use, on a full disk for example: without us it must not run on for nobody.
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
    // Another process did it at the same time: duplicate_database, or a unique violation of its catalog.
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
    const { rows } = await client.query<{ alone: boolean }>(
      'SELECT pg_try_advisory_lock($1, $2) AS alone',
      [...lockOfUsers],
    );
    // Who comes now waits for the lock, is sent away by the end of the server and starts it anew.
    if (rows[0]?.alone === true) await stopPostmaster(folder, postmaster);
  } catch (error) {
    if (!isPassing(error) && !/not queryable/.test(String(error))) throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
};
