import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { Client } from 'pg';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { freePort } from '#test/support/free-port.ts';
import { type Running, runProgram, startProgram } from '#test/support/program.ts';
import { makeAccount, makeKeys, makeKeysOfAccounts, simulatedPlatform, videoId } from './bench-server.ts';
import { alternately, type Row, rounded } from './row.ts';
import {
  type PostgresServer,
  stableAddress,
  startNginx,
  startPgBouncer,
  startPrimary,
  startReplica,
} from './scale-servers.ts';

export const name = 'scale';

const usual = { seconds: 8, items: 800, connections: 64, accounts: 400 };
type Options = typeof usual;

/**
 * The service as several processes behind nginx, on a Postgres with a replica and the Redis of BENCH_REDIS_URL: rates by the
 * number of processes, a rolling restart, a replica for queries, a transaction pooler, and the failover to the replica.
 * The servers, the load and the simulated platform share the machine: the figures compare set-ups, and do not show what a larger
 * machine can serve. It needs nginx and PgBouncer.
 */
export const run = async (options: Options = usual): Promise<readonly Row[]> => {
  await using site = await openSite(options);
  return [
    ...(await byApiProcesses(site, options)),
    ...(await byWorkers(site, options)),
    ...(await rollingRestart(site, options)),
    ...(await throughPooler(site, options)),
    ...(await withReplica(site, options)),
  ];
};

type Settings = Readonly<Record<string, string>>;
type Site = Awaited<ReturnType<typeof openSite>>;

const database = 'service';

/** Starts Postgres behind one stable address, the platform and nginx, and creates an account with keys; no process of the service yet. */
const openSite = async ({ accounts }: Options) => {
  await using stack = new AsyncDisposableStack();
  const primary = stack.use(await startPrimary());
  const admin = new Client(await primary.url('postgres'));
  await admin.connect();
  await admin.query(`CREATE DATABASE ${database}`);
  await admin.end();
  const address = stack.use(await stableAddress(primary.port));
  const platform = stack.use(await simulatedPlatform());
  const nginx = stack.use(await startNginx());
  const direct = new URL(await primary.url(database));
  direct.port = String(address.port);
  const settings: Settings = {
    DATABASE_URL: direct.href,
    REDIS_URL: process.env['BENCH_REDIS_URL'] ?? 'redis://127.0.0.1:6379',
    SECRET_KEY: randomUUID() + randomUUID(),
    PLATFORM_ORIGIN: platform.origin,
    TRUSTED_PROXIES: '127.0.0.0/8',
    LOG_LEVEL: 'warn',
    SHUTDOWN_DRAIN: '500ms',
  };
  await finished(['migrate'], settings);
  const accountId = await makeAccount(settings);
  const [key = ''] = await makeKeys(direct.href, [accountId]);
  const keys = await makeKeysOfAccounts(direct.href, accounts);
  const parts = stack.move();
  return {
    primary,
    address,
    nginx,
    settings,
    key,
    keys,
    url: direct.href,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};

const finished = async (args: readonly string[], settings: Settings): Promise<void> => {
  const { code, stderr } = await runProgram(args, settings);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
};

/** Processes of one role with their ports; a worker has no port. */
const processes = async (role: 'api' | 'worker', count: number, settings: Settings) => {
  await using stack = new AsyncDisposableStack();
  const running = Array.from({ length: count }, () =>
    stack.use(startProgram([role === 'api' ? 'api' : 'worker'], { ...settings, ROLE: role })),
  );
  const ports = role === 'api' ? await Promise.all(running.map(portOf)) : [];
  if (role === 'worker') await pause(2_000);
  const parts = stack.move();
  return { running, ports, [Symbol.asyncDispose]: () => parts.disposeAsync() };
};

const portOf = async ({ ready }: Running): Promise<number> => Number(new URL(await ready).port);

const transcript = `/v1/transcripts/${videoId}?format=json`;

/** Sends requests with keys of many accounts; each connection has its own keys. */
const load = async (
  url: string,
  keys: readonly string[],
  { seconds, connections }: Pick<Options, 'seconds' | 'connections'>,
) => {
  let next = 0;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    setupClient: (client) => {
      const at = next;
      next += 1;
      const own = keys.filter((_, n) => n % connections === at % connections);
      client.setRequests(own.map((one) => ({ headers: { authorization: `Bearer ${one}` } })));
    },
  });
  return {
    perSecond: rounded(result['2xx'] / result.duration),
    p99: result.latency.p99,
    errors: result.errors + result.timeouts + result.non2xx,
    requests: result.requests.total,
  };
};

