import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { key } from '#test/support/http.ts';
import { videoId } from './bench-server.ts';
import { started } from './http.bench.ts';
import { alternately, type Row, rounded } from './row.ts';

export const name = 'mcp';

const connections = 32;
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

const message = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

const reading = message('tools/call', { name: 'get_transcript', arguments: { video_id: videoId, format: 'json' } });

/**
 * The cost of the Model Context Protocol: a tool call against the REST read of the same transcript at the same server,
 * with a command that returns at once; the list of tools against a bare Express route that parses the same message and
 * sends the same bytes; and the memory retained after many calls.
 */
export const run = async (options = { seconds: 3, rounds: 3, calls: 100_000 }): Promise<readonly Row[]> => {
  await using server = await started('./edge-server.ts');
  type Limit = { readonly duration: number } | { readonly amount: number };
  const postTo = (at: string, body: string, limit: Limit) =>
    load({ url: `${at}/mcp`, method: 'POST', headers, body, connections, ...limit });
  const post = (body: string, limit: Limit) => postTo(server.url, body, limit);
  const { seconds: duration, rounds } = options;
  const rest = { url: `${server.url}/v1/transcripts/${videoId}`, headers, connections, duration };
  await post(reading, { duration: 2 });

  const read = await alternately(
    rounds,
    () => post(reading, { duration }),
    () => load(rest),
  );
  const tools = message('tools/list');
  await using bare = await bareExpress(`${server.url}/mcp`, tools);
  const listed = await alternately(
    rounds,
    () => post(tools, { duration }),
    () => postTo(bare.url, tools, { duration }),
  );
  const before = await residentMB(server.pid);
  await post(reading, { amount: options.calls });
  const grown = (await residentMB(server.pid)) - before;
  const goal = { goal: 0.6, goalKind: 'ratio' } as const;
  return [
    { case: 'tools/call get_transcript against the REST read', unit: 'requests/s', ...read, ...goal },
    { case: 'tools/list against bare Express', unit: 'requests/s', ...listed, ...goal },
    {
      case: `memory that ${options.calls.toLocaleString('en')} more tool calls add`,
      ...{ value: rounded(grown), unit: 'MB', goal: 50, goalKind: 'at most' },
    },
  ];
};

/** Responses per second; throws if one is not a success. */
const load = async (options: autocannon.Options): Promise<number> => {
  const result = await autocannon(options);
  const { errors, non2xx, timeouts } = result;
  if (errors + non2xx + timeouts > 0) {
    throw new Error(`${errors} errors, ${non2xx} not 2xx, ${timeouts} time-outs`);
  }
  return result['2xx'] / result.duration;
};

/** A bare Express route that sends the bytes of our server's response to a message. */
const bareExpress = async (url: string, body: string) => {
  const answer = await fetch(url, { method: 'POST', headers, body });
  const folder = await mkdtemp(join(tmpdir(), 'steno-bench-'));
  const file = join(folder, 'body');
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  const server = await started('./express-server.ts', file, 'application/json');
  return {
    url: server.url,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};

const residentMB = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
};
