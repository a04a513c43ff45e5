import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Commands } from '#src/commands.ts';
import { toolsFor } from '#src/edges/http/mcp/tools/all-tools.ts';
import type { Call } from '#src/kernel/call.ts';
import { answerLost, Refusal } from '#src/kernel/refusal.ts';
import type { ShownJob } from '#src/queries.ts';
import {
  bearer,
  errorOf,
  holder,
  key,
  readReceipt,
  receipt,
  runningJob,
  startEdge,
  transcript,
  videoId,
} from '#test/support/http.ts';

type Json = Record<string, unknown>;
type Rpc = {
  readonly id?: unknown;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
};

const revision = '2026-07-28';
const queries = { creditsRemaining: async () => 99 };

const reading = (read: Commands['readTranscript']) => ({ commands: { readTranscript: read }, queries });

const answered: Commands['readTranscript'] = async () => ({
  ...{ ...readReceipt, transcript, text: 'first\nsecond\n' },
});

/** A reading that ends only when its call is aborted; `begun` resolves with the call. */
const endless = () => {
  const begun = Promise.withResolvers<Call>();
  const ended = Promise.withResolvers<void>();
  const read: Commands['readTranscript'] = async (call) => {
    begun.resolve(call);
    await new Promise<void>((resolve) => call.signal.addEventListener('abort', () => resolve(), { once: true }));
    ended.resolve();
    throw new Error('aborted');
  };
  return { read, begun: begun.promise, ended: ended.promise };
};

const message = (method: string, params: Json = {}, id: unknown = 1): Json => ({
  ...{ jsonrpc: '2.0', id, method, params },
});

const callOf = (args: Json = { video_id: videoId }, more: Json = {}, id: unknown = 1): Json =>
  message('tools/call', { name: 'get_transcript', arguments: args, ...more }, id);

const stateless = (method: string, params: Json = {}, more: Record<string, string> = {}) => ({
  body: message(method, {
    ...params,
    _meta: { 'io.modelcontextprotocol/protocolVersion': revision, 'io.modelcontextprotocol/clientCapabilities': {} },
  }),
  headers: { ...bearer, 'MCP-Protocol-Version': revision, 'Mcp-Method': method, ...more },
});

const rpc = async (answer: Response): Promise<Rpc> => (await answer.json()) as Rpc;
/** The messages of an answer that is a stream. */
const eventsIn = async (answer: Response) =>
  [...(await answer.text()).matchAll(/^data: (.*)$/gm)].map(
    ([, data = '']) => JSON.parse(data) as Rpc & { readonly method?: string; readonly params?: Json },
  );
const textIn = ({ result }: Rpc): string => {
  const content = (result?.['content'] ?? []) as readonly { readonly text: string }[];
  return content[0]?.text ?? '';
};
const metaIn = ({ result }: Rpc): Json => result?.['_meta'] as Json;

/** Every title and description within a value. */
const textsIn = (value: unknown): readonly string[] =>
  Object.entries(Object(value)).flatMap(([name, one]) =>
    typeof one !== 'object' ? (/^(title|description)$/.test(name) ? [String(one)] : []) : textsIn(one),
  );