const byApiProcesses = async (site: Site, options: Options): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  const measured = async () => {
    await load(site.nginx.url + transcript, site.keys, { ...options, seconds: 3 });
    return await load(site.nginx.url + transcript, site.keys, options);
  };
  let ofOne = Number.NaN;
  for (const count of [1, 2, 4]) {
    await using api = await processes('api', count, site.settings);
    await site.nginx.lead(api.ports);
    const { perSecond, p99, errors } = await measured();
    const about = `${count} API processes behind nginx, charged transcripts of ${options.accounts} accounts`;
    rows.push(
      { case: about, value: perSecond, unit: 'requests/s' },
      { case: `${about}: p99`, value: p99, unit: 'ms' },
      zero(`${about}: errors`, errors, 'answers'),
    );
    if (count === 1) ofOne = perSecond;
    if (count !== 2) continue;
    await site.nginx.lead(api.ports, { isBlind: true });
    const blind = await measured();
    const aboutBlind = 'the same, requests of each caller to both in turns';
    rows.push(
      {
        case: `${aboutBlind}, against one process`,
        value: blind.perSecond,
        unit: 'requests/s',
        baseline: ofOne,
        ratio: rounded(blind.perSecond / ofOne),
        goal: 0.8,
        goalKind: 'ratio',
      },
      zero(`${aboutBlind}: errors`, blind.errors, 'answers'),
    );
  }
  return rows;
};

const zero = (what: string, value: number, unit: string): Row => ({
  case: what,
  value,
  unit,
  goal: 0,
  goalKind: 'at most',
});

let videosUsed = 0;

const byWorkers = async (site: Site, { items }: Options): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  await using api = await processes('api', 1, site.settings);
  await site.nginx.lead(api.ports);
  for (const count of [1, 2, 4]) {
    await using _workers = await processes('worker', count, site.settings);
    const perSecond = await itemsPerSecond(site, items);
    rows.push({ case: `${count} workers, job of ${items} items`, value: perSecond, unit: 'items/s' });
  }
  return rows;
};

/** A job of uncached videos, from its creation to its end. */
const itemsPerSecond = async (site: Site, items: number): Promise<number> => {
  const ids = Array.from({ length: items }, (_, n) => generatedId('vid', 1_000 + videosUsed + n));
  videosUsed += items;
  const headers = { authorization: `Bearer ${site.key}`, 'content-type': 'application/json' };
  const startedAt = performance.now();
  const made = await fetch(`${site.nginx.url}/v1/jobs`, { method: 'POST', headers, body: JSON.stringify({ ids }) });
  if (made.status !== 202) throw new Error(`the job was answered ${made.status}: ${await made.text()}`);
  const { job_id } = (await made.json()) as { job_id: string };
  for (;;) {
    const answer = await fetch(`${site.nginx.url}/v1/jobs/${job_id}`, { headers });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    const { status } = (await answer.json()) as { status: string };
    if (status.startsWith('completed')) break;
    if (status === 'failed') throw new Error('the job failed');
    await pause(100);
  }
  return rounded((items * 1_000) / (performance.now() - startedAt));
};

/** nginx tries a process that was away a second or two later, and takes it for back with its first answer. */
const backInNginxMs = 4_000;

/** Each of two API processes ends under load, and another one takes its port, as with a rolling restart of containers. */
const rollingRestart = async (site: Site, options: Options): Promise<readonly Row[]> => {
  await using stack = new AsyncDisposableStack();
  const start = async (port: number) => stack.use(await processes('api', 1, { ...site.settings, PORT: String(port) }));
  const ports = [await freePort(), await freePort()];
  const running: { readonly port: number; readonly process: AsyncDisposable }[] = [];
  for (const port of ports) running.push({ port, process: await start(port) });
  await site.nginx.lead(ports);
  const replaceAll = async (): Promise<void> => {
    for (const { port, process } of running) {
      await process[Symbol.asyncDispose]();
      await start(port);
      await pause(backInNginxMs);
    }
  };
  const [measured] = await Promise.all([
    load(site.nginx.url + transcript, site.keys, { ...options, seconds: 25 }),
    pause(2_000).then(replaceAll),
  ]);
  const about = 'two API processes replaced under load';
  return [
    zero(`${about}, ${measured.requests} requests: errors`, measured.errors, 'answers'),
    { case: `${about}: p99`, value: measured.p99, unit: 'ms' },
  ];
};

