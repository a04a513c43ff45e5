import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { inTurns, median, type Row, rounded } from './row.ts';
import { type Serving, serving, videoId } from './serving.ts';

export const name = 'http';

const connections = 32;

/**
 * Charged transcripts from the cache, each charge durable before its answer, against a bare Express route that sends
 * the same bytes: both in a process of their own, the load in this one. Every connection has a key of its own in
 * every round, so that the real limiter counts every request and the 3,000 a minute of one key are not reached.
 */
export const run = async (options = { seconds: 4, rounds: 3 }): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  await using server = await serving();
  for (const format of ['json', 'srt']) {
    const path = `/v1/transcripts/${videoId}?format=${format}`;
    await using bare = await bareExpress(server, path);
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
  return rows;
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

const program = fileURLToPath(new URL('./express-server.ts', import.meta.url));

/** The bytes that our server answers with, sent by a bare Express route. */
const bareExpress = async (server: Serving, path: string) => {
  const [key = ''] = await server.keys(1);
  const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } });
  if (answer.status !== 200) throw new Error(`${path} is answered with ${answer.status}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const folder = await mkdtemp(join(tmpdir(), 'steno-bench-'));
  const file = join(folder, 'body');
  await writeFile(file, bytes);
  const type = answer.headers.get('content-type') ?? '';
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx/esm'), program, file, type],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [said] = await once(child.stdout, 'data');
  return {
    url: String(said).replace('listening on ', '').trim(),
    kB: rounded(bytes.length / 1000),
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
};