describe('the tools of POST /mcp', () => {
  it('are shown to clients as in tool-definitions.json: KEEP_TOOLS=1 records them again', () => {
    const tools = toolsFor({} as Parameters<typeof toolsFor>[0]);
    const definitions = [...tools.values()].map(({ definition }) => definition);
    const kept = new URL('./tool-definitions.json', import.meta.url);
    if (process.env['KEEP_TOOLS'] === '1') {
      writeFileSync(kept, `${JSON.stringify(definitions, null, 2)}\n`);
    }
    assert.deepEqual(definitions, JSON.parse(readFileSync(kept, 'utf8')));
    // They are in the context of every model that uses the server.
    assert.ok(countTokens(textsIn(definitions).join('\n')) < 4_000);
    assert.ok(JSON.stringify(definitions).length < 1_800 * definitions.length);
  });

  it('are called without initialize, and prove what they cost', async () => {
    await using edge = await startEdge(reading(answered));
    // An id may be any text, also one that stands for a kept text within the server. The task of revision 2025-11-25 is ignored.
    const asked = callOf({ video_id: videoId, format: 'txt' }, { task: { ttl: 60_000 } }, '\0');
    const answer = await edge.post('/mcp', asked);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(answer.headers.get('x-credits-charged'), '1');
    assert.equal(answer.headers.get('x-credits-event'), 'evt_1');
    assert.equal(answer.headers.get('x-ratelimit-limit'), '120');
    const body = await rpc(answer);
    assert.equal(body.id, '\0');
    assert.equal(textIn(body), 'first\nsecond\n');
    const read = message('resources/read', { uri: `transcript://${videoId}` });
    const { result } = await rpc(await edge.post('/mcp', read));
    const contents = result?.['contents'] as readonly Json[];
    assert.match(String(contents[0]?.['text']), /first second/);
    assert.deepEqual(metaIn(body), {
      credits_charged: 1,
      credits_remaining: 99,
      request_id: answer.headers.get('x-request-id'),
      charge_event: 'evt_1',
      cached: true,
    });
  });

  // S70: unknown tools, wrong arguments, names of `Object.prototype`
  it('understand other names and types of an argument, and name what they ignored', async () => {
    const inputs: unknown[] = [];
    const read: Commands['readTranscript'] = async (call, input) => {
      inputs.push([call.channel, input.reference, input.language, input.clean]);
      return answered(call, input);
    };
    await using edge = await startEdge(reading(read));
    const args = `{"url":"${videoId}","language":"en","clean":"true","max_tokens":"600","start":0,"lang":null,"depth":2,"__proto__":{"clean":false}}`;
    const body = await rpc(
      await edge.post(
        '/mcp',
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_transcript","arguments":${args}}}`,
      ),
    );
    assert.deepEqual(inputs, [['mcp', videoId, 'en', true]]);
    assert.deepEqual(metaIn(body)['ignored_arguments'], ['depth', '__proto__']);
  });

  // S70: unknown tools, wrong arguments, names of `Object.prototype`
  it('refuse invalid arguments before anything is charged, with messages for a model', async () => {
    await using edge = await startEdge(reading(answered));
    for (const [args, says] of [
      [{}, /^INVALID_REQUEST: video_id is not valid: it must be given\./],
      [{ video_id: videoId, format: 'pdf' }, /^INVALID_REQUEST: format is not valid: must be /],
      [{ video_id: videoId, start: 'soon' }, /start is not valid: must be seconds, m:ss or h:mm:ss/],
      [{ video_id: videoId, start: '2:00', end: '1:00' }, /end is not valid/],
      [{ video_id: videoId, cursor: 418 }, /cursor is not valid: .* pass start as a time/],
      [{ video_id: videoId, cursor: 'tc0_abc' }, /cursor is not valid/],
      [
        { video_id: videoId, cursor: `tc1_${Buffer.from('["otherVideo1",5,0,null,{}]').toString('base64url')}` },
        /belongs to video otherVideo1/,
      ],
    ] as const) {
      const answer = await edge.post('/mcp', callOf(args));
      assert.equal(answer.headers.get('x-credits-charged'), '0');
      const body = await rpc(answer);
      assert.equal(body.result?.['isError'], true, JSON.stringify(args));
      assert.match(textIn(body), says);
      assert.match(textIn(body), /Correct the arguments and call again\. Nothing was charged\.$/);
    }
    assert.equal(edge.failures.length, 7);
    const ok = `"tc1_${Buffer.from(`["${videoId}",1500,0,null,{"format":"txt"}]`).toString('base64url')}"`;
    const body = await rpc(await edge.post('/mcp', callOf({ video_id: videoId, cursor: ok })));
    assert.equal(textIn(body), 'second\n');
  });

  it('do not run for a key without their scope', async () => {
    await using edge = await startEdge({
      queries: { ...queries, findKeyHolder: async () => ({ ...holder, scopes: ['webhooks'] }) },
    });
    for (const name of toolsFor({} as Parameters<typeof toolsFor>[0]).keys()) {
      const call = message('tools/call', { name, arguments: { video_id: videoId } });
      assert.match(textIn(await rpc(await edge.post('/mcp', call))), /^FORBIDDEN: /, name);
    }
  });

  it('reveal nothing about an internal error but its request id', async () => {
    await using edge = await startEdge(
      reading(async () => {
        throw new Error('secret of the database');
      }),
    );
    const answer = await edge.post('/mcp', callOf());
    const body = await rpc(answer);
    assert.match(textIn(body), /^INTERNAL_ERROR: .* request_id req_/);
    assert.doesNotMatch(JSON.stringify(body), /secret/);
    assert.equal(edge.faults.length, 1);
  });

  it('run once under an idempotency key of the header or of _meta', async () => {
    let runs = 0;
    const read: Commands['readTranscript'] = async (call, input) => {
      runs += 1;
      return answered(call, input);
    };
    await using edge = await startEdge(reading(read));
    const byHeader = { ...bearer, 'Idempotency-Key': 'one' };
    const first = await rpc(await edge.post('/mcp', callOf(), byHeader));
    const again = await edge.post('/mcp', callOf(undefined, { _meta: { idempotency_key: 'one' } }));
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(textIn(await rpc(again)), textIn(first));
    const other = await edge.post('/mcp', callOf({ video_id: 'aaaaaaaaaaa' }), byHeader);
    assert.match(textIn(await rpc(other)), /^IDEMPOTENCY_KEY_REUSED: /);
    for (const [call, headers, path] of [
      [callOf(), { ...bearer, 'Idempotency-Key': 'a b' }, 'Idempotency-Key'],
      [callOf(undefined, { _meta: { idempotency_key: 'a b' } }), byHeader, '_meta.idempotency_key'],
      [callOf(undefined, { _meta: { idempotency_key: 7 } }), byHeader, '_meta.idempotency_key'],
    ] as const) {
      const refused = textIn(await rpc(await edge.post('/mcp', call, headers)));
      assert.ok(refused.startsWith(`INVALID_REQUEST: ${path} must be `), refused);
    }
    assert.equal(runs, 1);
  });
});