/** Against the same processes without the pooler, in alternation. */
const throughPooler = async (site: Site, options: Options): Promise<readonly Row[]> => {
  await using pooler = await startPgBouncer(site.primary);
  const pooled = { ...site.settings, DATABASE_URL: pooler.url(database), DATABASE_DIRECT_URL: site.url };
  let errors = 0;
  let itemsThroughPooler = Number.NaN;
  const measured = async (settings: Settings): Promise<number> => {
    await using api = await processes('api', 2, settings);
    await using _worker = await processes('worker', 1, settings);
    await site.nginx.lead(api.ports);
    await load(site.nginx.url + transcript, site.keys, { ...options, seconds: 3 });
    const answered = await load(site.nginx.url + transcript, site.keys, options);
    if (settings === pooled) {
      errors += answered.errors;
      itemsThroughPooler = await itemsPerSecond(site, options.items);
    }
    return answered.perSecond;
  };
  const compared = await alternately(
    3,
    () => measured(pooled),
    () => measured(site.settings),
  );
  const about = '2 API processes and a worker through PgBouncer (transaction mode)';
  return [
    { case: `${about}, against the same without it`, ...compared, unit: 'requests/s' },
    zero(`${about}: errors`, errors, 'answers'),
    { case: `${about}, job of ${options.items} items`, value: itemsThroughPooler, unit: 'items/s' },
  ];
};

const withReplica = async (site: Site, options: Options): Promise<readonly Row[]> => {
  await using replica = await startReplica(site.primary);
  return [...(await queriesOnReplica(site, replica, options)), ...(await failover(site, replica))];
};

const queriesOnReplica = async (site: Site, replica: PostgresServer, options: Options): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (const [where, settings] of [
    ['the primary', site.settings],
    ['a replica', { ...site.settings, DATABASE_READ_URL: await replica.url(database) }],
  ] as const) {
    await using api = await processes('api', 2, settings);
    await site.nginx.lead(api.ports);
    const { perSecond, errors } = await load(`${site.nginx.url}/v1/usage`, site.keys, options);
    const about = `usage queries of 2 API processes on ${where}`;
    rows.push({ case: about, value: perSecond, unit: 'requests/s' }, zero(`${about}: errors`, errors, 'answers'));
  }
  return rows;
};

/**
 * The primary is lost under charges; the replica, which has confirmed every commit, is promoted, and
 * the stable address leads to it. Every acknowledged charge must be in its log.
 */
const failover = async (site: Site, replica: PostgresServer): Promise<readonly Row[]> => {
  const admin = new Client(await site.primary.url(database));
  admin.on('error', () => undefined);
  await admin.connect();
  await admin.query("ALTER SYSTEM SET synchronous_standby_names = 'replica'");
  await admin.query('SELECT pg_reload_conf()');
  await pause(500);
  await using api = await processes('api', 2, site.settings);
  await site.nginx.lead(api.ports);

  const answered: { readonly event: string; readonly at: number }[] = [];
  let isOver = false;
  const caller = async (n: number): Promise<void> => {
    for (let turn = n; !isOver; turn += 16) {
      const key = site.keys[turn % site.keys.length] ?? '';
      const answer = await fetch(site.nginx.url + transcript, { headers: { authorization: `Bearer ${key}` } }).catch(
        () => null,
      );
      await answer?.arrayBuffer().catch(() => null);
      const event = answer?.status === 200 ? answer.headers.get('x-credits-event') : null;
      if (event != null) answered.push({ event, at: performance.now() });
      else await pause(50);
    }
  };
  const callers = Promise.all(Array.from({ length: 16 }, (_, n) => caller(n)));
  await pause(4_000);
  await site.primary.kill();
  const diedAt = performance.now();
  const promoted = new Client(await replica.url(database));
  await promoted.connect();
  await promoted.query('SELECT pg_promote()');
  site.address.lead(replica.port);
  const isBack = () => answered.some(({ at }) => at > diedAt + 200);
  for (let tries = 0; !isBack() && tries < 600; tries += 1) await pause(100);
  await pause(3_000);
  isOver = true;
  await callers;

  const { rows } = await promoted.query<{ event_id: string }>(
    'SELECT event_id FROM es_event WHERE event_id = ANY ($1::uuid[])',
    [answered.map(({ event }) => event)],
  );
  await promoted.end();
  await admin.end().catch(() => undefined);
  const firstAfter = answered.find(({ at }) => at > diedAt + 200);
  if (firstAfter === undefined) throw new Error('no charge was answered after the failover');
  return [
    zero(
      `failover to the replica: lost of ${answered.length} answered charges`,
      answered.length - rows.length,
      'charges',
    ),
    {
      case: 'failover to the replica: without answers, of it some 0.2 s for the promotion',
      value: rounded((firstAfter.at - diedAt) / 1_000),
      unit: 's',
    },
  ];
};
