import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import {
  type Binaries,
  childEnvironment,
  findOsUser,
  type OsUser,
  provideBinaries,
} from '#src/adapters/embedded-postgres/binaries.ts';
import { ensureCluster, urlOf } from '#src/adapters/embedded-postgres/cluster.ts';
import { freePort } from '#test/support/free-port.ts';

/** The servers around the processes of the service: Postgres with a replica, nginx, PgBouncer, one stable address. */

const settings = { fsync: 'on', synchronous_commit: 'on', max_connections: '300', max_wal_size: '2GB' };

export type PostgresServer = AsyncDisposable & {
  readonly folder: string;
  readonly port: number;
  /** The URL of a database of this server. */
  readonly url: (database: string) => Promise<string>;
  /** Ends the server as the loss of its machine does: no final writes, no orderly close of connections. */
  kill(): Promise<void>;
};

type Cluster = { readonly folder: string; readonly user: OsUser; readonly binaries: Binaries };

const started = async ({ folder, user, binaries }: Cluster): Promise<PostgresServer> => {
  const port = await freePort();
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
  const child = spawn(
    binaries.postgres,
    [
      ...['-D', join(folder, 'data'), '-p', String(port)],
      ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { cwd: '/', stdio: 'ignore', env: childEnvironment, ...user },
  );
  const url = (database: string) => urlOf(folder, port, database);
  await untilAnswers(await url('postgres'));
  return {
    folder,
    port,
    url,
    async kill() {
      const parent = String(child.pid);
      const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', parent]);
      child.kill('SIGKILL');
      for (const pid of stdout.trim().split(/\s+/)) process.kill(Number(pid), 'SIGKILL');
    },
    [Symbol.asyncDispose]: async () => {
      await ended(child, 'SIGINT');
      await rm(dirname(folder), { recursive: true, force: true });
    },
  };
};

const untilAnswers = async (url: string): Promise<void> => {
  for (let tries = 0; ; tries += 1) {
    const client = new Client(url);
    const failure = await client.connect().then(
      () => null,
      (error: unknown) => error,
    );
    await client.end().catch(() => undefined);
    if (failure === null) return;
    if (tries > 300) throw new Error('Postgres does not answer', { cause: failure });
    await pause(50);
  }
};

const newCluster = async (): Promise<Cluster> => {
  const parent = await mkdtemp(join(tmpdir(), 'steno-scale-'));
  await chmod(parent, 0o755);
  const user = await findOsUser();
  const binaries = await provideBinaries(user, join(parent, 'programs'), () => undefined);
  return { folder: join(parent, 'postgres'), user, binaries };
};

export const startPrimary = async (): Promise<PostgresServer> => {
  const cluster = await newCluster();
  await ensureCluster({ ...cluster, settings: {} });
  return await started(cluster);
};

/** A streaming replica of a running server, made from a base backup. */
export const startReplica = async (primary: PostgresServer): Promise<PostgresServer> => {
  const cluster = await newCluster();
  const { folder, user } = cluster;
  const client = new Client({ connectionString: await primary.url('postgres') });
  await client.connect();
  await client.query("SELECT pg_backup_start('replica', true)");
  await promisify(execFile)('cp', ['-a', `${primary.folder}/.`, folder]);
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  await client.end();
  const { username, password } = new URL(await primary.url('postgres'));
  const source = `host=127.0.0.1 port=${primary.port} user=${username} password=${password}`;
  const files = {
    backup_label: rows[0]?.labelfile ?? '',
    'standby.signal': '',
    'postgresql.auto.conf': `primary_conninfo = '${source} application_name=replica'\n`,
  };
  await rm(join(folder, 'data', 'postmaster.pid'), { force: true });
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, 'data', name), text);
    if (user !== null) await chown(join(folder, 'data', name), user.uid, user.gid);
  }
  return await started(cluster);
};

/** A TCP proxy to one server, and to another one after `lead`, as the service address of a cluster. */
export const stableAddress = async (first: number) => {
  let target = first;
  const sockets = new Set<Socket>();
  const server = createServer((caller) => {
    const inner = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [caller, inner],
      [inner, caller],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  const port = await listening(server);
  return {
    port,
    lead: (to: number): void => {
      target = to;
      for (const socket of sockets) socket.destroy();
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

const listening = async (server: ReturnType<typeof createServer>): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

const ended = async (child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
};

const untilOpen = async (port: number, what: string): Promise<void> => {
  for (let tries = 0; tries < 200; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await pause(25);
  }
  throw new Error(`${what} does not listen; is it installed?`);
};

/** nginx with `infra/nginx.conf`, in front of some processes of this machine. */
export const startNginx = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'steno-scale-nginx-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  const shipped = await readFile(new URL('../../infra/nginx.conf', import.meta.url), 'utf8');
  const write = (ports: readonly number[], isBlind = false): Promise<void> => {
    const servers = ports.map((one) => `server 127.0.0.1:${one} max_fails=1 fail_timeout=1s;`);
    const text = shipped
      .replace(/^ *resolver .*$/m, '')
      .replace(isBlind ? /^ *hash .*$/m : '', '')
      .replace(/^ *server api:3000 .*$/m, servers.join('\n'))
      .replace('listen 8080;', `listen 127.0.0.1:${port}; keepalive_requests 1000000;`)
      .replace('access_log /dev/stdout without_query;', 'access_log off;')
      .replace('http {', `http { client_body_temp_path ${folder};`);
    return writeFile(file, `daemon off;\npid ${folder}/pid;\n${text}`);
  };
  await write([9]);
  const child = spawn('nginx', ['-p', folder, '-e', join(folder, 'error.log'), '-c', file], { stdio: 'ignore' });
  child.on('error', () => undefined);
  await untilOpen(port, 'nginx');
  return {
    url: `http://127.0.0.1:${port}`,
    /** Requests go to these processes from now on, in turns if `isBlind`: those of one caller to all of them. */
    async lead(ports: readonly number[], { isBlind = false } = {}): Promise<void> {
      await write(ports, isBlind);
      child.kill('SIGHUP');
      await pause(500);
    },
    [Symbol.asyncDispose]: async () => {
      await ended(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** PgBouncer in transaction mode in front of a server; returns the URL of a database through it. */
export const startPgBouncer = async (server: PostgresServer) => {
  const folder = await mkdtemp(join(tmpdir(), 'steno-scale-pgbouncer-'));
  const port = await freePort();
  const { username, password } = new URL(await server.url('postgres'));
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
     * = host=127.0.0.1 port=${server.port} user=${username} password=${password}
     [pgbouncer]
     listen_addr = 127.0.0.1
     listen_port = ${port}
     unix_socket_dir =
     auth_type = any
     pool_mode = transaction
     default_pool_size = 16
     max_client_conn = 1000
     ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout
     logfile = ${folder}/log
     `,
  );
  const user = await findOsUser();
  await chmod(folder, 0o777);
  const child = spawn('pgbouncer', ['-q', file], { stdio: 'ignore', ...user });
  child.on('error', () => undefined);
  await untilOpen(port, 'PgBouncer');
  return {
    url: (database: string): string => `postgres://${username}@127.0.0.1:${port}/${database}`,
    [Symbol.asyncDispose]: async () => {
      await ended(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
};
