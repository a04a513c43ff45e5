import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { bridge } from '#src/edges/cli/mcp.ts';
import { startSimulator } from '#test/simulator/main.ts';
import { samples } from '#test/simulator/samples.ts';
import { key, readReceipt, runningJob, startEdge, transcript, videoId } from '#test/support/http.ts';
import { startOf, usedDataFolder } from '#test/support/program.ts';

type Message = {
  readonly id: unknown;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
};

/** What comes out for these lines. */
const bridged = async (
  lines: readonly (object | string)[],
  server: { readonly url: string; readonly key: string },
): Promise<readonly Message[]> => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const written = text(stdout);
  const done = bridge({ stdin, stdout, stderr, signal }, server);
  for (const line of lines) {
    stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  }
  stdin.end();
  await done;
  stdout.end();
  const out = (await written).split('\n').filter((line) => line !== '');
  return out.map((line) => JSON.parse(line) as Message);
};

const ask = (id: unknown, method: string, params: object = {}) => ({ ...{ jsonrpc: '2.0', id, method, params } });

describe('steno mcp --url', () => {
  it('passes each line on as a request, and each answer back as a line', async () => {
    await using edge = await startEdge({
      commands: { readTranscript: async () => ({ ...readReceipt, transcript, text: 'words\n' }) },
      queries: { creditsRemaining: async () => 9, job: async () => runningJob },
    });
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    };
    const call = { name: 'get_transcript', arguments: { video_id: videoId, format: 'txt' } };
    const out = await bridged(
      [
        ask(1, 'initialize', { protocolVersion: '2025-11-25' }),
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        'nonsense',
        ask('s', 'tools/call', { ...call, _meta }),
        ask('t', 'tasks/get', { taskId: runningJob.jobId, _meta }),
        ask(2, 'tools/call', call),
      ],
      { url: `${edge.url}/mcp`, key },
    );
    assert.equal(out.length, 5);
    const byId = new Map(out.map((one) => [one.id, one]));
    assert.equal(byId.get(1)?.result?.['protocolVersion'], '2025-11-25');
    assert.equal(byId.get(null)?.error?.code, -32700);
    assert.equal(byId.get('s')?.result?.['resultType'], 'complete');
    assert.equal(byId.get('t')?.result?.['status'], 'working');
    assert.deepEqual(byId.get(2)?.result?.['content'], [{ type: 'text', text: 'words\n' }]);
  });

  it('answers a refusal of HTTP as an error of the request', async () => {
    await using edge = await startEdge();
    const url = `${edge.url}/mcp`;
    const [refused] = await bridged([ask(1, 'ping')], { url, key: 'wrong' });
    assert.equal(refused?.id, 1);
    assert.match(refused?.error?.message ?? '', /^INVALID_API_KEY: /);
    const [gone] = await bridged([ask(2, 'ping')], { url: 'http://127.0.0.1:1/mcp', key });
    assert.match(gone?.error?.message ?? '', /cannot be reached/);
  });

  it('answers a request once, even if its response is empty or breaks off', async () => {
    const response = 'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n';
    const progress = 'data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n';
    for (const [type, sent, methods] of [
      ['text/plain', '', [undefined]],
      ['application/json', '{"jsonrpc"', [undefined]],
      ['text/event-stream', progress, ['notifications/progress', undefined]],
      ['text/event-stream', response, [undefined]],
    ] as const) {
      const server = createServer((_, answer) => {
        answer.writeHead(sent === '' ? 502 : 200, { 'Content-Type': type });
        if (sent === '') return void answer.end();
        answer.write(sent, () => setImmediate(() => answer.destroy()));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
      const out = await bridged([ask(1, 'tools/call')], { url, key });
      assert.deepEqual(
        out.map(({ method }) => method),
        methods,
      );
      assert.equal(out.at(-1)?.id, 1);
      if (sent !== response) {
        assert.match(out.at(-1)?.error?.message ?? '', /broke off|answered 502/);
      }
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('steno mcp', () => {
  it('is the whole service for several clients of one folder, without a server or an account', async () => {
    await using simulator = await startSimulator();
    await using data = await usedDataFolder();
    // What is left of a file that was being written when the machine lost power.
    await writeFile(join(data.folder, 'local-key.json'), '');
    const { script, env } = startOf('src/main.ts');
    const { PATH = '', NODE_COMPILE_CACHE = '' } = env;
    const environment = {
      ...{ PATH, NODE_COMPILE_CACHE, PLATFORM_ORIGIN: simulator.origin },
      ...{ DATA_DIR: data.folder, LOG_LEVEL: 'warn' },
    };
    const isBundle = script.endsWith('.mjs');
    const how = isBundle ? ['--no-warnings'] : ['--import', import.meta.resolve('tsx/esm')];
    const connected = async () => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      const args = [...how, script, 'mcp'];
      await client.connect(new StdioClientTransport({ command: process.execPath, args, env: environment }));
      return client;
    };
    const readBy = async (client: Client) => {
      const read = await client.callTool({ name: 'get_transcript', arguments: { video_id: samples.prose } });
      assert.equal(read._meta?.['credits_remaining'], null, 'it costs nothing on a laptop');
      return JSON.stringify(read);
    };
    const clients = await Promise.all([connected(), connected()]);
    for (const client of clients) {
      assert.equal(client.getServerVersion()?.websiteUrl, undefined);
      assert.equal((await client.listTools()).tools.length, 18);
      assert.match(await readBy(client), /lighthouse/);
    }
    const [first, second] = clients;
    await first.close();
    // The database that they share stays for the one that is left, and ends with it.
    assert.match(await readBy(second), /lighthouse/);
    await second.close();
    assert.equal(await data.postmasterPid(), null);
  });
});
