import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { key } from '#test/support/http.ts';
import { inTurns, median, type Row, rounded } from './row.ts';
import { longVideoId, serving, videoId } from './serving.ts';

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
 * the edge without a ledger behind it.
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
  rows.push(await edgeAlone({ ...options, seconds: options.seconds / 2 }));
  return rows;
};

/** What the edge itself costs: the same server with a door that answers at once, against the bare route. */
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
  const about = `the edge alone, its door answering at once, json (${bare.kB} kB)`;
  return { case: about, value, unit: 'requests/s', baseline, ratio };
};

type Load = { readonly perSecond: number; readonly p50: number; readonly p99: number };

const load = async (url: string, duration: number, keys: readonly string[]): Promise<Load> => {
  let next = 0;
  const result = await autocannon({
    url,
    connections,
    duration,
    setupClient: (client) => {
      const key = keys[next];
      next += 1;
      if (key !== undefined) client.setHeaders({ authorization: `Bearer ${key}` });
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
const started = async (file: string, ...args: readonly string[]) => {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx/esm'), program, ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [said] = await once(child.stdout, 'data');
  return {
    url: String(said).replace('listening on ', '').trim(),
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
};

/** The bytes that our server answers with, sent by a bare Express route. */
const bareExpress = async (address: string, secret: string) => {
  const answer = await fetch(address, { headers: { authorization: `Bearer ${secret}` } });
  if (answer.status !== 200) throw new Error(`${address} is answered with ${answer.status}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'steno-bench-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const file = join(folder, 'body');
  await writeFile(file, bytes);
  const type = answer.headers.get('content-type') ?? '';
  const { url } = stack.use(await started('./express-server.ts', file, type));
  const parts = stack.move();
  return {
    url,
    kB: rounded(bytes.length / 1000),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};
