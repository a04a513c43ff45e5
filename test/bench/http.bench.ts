import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import pg from 'pg';
import { testDatabase } from '#test/support/database.ts';
import { key } from '#test/support/http.ts';
import { type BenchServer, longVideoId, startBenchServer, videoId } from './bench-server.ts';
import { alternately, median, type Row, rounded } from './row.ts';

export const name = 'http';

const connections = 32;

const asked = [
  { id: videoId, format: 'json' },
  { id: videoId, format: 'srt' },
  { id: longVideoId, format: 'json' },
];

/**
 * Charged transcripts from the cache, each charge durable before its answer, against a bare Express route that sends
 * the same bytes: each in its own process, the load in this one. Every connection has its own key in
 * every round, so that the real limiter counts every request and the 3,000 a minute of one key are not reached. Then
 * against a route that charges with a conditional UPDATE, and the HTTP server without a ledger.
 */
export const run = async (options = { seconds: 4, rounds: 3 }): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  await using server = await startBenchServer();
  for (const { id, format } of asked) {
    const path = `/v1/transcripts/${id}?format=${format}`;
    const [first = ''] = await server.keys(1);
    await using bare = await bareExpress(server.url + path, first);
    const ours = async (seconds = options.seconds) => load(server.url + path, seconds, await server.keys(connections));
    const theirs = async (seconds = options.seconds) => load(bare.url + path, seconds, []);
    await ours(2);
    await theirs(1);
    const measured: Load[] = [];
    const { value, baseline, ratio } = await alternately(
      options.rounds,
      async () => {
        const one = await ours();
        measured.push(one);
        return one.perSecond;
      },
      async () => (await theirs()).perSecond,
    );
    const latency = (of: keyof Load) => median(measured.map((one) => one[of]));
    const about = `cached transcript, charged, ${connections} connections, ${format} (${bare.kB} kB)`;
    rows.push(
      { case: about, value, unit: 'requests/s', baseline, ratio, goal: 0.5, goalKind: 'ratio' },
      { case: `${about}: p50`, value: rounded(latency('p50')), unit: 'ms' },
      { case: `${about}: p99`, value: rounded(latency('p99')), unit: 'ms' },
    );
  }
  rows.push(...(await againstConventional(server, options)));
  rows.push(await edgeAlone({ ...options, seconds: options.seconds / 2 }));
  return rows;
};

/** Numbers of accounts charged concurrently, each with the ratio to the conventional route that is the goal. */
const conventionalGoals = [
  { accounts: 1, goal: 6 },
  { accounts: 1_000, goal: 3 },
] as const;

/** The same request against the conventional route, with its own database on the same Postgres. */
const againstConventional = async (
  server: BenchServer,
  options: { readonly seconds: number; readonly rounds: number },
): Promise<readonly Row[]> => {
  const path = `/v1/transcripts/${videoId}?format=json`;
  const [first = ''] = await server.keys(1);
  const rows: Row[] = [];
  for (const { accounts, goal } of conventionalGoals) {
    await using conventional = await conventionalExpress(server.url + path, first, accounts);
    // One account gets new keys in every round because of their rate limit; over many accounts each key stays below it.
    const keys = accounts === 1 ? null : await server.keysOfAccounts(accounts);
    const ours = async (seconds = options.seconds) =>
      load(server.url + path, seconds, keys ?? (await server.keys(connections)));
    const theirs = async (seconds = options.seconds) => load(conventional.url + path, seconds, conventional.keys);
    await ours();
    await theirs(1);
    const measured = await alternately(
      options.rounds,
      async () => (await ours()).perSecond,
      async () => (await theirs()).perSecond,
    );
    const of = accounts === 1 ? 'one account' : `${accounts.toLocaleString('en')} accounts`;
    rows.push({
      case: `cached transcript, charged, ${of}, against a conventional route with pg (${conventional.kB} kB)`,
      unit: 'requests/s',
      goal,
      goalKind: 'ratio',
      ...measured,
    });
  }
  return rows;
};

