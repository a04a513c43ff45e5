import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMs } from '../../kernel/clock.ts';
import { newUuid } from '../../kernel/ids.ts';
import { type Binaries, childEnvironment, faultIn, type OsUser, run } from './binaries.ts';

/** One folder with `data` (the cluster), `password` (0600) and `postgres.log`. */
export type Cluster = {
  readonly folder: string;
  readonly user: OsUser;
  readonly binaries: Binaries;
  /** Names and values of postgresql.conf. */
  readonly settings: Readonly<Record<string, string>>;
};

/** The content of the lock file; `pid` is 0 when it cannot be parsed. */
export type Postmaster = { readonly pid: number; readonly port: number; readonly status: string };

export const superuser = 'steno';

/** The major version of the package; it cannot open a folder of another major version. */
const majorVersion = '18';
const readyTimeoutMs = 60_000;
const stopTimeoutMs = 20_000;
const pollMs = 20;
/** The server creates its lock file and writes to it afterwards; an empty file that is younger is not stale. */
const lockWrittenMs = 1_000;
/** The log file is rotated once at this size, so that a logging loop does not fill the disk. */
const logLimitBytes = 10 * 1024 * 1024;

/**
 * Creates the cluster unless it exists. It is made under a temporary name and renamed, so that of two processes one
 * wins, and a killed one leaves no partial cluster.
 */
export const ensureCluster = async ({ folder, user, binaries }: Cluster): Promise<void> => {
  const version = await readFile(join(folder, 'data', 'PG_VERSION'), 'utf8').catch(() => null);
  if (version !== null) {
    if (version.trim() === majorVersion) return;
    throw new Error(
      `${folder} holds a database of Postgres ${version.trim()}, this program brings Postgres ${majorVersion}; move it away, or export it with the version that wrote it`,
    );
  }
  await removeAbandoned(folder);
  const beside = `${folder}.new-${process.pid}-${newUuid()}`;
  const password = randomBytes(24).toString('base64url');
  try {
    await mkdir(beside, { recursive: true, mode: 0o700 });
    const passwordFile = join(beside, 'password');
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    if (user !== null) {
      await chown(beside, user.uid, user.gid);
      await chown(passwordFile, user.uid, user.gid);
    }
    const made = await run(binaries.initdb, initdbArguments(beside), user);
    if (made.code !== 0) {
      throw new Error(`initdb failed in ${beside}: ${faultIn(made.stderr || made.stdout)}`);
    }
    await rename(beside, folder);
  } catch (error) {
    const isOthers = await stat(join(folder, 'data', 'PG_VERSION')).catch(() => null);
    if (isOthers === null) throw error;
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
};

/** UTF-8 and the C collation on every system; locales of the machine and their upgrades have no effect. */
const initdbArguments = (folder: string): readonly string[] => [
  `--pgdata=${join(folder, 'data')}`,
  `--username=${superuser}`,
  `--pwfile=${join(folder, 'password')}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
];

/** Removes temporary folders of processes that were killed within initdb. */
const removeAbandoned = async (folder: string): Promise<void> => {
  const prefix = `${basename(folder)}.new-`;
  for (const name of await readdir(dirname(folder)).catch(() => [])) {
    const pid = Number(/^(\d+)-/.exec(name.slice(prefix.length))?.[1]);
    if (name.startsWith(prefix) && pid > 0 && !isAlive(pid)) {
      await rm(join(dirname(folder), name), { recursive: true, force: true });
    }
  }
};

/** The connection string of the database `database` of a running server. */
export const urlOf = async (folder: string, port: number, database: string): Promise<string> => {
  const password = (await readFile(join(folder, 'password'), 'utf8')).trim();
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/${database}`;
};

/** Reads the lock file of the server; null when there is none. Its format: src/include/miscadmin.h of Postgres. */
export const readPostmaster = async (folder: string): Promise<Postmaster | null> => {
  const text = await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => null);
  if (text === null) return null;
  const lines = text.split('\n');
  return { pid: Math.abs(Number(lines[0])) || 0, port: Number(lines[3]), status: lines[7]?.trim() ?? 'starting' };
};

