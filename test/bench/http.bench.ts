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
import { inTurns, median, type Row, rounded } from './row.ts';
import { longVideoId, type Serving, serving, videoId } from './serving.ts';

export const name = 'http';

const connections = 32;

const asked = [
  { id: videoId, format: 'json' },
  { id: videoId, format: 'srt' },
  { id: longVideoId, format: 'json' },
];

/**
 * Charged transcripts from the cache, each charge durable before its answer, against a bare Express route that sends
 * the same bytes: both in a process of their own, the load in this one. Every connection has a key of its own in
 * every round, so that the real limiter counts every request and the 3,000 a minute of one key are not reached. Then
 * against a route that charges with a conditional UPDATE, and the edge without a ledger behind it.
 */
export const run = async (options = { seconds: 4, rounds: 3 }): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  await using server = await serving();
  for (const { id, format } of asked) {
    const path = `/v1/transcripts/${id}?format=${format}`;
    const [first = ''] = await server.keys(1);
    await using bare = await bareExpress(server.url + path, first);
    const ours = async (seconds = options.seconds) =>
      load(server.url + path, seconds, await server.keys(connections));
    const theirs = async (seconds = options.seconds) => load(bare.url + path, seconds, []);
    await ours(2);
    await theirs(1);
    const measured: Load[] = [];
    const { value, baseline, ratio } = await inTurns(
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

/** Accounts that are charged at the same time, and how many times the rate of the conventional route is the goal. */
const conventionalGoals = [
  { accounts: 1, goal: 6 },
  { accounts: 1_000, goal: 3 },
] as const;

/** The same request against what a team would write instead, with a database of its own beside the same Postgres. */
const againstConventional = async (
  server: Serving,
  options: { readonly seconds: number; readonly rounds: number },
): Promise<readonly Row[]> => {
  const path = `/v1/transcripts/${videoId}?format=json`;
  const [first = ''] = await server.keys(1);
  const rows: Row[] = [];
  for (const { accounts, goal } of conventionalGoals) {
    await using conventional = await conventionalExpress(server.url + path, first, accounts);
    // Keys of one account are new in every round, because of their limit; of many accounts each key stays below it.
    const keys = accounts === 1 ? null : await server.keysOfAccounts(accounts);
    const ours = async (seconds = options.seconds) =>
      load(server.url + path, seconds, keys ?? (await server.keys(connections)));
    const theirs = async (seconds = options.seconds) =>
      load(conventional.url + path, seconds, conventional.keys);
    await ours();
    await theirs(1);
    const measured = await inTurns(
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

/** What the edge itself costs: the same server with commands that answer at once, against the bare route. */
const edgeAlone = async (options: {
  readonly seconds: number;
  readonly rounds: number;
}): Promise<Row> => {
  await using server = await started('./edge-server.ts');
  const address = `${server.url}/v1/transcripts/${videoId}`;
  await using bare = await bareExpress(address, key);
  const ours = () => load(address, options.seconds, Array(connections).fill(key));
  const theirs = () => load(`${bare.url}/v1/transcripts/${videoId}`, options.seconds, []);
  await ours();
  await theirs();
  const { value, baseline, ratio } = await inTurns(
    options.rounds,
    async () => (await ours()).perSecond,
    async () => (await theirs()).perSecond,
  );
  const about = `the HTTP server alone, with commands from memory, json (${bare.kB} kB)`;
  return { case: about, value, unit: 'requests/s', baseline, ratio };
};

type Load = { readonly perSecond: number; readonly p50: number; readonly p99: number };

/** Each connection uses keys of its own, one after the other; with fewer keys than connections, they share them. */
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

/** A server of this folder in a process of its own. */
export const started = async (file: string, ...args: readonly string[]) => {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx/esm'), program, ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
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

/** The bytes that our server answers with, sent by a bare Express route. */
const bareExpress = (address: string, secret: string) =>
  startedWithBytes('./express-server.ts', address, secret);

/** The same bytes, sent by a route that charges as a team would write it; with a key of each account. */
const conventionalExpress = async (address: string, secret: string, accounts: number) => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await testDatabase());
  const keys = await conventionalKeys(database.url, accounts);
  const server = await startedWithBytes('./conventional-server.ts', address, secret, database.url);
  const { url, kB } = stack.use(server);
  const parts = stack.move();
  return { url, kB, keys, [Symbol.asyncDispose]: () => parts.disposeAsync() };
};

/** Makes the tables of the conventional route, with accounts that have credits enough. Their keys. */
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

/** A server of this folder that sends the bytes which our server answers with. */
const startedWithBytes = async (
  program: string,
  address: string,
  secret: string,
  ...args: readonly string[]
) => {
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
  return {
    url,
    kB: rounded(bytes.length / 1000),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};