describe('the protocol at POST /mcp', () => {
  it('requires a key, and is 405 for other methods', async () => {
    await using edge = await startEdge(reading(answered));
    const anonymous = await edge.post('/mcp', '{', {});
    assert.equal(anonymous.status, 401);
    const asked = 'scope="transcripts ai jobs usage"';
    const metadata = 'resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource/mcp"';
    assert.equal(anonymous.headers.get('www-authenticate'), `Bearer realm="mcp", ${asked}, ${metadata}`);
    const unknown = await edge.post('/mcp', '{', { Authorization: 'Bearer unknown' });
    const invalid = `Bearer realm="mcp", error="invalid_token", ${asked}, ${metadata}`;
    assert.equal(unknown.headers.get('www-authenticate'), invalid);
    assert.equal((await errorOf(anonymous)).code, 'INVALID_API_KEY');
    assert.equal((await edge.post('/mcp', message('ping'), { 'X-API-Key': key })).status, 200);
    for (const method of ['GET', 'DELETE']) {
      const answer = await fetch(`${edge.url}/mcp`, { method, headers: bearer });
      assert.equal(answer.status, 405);
      assert.match(answer.headers.get('allow') ?? '', /POST/);
    }
  });

  it('has no discovery documents except those of OAuth: a plain 404 in JSON', async () => {
    await using edge = await startEdge();
    for (const path of ['oauth-protected-resource', 'openid-configuration']) {
      const answer = await edge.get(`/.well-known/${path}`, { Accept: 'text/html' });
      assert.equal(answer.status, 404, path);
      assert.equal((await errorOf(answer)).code, 'NOT_FOUND');
    }
  });

  // S69: foreign hosts and origins at `/mcp`
  it('refuses foreign hosts and origins', async () => {
    await using edge = await startEdge({ settings: { mcpAllowedHosts: ['inner.example'] } });
    const statusAs = (headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const sent = request(`${edge.url}/mcp`, {
          method: 'POST',
          headers: { ...bearer, 'Content-Type': 'application/json', ...headers },
        });
        sent.on('response', (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        sent.on('error', reject);
        sent.end(JSON.stringify(message('ping')));
      });
    assert.equal(await statusAs({ Host: 'evil.example' }), 403);
    assert.equal(await statusAs({ Origin: 'https://evil.example' }), 403);
    assert.equal(await statusAs({ Origin: 'null' }), 403);
    assert.equal(await statusAs({ Host: 'inner.example:8080', Origin: 'http://localhost:3' }), 200);
  });

  // S68: batches, malformed, nested and large messages at `/mcp`
  it('refuses batches and messages that are not JSON-RPC, and meters nothing', async () => {
    await using edge = await startEdge();
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}}`;
    for (const [body, code] of [
      [Array(100).fill(callOf()), -32600],
      [[], -32600],
      ['{', -32700],
      ['', -32700],
      [deep, -32700],
      [{ id: 1, method: 'ping' }, -32600],
      [message('ping', {}, null), -32600],
      [message('ping', {}, {}), -32600],
      [message('ping', {}, 1.5), -32600],
      [{ jsonrpc: '2.0', id: 1, method: 7 }, -32600],
    ] as const) {
      const answer = await edge.post('/mcp', typeof body === 'string' ? body : JSON.stringify(body));
      assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 60));
      const { error, id } = await rpc(answer);
      assert.deepEqual([error?.code, id], [code, null]);
    }
    const large = await edge.post('/mcp', JSON.stringify(callOf({ q: 'x'.repeat(300_000) })));
    assert.equal(large.status, 413);
    const form = await edge.post('/mcp', 'a=1', { ...bearer, 'Content-Type': 'text/plain' });
    assert.equal(form.status, 415);
    assert.equal(edge.failures.length, 0);
  });

  // S70: unknown tools, wrong arguments, names of `Object.prototype`
  it('answers wrong methods, tools and parameters as JSON-RPC errors', async () => {
    await using edge = await startEdge();
    for (const [body, code, says] of [
      [message('tools/delete'), -32601, /Method not found/],
      [message('tools/list', { cursor: 'x' }), -32602, /one page/],
      [message('tools/call', { name: 'rm' }), -32602, /^Unknown tool: rm\. Available tools: get_/],
      [message('tools/call', { name: 7 }), -32602, /params\.name/],
      [message('tools/call', { name: 'search', arguments: [] }), -32602, /must be an object/],
      [{ ...message('ping'), params: [1] }, -32602, /params must be an object/],
      [message('resources/read', { uri: 'file:///etc/passwd' }), -32602, /Unknown resource/],
      [message('prompts/get', { name: 'x' }), -32602, /Available prompts/],
      [message('prompts/get', { name: 'find_moment' }), -32602, /video must be given/],
      [
        message('prompts/get', { name: 'find_moment', arguments: { video: 'x'.repeat(2_049) } }),
        -32602,
        /video must be a text of 1 to 2048 characters/,
      ],
    ] as const) {
      const answer = await edge.post('/mcp', body);
      assert.equal(answer.status, 200, JSON.stringify(body));
      const { error, id } = await rpc(answer);
      assert.deepEqual([error?.code, id], [code, 1], JSON.stringify(body));
      assert.match(error?.message ?? '', says);
    }
  });

  // S69: unknown sessions at `/mcp`
  it('negotiates the revisions it offers, and accepts any session and Accept', async () => {
    await using edge = await startEdge();
    for (const [wanted, got] of [
      ['2024-11-05', '2024-11-05'],
      ['2025-03-26', '2025-11-25'],
      ['2025-06-18', '2025-06-18'],
      ['2025-11-25', '2025-11-25'],
      ['1999-01-01', '2025-11-25'],
    ]) {
      const { result } = await rpc(await edge.post('/mcp', message('initialize', { protocolVersion: wanted })));
      assert.equal(result?.['protocolVersion'], got);
    }
    for (const accept of ['*/*', 'application/json', 'text/event-stream', 'text/html']) {
      const headers = { ...bearer, Accept: accept, 'Mcp-Session-Id': 'forged' };
      const answer = await edge.post('/mcp', message('ping'), headers);
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(answer.headers.get('mcp-session-id'), null);
      assert.deepEqual((await rpc(answer)).result, {});
    }
    const notified = await edge.post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.equal(notified.status, 202);
    assert.equal(await notified.text(), '');
    assert.equal((await edge.post('/mcp', { jsonrpc: '2.0', id: 9, result: {} })).status, 202);
    const unknown = { ...bearer, 'MCP-Protocol-Version': '2020-01-01' };
    const refused = await edge.post('/mcp', message('ping'), unknown);
    assert.equal(refused.status, 400);
    const { error } = await rpc(refused);
    assert.equal(error?.code, -32022);
    assert.deepEqual(error?.data?.['supported'], [...['2026-07-28', '2025-11-25', '2025-06-18', '2024-11-05']]);
  });

  // S71: unsupported revisions, headers that contradict the body
  it('serves the revision without sessions at the same URL', async () => {
    await using edge = await startEdge();
    const discovery = stateless('server/discover');
    const { result } = await rpc(await edge.post('/mcp', discovery.body, discovery.headers));
    assert.equal(result?.['resultType'], 'complete');
    assert.equal(result?.['cacheScope'], 'public');
    for (const method of ['sessions/list', 'initialize', 'ping']) {
      const gone = stateless(method);
      const answer = await edge.post('/mcp', gone.body, gone.headers);
      assert.deepEqual([answer.status, (await rpc(answer)).error?.code], [404, -32601], method);
    }
    for (const [asked, code] of [
      [{ ...stateless('tools/list'), headers: bearer }, -32020],
      [stateless('tools/list', {}, { 'Mcp-Method': 'ping' }), -32020],
      [stateless('tools/call', { name: 'search' }, { 'Mcp-Name': 'ask' }), -32020],
      [{ ...stateless('tools/list'), body: message('tools/list') }, -32602],
    ] as const) {
      const refused = await edge.post('/mcp', asked.body, asked.headers);
      assert.deepEqual([refused.status, (await rpc(refused)).error?.code], [400, code]);
    }
  });
});

// S101: tasks of another account, and of clients that have not declared the extension
describe('jobs as tasks at POST /mcp', () => {
  const asked = (method: string, params: Json, extensions: Json = { 'io.modelcontextprotocol/tasks': {} }) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientCapabilities': { extensions },
      progressToken: 1,
    };
    const { headers } = stateless(method, {}, { 'Mcp-Name': String(params['taskId'] ?? params['name']) });
    return { body: message(method, { ...params, _meta: meta }), headers };
  };
  const start = { name: 'start_job', arguments: { video_ids: [videoId] } };

  const startJobs = (cancelled: unknown[] = []) => {
    let job: ShownJob = runningJob;
    const deps = {
      commands: {
        startJob: async () => ({ ...runningJob, source: null, position: 1n }),
        cancelJob: async (_: unknown, named: unknown): Promise<void> => {
          cancelled.push(named);
        },
      },
      queries: {
        ...queries,
        job: async (accountId: string, jobId: string) => {
          if (accountId === job.accountId && jobId === job.jobId) return job;
          throw new Refusal('JOB_NOT_FOUND', 'This account has no job with this id.');
        },
        jobResults: async () => [],
        operationResults: async () => [],
      },
    };
    const end = (status: ShownJob['status']): void => {
      job = { ...runningJob, status };
    };
    return { deps, end };
  };

  it('are given to clients that declare the extension, and are the job of start_job', async () => {
    const { deps, end } = startJobs();
    await using edge = await startEdge(deps);
    const ask = async (method: string, params: Json, extensions?: Json) => {
      const { body, headers } = asked(method, params, extensions);
      return (await rpc(await edge.post('/mcp', body, headers))).result;
    };
    assert.match(textIn({ result: (await ask('tools/call', start, {})) ?? {} }), /"job_id":"job_1"/);
    const created = await ask('tools/call', start);
    assert.deepEqual(
      ['resultType', 'taskId', 'status', 'createdAt', 'ttlMs'].map((name) => created?.[name]),
      ['task', 'job_1', 'working', runningJob.createdAt, null],
    );
    const get = () => ask('tasks/get', { taskId: 'job_1' });
    assert.deepEqual([(await get())?.['resultType'], (await get())?.['status']], ['complete', 'working']);
    end('completed_with_errors');
    const resultOf = async () => {
      const { status, result } = (await get()) as { readonly status: string; readonly result: Json };
      assert.deepEqual([status, result['resultType']], ['completed', 'complete']);
      return result;
    };
    assert.match(textIn({ result: await resultOf() }), /"status":"completed_with_errors".*"results":\[\]/);
    end('failed');
    assert.equal((await resultOf())['isError'], true);
    end('cancelled');
    assert.deepEqual([(await get())?.['status'], (await get())?.['result']], ['cancelled', undefined]);
  });

  it('are cancelled as jobs are, and acknowledge an update', async () => {
    const cancelled: unknown[] = [];
    await using edge = await startEdge(startJobs(cancelled).deps);
    for (const method of ['tasks/update', 'tasks/cancel']) {
      const { body, headers } = asked(method, { taskId: 'job_1', inputResponses: {} });
      const { result } = await rpc(await edge.post('/mcp', body, headers));
      assert.deepEqual(Object.keys(result ?? {}).sort(), ['_meta', 'resultType']);
    }
    assert.deepEqual(cancelled, [{ jobId: 'job_1' }]);
  });

  it('are refused to others than their owner', async () => {
    await using edge = await startEdge(startJobs().deps);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const given = { taskId: 'job_2' };
      const missing = asked(method, given, { 'io.modelcontextprotocol/ui': {} });
      const unnamed = { ...asked(method, given), headers: stateless(method).headers };
      const older = { body: message(method, given), headers: bearer };
      for (const [{ body, headers }, status, code] of [
        [asked(method, given), 200, -32602],
        [asked(method, { taskId: 5 }), 200, -32602],
        [asked(method, { taskId: 'no id' }), 200, -32602],
        [missing, 400, -32021],
        [unnamed, 400, -32020],
        [older, 200, -32601],
      ] as const) {
        const answer = await edge.post('/mcp', body, headers);
        assert.deepEqual([answer.status, (await rpc(answer)).error?.code], [status, code], method);
      }
    }
  });
});

/** A call whose client may leave. */
const sent = (url: string, signal: AbortSignal): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...bearer, 'Content-Type': 'application/json' },
    body: JSON.stringify(callOf()),
    signal,
  });

describe('a call in progress at POST /mcp', () => {
  it('ends with its response when the client cancels it', async () => {
    const { read, begun, ended } = endless();
    const settings = { trustedProxies: ['127.0.0.1'] };
    await using edge = await startEdge({ ...reading(read), settings });
    const from = (address: string) => ({ ...bearer, 'X-Forwarded-For': address });
    const answer = edge.post('/mcp', callOf(undefined, {}, 'a'), from('192.0.2.1'));
    const { signal } = await begun;
    const cancel = async (requestId: unknown, address = '192.0.2.1') => {
      const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } };
      assert.equal((await edge.post('/mcp', body, from(address))).status, 202);
    };
    await cancel('b');
    await cancel({ a: 1 });
    // Another machine may have the same key, and have chosen the same id.
    await cancel('a', '192.0.2.2');
    assert.equal(signal.aborted, false);
    await cancel('a');
    await ended;
    assert.equal((await answer).status, 202);
    assert.equal(edge.failures.length, 0);
  });

  it('ends when the client is gone', async () => {
    const { read, begun, ended } = endless();
    await using edge = await startEdge(reading(read));
    const leaving = new AbortController();
    const answer = sent(edge.url, leaving.signal);
    await begun;
    leaving.abort();
    await assert.rejects(answer);
    await ended;
  });

  it('is not cancelled by another call of the key with the same id', async () => {
    const calls: Call[] = [];
    const both = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    await using edge = await startEdge(
      reading(async (call, input) => {
        calls.push(call);
        if (calls.length === 2) both.resolve();
        await finish.promise;
        return answered(call, input);
      }),
    );
    const answers = [edge.post('/mcp', callOf()), edge.post('/mcp', callOf())];
    await both.promise;
    await edge.post('/mcp', { ...{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } });
    finish.resolve();
    for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200);
  });

  it('is answered 503 when its time is up, or with an error if it is a stream', async () => {
    const { read } = endless();
    await using edge = await startEdge({ ...reading(read), settings: { timeLimitMs: 2_000 } });
    const streamed = edge.post('/mcp', callOf(undefined, { _meta: { progressToken: 'p' } }, 's'), {
      ...{ ...bearer, Accept: 'application/json, text/event-stream' },
    });
    const answer = await edge.post('/mcp', callOf());
    assert.equal(answer.status, 503);
    assert.equal((await errorOf(answer)).code, 'SERVICE_UNAVAILABLE');
    const last = (await eventsIn(await streamed)).at(-1);
    assert.deepEqual([last?.id, last?.error?.code], ['s', -32603]);
    assert.match(last?.error?.message ?? '', /^SERVICE_UNAVAILABLE: .* Please try again\.$/);
  });

  it('sends progress notifications if requested, before its response', async () => {
    const finish = Promise.withResolvers<void>();
    await using edge = await startEdge(
      reading(async (call, input) => {
        await finish.promise;
        return answered(call, input);
      }),
    );
    const answer = await edge.post('/mcp', callOf(undefined, { _meta: { progressToken: 'p' } }), {
      ...bearer,
      Accept: 'application/json, text/event-stream',
    });
    assert.equal(answer.headers.get('content-type'), 'text/event-stream');
    assert.equal(answer.headers.get('x-accel-buffering'), 'no');
    finish.resolve();
    const events = await eventsIn(answer);
    assert.equal(events[0]?.method, 'notifications/progress');
    assert.ok(events.at(-1)?.result !== undefined);
    assert.equal(events.filter((one) => one.result !== undefined).length, 1);
  });

  it('stays open until a job is over for a client that requested progress, and reports it', async () => {
    let looks = 0;
    await using edge = await startEdge({
      queries: {
        ...queries,
        job: async () => {
          looks += 1;
          const completedItems = Math.min(looks, 4);
          const status = completedItems === 4 ? 'completed' : 'processing';
          return { ...runningJob, totalItems: 4, completedItems, status };
        },
      },
    });
    const call = (more: Json) =>
      message('tools/call', { name: 'get_job', arguments: { job_id: 'job_1', limit: 0 }, ...more });
    const answer = await edge.post('/mcp', call({ _meta: { progressToken: 7 } }), {
      ...bearer,
      Accept: 'application/json, text/event-stream',
    });
    const events = await eventsIn(answer);
    const told = events.flatMap(({ params }) => (params === undefined ? [] : [params]));
    assert.ok(told.length >= 2, `${told.length} notifications`);
    for (const { total, message: says } of told) assert.deepEqual([total, says], [4, 'job_1 processing']);
    const steps = told.map(({ progress }) => Number(progress));
    assert.deepEqual(steps, [...new Set(steps)].sort());
    assert.match(textIn(events.at(-1) ?? {}), /"status":"completed"/);
    // Without a token it answers at once.
    looks = 0;
    assert.match(textIn(await rpc(await edge.post('/mcp', call({})))), /"status":"processing"/);
    assert.equal(looks, 1);
  });

  it('counts against a limit of concurrent calls', async () => {
    const { read, begun } = endless();
    await using edge = await startEdge({ ...reading(read), settings: { maxInFlight: 1 } });
    const leaving = new AbortController();
    const open = assert.rejects(sent(edge.url, leaving.signal));
    await begun;
    assert.equal((await edge.post('/mcp', callOf())).status, 503);
    leaving.abort();
    await open;
  });

  // S84: a client of `/mcp` that does not read
  it('is disconnected, and frees its slot, if its client does not read', async () => {
    const result = { summary: 'x'.repeat(16 * 1024 * 1024) };
    const made = { result, videoId, language: 'en', model: null, isFallback: true, use: null };
    const performInsight: Commands['performInsight'] = async (_call, _video, wanted) => {
      // A stream begins once there is progress to tell.
      await pause(260);
      return { ...receipt, call: wanted, ...made };
    };
    const limits = { timeLimitMs: 700, headersTimeoutMs: 100, requestTimeoutMs: 100 };
    const settings = { ...limits, maxInFlight: 1 };
    await using edge = await startEdge({ commands: { performInsight }, queries, settings });
    const params = { name: 'summarize', arguments: { video_id: videoId } };
    const body = JSON.stringify(message('tools/call', { ...params, _meta: { progressToken: 'unread' } }));
    const headers = {
      ...{ ...bearer, Host: '127.0.0.1', Accept: 'text/event-stream' },
      ...{ 'Content-Type': 'application/json', 'Content-Length': String(body.length) },
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(edge.port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
    while (edge.answered.length === 0) await pause(20);
    const { status, isAborted } = edge.answered[0] ?? {};
    assert.deepEqual([status, isAborted], [200, true]);
    assert.equal((await edge.post('/mcp', message('ping'))).status, 200);
    socket.destroy();
  });

  it('that is refused by the platform says when to come back', async () => {
    await using edge = await startEdge(
      reading(async () => {
        throw new Refusal('PLATFORM_RATE_LIMITED', 'Too many requests.', null, 7);
      }),
    );
    const body = await rpc(await edge.post('/mcp', callOf()));
    assert.equal(textIn(body), 'PLATFORM_RATE_LIMITED: Too many requests. Call again in 7 s. Nothing was charged.');
    assert.equal((metaIn(body)['error'] as Json)['retry_after_s'], 7);
  });

  it('that may have been charged does not say that nothing was', async () => {
    const fault =
      /^INTERNAL_ERROR: An internal error occurred; it was logged under this request id\. request_id req_\w+\. Calling again may help; if not, tell the user the request id\.$/;
    for (const [error, said] of [
      [
        new Refusal('SERVICE_UNAVAILABLE', 'It was charged.', answerLost, 5),
        /^SERVICE_UNAVAILABLE: It was charged\. Call again in 5 s\.$/,
      ],
      [
        new Refusal('IDEMPOTENCY_IN_PROGRESS', 'It is being processed.', null, 5),
        /^IDEMPOTENCY_IN_PROGRESS: It is being processed\. Call again in 5 s\.$/,
      ],
      [
        Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
        /^SERVICE_UNAVAILABLE: A part of the service is not available right now\. Please try again\. Call again in \d+ s\.$/,
      ],
      [new Error('a fault after the charge'), fault],
    ] as const) {
      await using edge = await startEdge(reading(() => Promise.reject(error)));
      const body = await rpc(await edge.post('/mcp', callOf()));
      assert.match(textIn(body), said);
      assert.equal(metaIn(body)['credits_charged'], null, error.message);
    }
  });
});