/**
 * Whether a process is the Postgres of this folder. After a crash another process may have its pid: in containers pids
 * are small and reused soon.
 */
export const isPostmaster = async (folder: string, pid: number): Promise<boolean> => {
  if (pid === 0 || !isAlive(pid)) return false;
  const commandLine =
    (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null)) ??
    (await run('ps', ['-o', 'command=', '-p', String(pid)], null)).stdout;
  return commandLine.includes('postgres') && commandLine.includes(join(folder, 'data'));
};

/** Signal 0 tests whether a process exists; EPERM means that it belongs to another user. */
export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/**
 * Removes a lock file whose process is gone, or is no Postgres, or that has no process id; Postgres itself only handles
 * the first case. False: the file has changed meanwhile.
 */
export const removeStaleLock = async (folder: string, stale: Postmaster): Promise<boolean> => {
  if (stale.pid === 0) await pause(lockWrittenMs);
  const now = await readPostmaster(folder);
  if (now?.pid !== stale.pid) return false;
  await rm(join(folder, 'data', 'postmaster.pid'), { force: true });
  return true;
};

/**
 * Starts the server on a free port of the loopback interface and waits until it answers.
 * 'lost': another process is starting or still ending on this folder; look again.
 */
export const startPostmaster = async (cluster: Cluster): Promise<'ready' | 'lost'> => {
  const { folder, user, binaries, settings } = cluster;
  const logPath = join(folder, 'postgres.log');
  const logSize = await stat(logPath).then(
    ({ size }) => size,
    () => 0,
  );
  if (logSize > logLimitBytes) await rename(logPath, `${logPath}.old`);
  const log = await open(logPath, 'a', 0o600);
  const logStart = (await log.stat()).size;
  await chmod(logPath, 0o600);
  // A process group of its own: Ctrl-C in a terminal reaches this process, which stops the database last.
  const child = spawn(binaries.postgres, postgresArguments(folder, await freePort(), settings), {
    cwd: '/',
    env: childEnvironment,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    ...user,
  });
  child.unref();
  try {
    const failure = await untilReady(folder, child);
    if (failure === null) return 'ready';
    const said = (await readFile(logPath, 'utf8')).slice(logStart);
    if (/lock file|shared memory block|in use|shutting down/.test(`${failure} ${said}`)) return 'lost';
    throw new Error(`Postgres did not start: ${faultIn(said) || failure} (its log is ${logPath})`);
  } finally {
    await log.close();
  }
};

const postgresArguments = (
  folder: string,
  port: number,
  settings: Readonly<Record<string, string>>,
): readonly string[] => [
  '-D',
  join(folder, 'data'),
  '-p',
  String(port),
  ...Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    log_min_messages: 'warning',
    log_line_prefix: '%m [%p] ',
    idle_in_transaction_session_timeout: '60s',
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** Resolves to null once the server is ready, else to the reason why it ended. */
const untilReady = async (folder: string, child: ChildProcess): Promise<string | null> => {
  let ended: string | null = null;
  child.on('error', (error) => {
    ended = error.message;
  });
  child.on('exit', (code, signal) => {
    ended = `it ended with ${code ?? signal}`;
  });
  const deadline = elapsedMs() + readyTimeoutMs;
  while (ended === null) {
    const postmaster = await readPostmaster(folder);
    if (postmaster?.pid === child.pid && postmaster?.status === 'ready') return null;
    if (elapsedMs() > deadline) {
      child.kill('SIGQUIT');
      return `it was not ready within ${readyTimeoutMs / 1000} s`;
    }
    await pause(pollMs);
  }
  return ended;
};

/** Stops the server: a fast shutdown, after 20 s an immediate one (with recovery at the next start). */
export const stopPostmaster = async (folder: string, { pid }: Postmaster): Promise<void> => {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    const deadline = elapsedMs() + (signal === 'SIGINT' ? stopTimeoutMs : 2_000);
    while (elapsedMs() < deadline) {
      // A zombie process keeps its pid but is no Postgres any more.
      if (!(await isPostmaster(folder, pid)) && (await readPostmaster(folder))?.pid !== pid) return;
      await pause(pollMs);
    }
  }
};