/** The cost of the HTTP server itself: with a command that returns at once, against the bare route. */
const edgeAlone = async (options: { readonly seconds: number; readonly rounds: number }): Promise<Row> => {
  await using server = await started('./edge-server.ts');
  const address = `${server.url}/v1/transcripts/${videoId}`;
  await using bare = await bareExpress(address, key);
  const ours = () => load(address, options.seconds, Array(connections).fill(key));
  const theirs = () => load(`${bare.url}/v1/transcripts/${videoId}`, options.seconds, []);
  await ours();
  await theirs();
  const { value, baseline, ratio } = await alternately(
    options.rounds,
    async () => (await ours()).perSecond,
    async () => (await theirs()).perSecond,
  );
  const about = `the HTTP server alone, with commands from memory, json (${bare.kB} kB)`;
  return { case: about, value, unit: 'requests/s', baseline, ratio };
};

type Load = { readonly perSecond: number; readonly p50: number; readonly p99: number };

/** Each connection rotates through its own keys; with fewer keys than connections, they share keys. */
const load = async (url: string, duration: number, keys: readonly string[]): Promise<Load> => {
  let connection = 0;
  const result = await autocannon({
    url,
    connections,
    duration,
    setupClient: (client) => {
      const from = connection % Math.max(1, Math.min(connections, keys.length));
      connection += 1;
      const own = keys.filter((_, n) => n % connections === from);
      if (own.length === 0) return;
      client.setRequests(own.map((one) => ({ headers: { authorization: `Bearer ${one}` } })));
    },
  });
  const { errors, non2xx, timeouts } = result;
  if (errors + non2xx + timeouts > 0) {
    throw new Error(`${url}: ${errors} errors, ${non2xx} not 2xx, ${timeouts} time-outs`);
  }
  const { p50, p99 } = result.latency;
  return { perSecond: result['2xx'] / result.duration, p50, p99 };
};

/** Starts a server of this folder in a child process. */
export const started = async (file: string, ...args: readonly string[]) => {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx/esm'), program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(child.stdout, 'data');
  return {
    url: String(said).replace('listening on ', '').trim(),
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
};

/** A bare Express route that sends the bytes of our server's response. */
const bareExpress = (address: string, secret: string) => startedWithBytes('./express-server.ts', address, secret);

/** The conventional route, which sends the same bytes; with one key of each account. */
const conventionalExpress = async (address: string, secret: string, accounts: number) => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await testDatabase());
  const keys = await conventionalKeys(database.url, accounts);
  const server = await startedWithBytes('./conventional-server.ts', address, secret, database.url);
  const { url, kB } = stack.use(server);
  const parts = stack.move();
  return { url, kB, keys, [Symbol.asyncDispose]: () => parts.disposeAsync() };
};

/** Creates the tables of the conventional route and accounts with enough credits; returns their keys. */
const conventionalKeys = async (url: string, accounts: number): Promise<readonly string[]> => {
  const keys = Array.from({ length: accounts }, (_, n) => `key-${n}`);
  const hashes = keys.map((one) => createHash('sha256').update(one).digest('hex'));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    CREATE TABLE account (account_id text PRIMARY KEY, credits bigint NOT NULL);
    CREATE TABLE api_key (key_id text PRIMARY KEY, account_id text NOT NULL, secret_hash text UNIQUE);
    CREATE TABLE usage (
      id bigserial PRIMARY KEY,
      account_id text NOT NULL REFERENCES account,
      key_id text NOT NULL,
      operation text NOT NULL,
      video_id text NOT NULL,
      credits int NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX ON usage (account_id, created_at)`);
  await client.query('INSERT INTO account SELECT unnest($1::text[]), 1000000000', [keys]);
  await client.query(
    `INSERT INTO api_key
     SELECT account_id, account_id, hash
     FROM unnest($1::text[], $2::text[]) AS u (account_id, hash)`,
    [keys, hashes],
  );
  await client.end();
  return keys;
};

/** Starts a server of this folder that sends the bytes of our server's response. */
const startedWithBytes = async (program: string, address: string, secret: string, ...args: readonly string[]) => {
  const answer = await fetch(address, { headers: { authorization: `Bearer ${secret}` } });
  if (answer.status !== 200) throw new Error(`${address} is answered with ${answer.status}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'steno-bench-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const file = join(folder, 'body');
  await writeFile(file, bytes);
  const type = answer.headers.get('content-type') ?? '';
  const { url } = stack.use(await started(program, file, type, ...args));
  const parts = stack.move();
  return { url, kB: rounded(bytes.length / 1000), [Symbol.asyncDispose]: () => parts.disposeAsync() };
};
