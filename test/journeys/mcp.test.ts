import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { maxReferences } from '#src/contract/jobs.ts';
import { priceOf, type UsageKind } from '#src/credits/prices.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestAccount, type TestApp } from '#test/support/app.ts';
import { browser } from '#test/support/journey.ts';
import { plantedPassword } from '#test/support/leaks.ts';
import { jsonIn } from '#test/support/response-json.ts';
import modelCalls from './recorded-model-calls.json' with { type: 'json' };

type Json = Record<string, unknown>;

const video = 'lighthouse1';

/** The name of the member; written out, an object with it would look like a promise to the linter. */
const then = 'then';

/** What each tool takes besides the video, as its route does, and arguments that both refuse. */
const tools: Readonly<Record<string, { readonly given: Json; readonly wrong: Json }>> = {
  get_transcript: { given: { format: 'json' }, wrong: { format: 'pdf' } },
  get_chunks: { given: {}, wrong: { max_tokens: 400, overlap: 400 } },
  summarize: { given: { length: 'short' }, wrong: { length: 'huge' } },
  ask: { given: { question: 'What does the lighthouse keeper tell about the lamp?' }, wrong: { question: ' ' } },
  chapters: { given: {}, wrong: { output_lang: '!!' } },
  search: { given: { query: 'lighthouse' }, wrong: { query: 'lighthouse', limit: 51 } },
  quotes: { given: {}, wrong: { video_id: 'x'.repeat(2_049) } },
  clips: { given: {}, wrong: { video_id: 'x'.repeat(2_049) } },
  repurpose: { given: { format: 'linkedin' }, wrong: { format: 'poem' } },
  translate: { given: { target_lang: 'de' }, wrong: { target_lang: 'tlh' } },
};

/** The routes of the tools that read captions. */
const pathOf: Readonly<Record<string, (id: unknown) => string>> = {
  get_transcript: (id) => `/v1/transcripts/${id}`,
  get_chunks: (id) => `/v1/transcripts/${id}/chunks`,
};

/** What every tool refuses, by code. */
const refusals: Readonly<Record<string, Json>> = {
  INVALID_VIDEO_ID: { video_id: 'no' },
  VIDEO_NOT_FOUND: { video_id: 'missing0000' },
  VIDEO_UNAVAILABLE: { video_id: samples.private },
  TRANSCRIPT_NOT_AVAILABLE: { video_id: samples.noCaptions },
  LANGUAGE_NOT_AVAILABLE: { video_id: video, lang: 'xx' },
  INSUFFICIENT_CREDITS: { video_id: video },
};

/** A call as a model makes it: loose in names and types. `answer`: the members of the JSON, or how the text begins. */
type ModelCall = { readonly tool: string; readonly arguments: Json; readonly answer: readonly string[] | string };

type Result = {
  readonly content: readonly { readonly text?: string }[];
  readonly structuredContent?: Json;
  readonly isError?: boolean;
  readonly _meta?: Json;
};

const textOf = (result: Result): string => result.content[0]?.text ?? '';

describe('MCP beside REST', () => {
  let app: TestApp;
  let account: TestAccount;
  before(async () => {
    app = await startTestApp();
    account = await app.createAccount({ plan: 'pro' });
  });
  after(() => app[Symbol.asyncDispose]());

  const headers = (key = account.key) => ({ headers: { Authorization: `Bearer ${key}` } });
  const url = () => new URL(`${app.url}/mcp`);

  /** The client of the revisions with `initialize`. */
  const negotiated = async (key?: string) => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(url(), { requestInit: headers(key) });
    // The SDK's own types disagree about `sessionId` under exactOptionalPropertyTypes.
    await client.connect(transport as Parameters<Client['connect']>[0]);
    return client;
  };

  /** The client of the revision without sessions. */
  const stateless = async (key?: string, capabilities = {}) => {
    const options = { versionNegotiation: { mode: 'auto' }, capabilities } as const;
    const client = new StatelessClient({ name: 'test', version: '1.0.0' }, options);
    await client.connect(new StatelessTransport(url(), { requestInit: headers(key) }));
    return client;
  };

  /** A request of the revision without sessions, with members that no client of the SDK sends. */
  const statelessly = async (key: string, method: string, params: Json, capabilities: Json) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    const named = { 'Mcp-Method': method, 'Mcp-Name': String(params['taskId'] ?? params['name']) };
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } };
    const answer = await app.post('/mcp', body, { key, headers: { 'MCP-Protocol-Version': '2026-07-28', ...named } });
    return (await answer.json()) as { readonly result?: Json; readonly error?: { readonly code: number } };
  };

  const overRest = async (tool: string, { video_id, ...args }: Json, key = account.key): Promise<Response> => {
    const path = pathOf[tool];
    if (path === undefined) return await app.post(`/v1/${tool}`, { video_id, ...args }, { key });
    const query = new URLSearchParams(Object.entries(args).map(([name, value]) => [name, String(value)]));
    return await app.get(`${path(video_id)}?${query}`, { key });
  };

  const entryOf = async (eventId: unknown): Promise<Json> => {
    const answer = await app.get(`/v1/ledger/${eventId}`, { key: account.key });
    return (await answer.json()) as Json;
  };

  const chargeOf = ({ type, data }: Json): Json => {
    const { amount, operation, videoId, requests } = data as Json;
    return { type, amount, operation, videoId, requests };
  };

  /** The tools that cost nothing. */
  const free = ['get_video', 'fetch', 'get_job', 'list_follows', 'usage'];
  /** The tools for many videos that cost something, with what they say of it. */
  const many: Readonly<Record<string, RegExp>> = {
    list_videos: /1 credit for each started hundred/,
    start_job: /Each video that completes costs 1 credit/,
    follow: /Each video that is transcribed costs 1 credit/,
  };
  const names = [...Object.keys(tools), ...Object.keys(many), ...free].sort();

  it('lists its tools to clients of both eras', async () => {
    const client = await negotiated();
    assert.equal(client.getServerVersion()?.name, 'steno');
    assert.match(client.getInstructions() ?? '', /data, never instructions/);
    await client.ping();
    const listed = await client.listTools();
    assert.deepEqual(listed.tools.map(({ name }) => name).sort(), names);
    await client.close();

    const modern = await stateless();
    assert.equal(modern.getProtocolEra(), 'modern');
    assert.deepEqual((await modern.listTools()).tools.map(({ name }) => name).sort(), names);
    await modern.close();
  });

  it('answers each tool as its route does, at the same charge, with one event of the channel mcp', async () => {
    const client = await negotiated();
    const modern = await stateless();
    await client.listTools();
    for (const [name, { given }] of Object.entries(tools)) {
      const args = { video_id: video, ...given };
      const rest = await overRest(name, args);
      const body = await rest.text();
      const credits = Number(rest.headers.get('x-credits-charged'));
      const charge = chargeOf(await entryOf(rest.headers.get('x-credits-event')));
      for (const result of [
        (await client.callTool({ name, arguments: args })) as Result,
        (await modern.callTool({ name, arguments: args })) as Result,
      ]) {
        assert.equal(textOf(result), body, name);
        if (pathOf[name] === undefined) {
          assert.deepEqual(result.structuredContent, JSON.parse(body), name);
        }
        assert.equal(result._meta?.['credits_charged'], credits, name);
        assert.equal(typeof result._meta?.['credits_remaining'], 'number');
        assert.equal(result._meta?.['cached'], name in pathOf ? true : null, name);
        const entry = await entryOf(result._meta?.['charge_event']);
        assert.match(JSON.stringify(entry), /"channel":"mcp"/, name);
        assert.deepEqual(chargeOf(entry), charge, name);
      }
    }
    await client.close();
    await modern.close();
  });

  it('answers recorded calls of a model, of every tool', async () => {
    const client = await negotiated();
    // What a call answered is argument of a later one.
    const known = new Map<string, unknown>();
    const said: string[] = [];
    for (const { tool, arguments: given, answer } of modelCalls as readonly ModelCall[]) {
      const args = Object.entries(given).map(([name, value]) => [name, known.get(String(value)) ?? value]);
      const result = (await client.callTool({ name: tool, arguments: Object.fromEntries(args) })) as Result;
      assert.equal(result.isError, undefined, `${tool}: ${textOf(result)}`);
      if (typeof answer === 'string') assert.match(textOf(result), new RegExp(answer), tool);
      else {
        const body = JSON.parse(textOf(result)) as Json;
        assert.deepEqual(Object.keys(body).sort(), answer, tool);
        for (const [name, value] of Object.entries(body)) known.set(`$${name}`, value);
      }
      said.push(tool);
    }
    assert.deepEqual(said.sort(), names);
    await client.close();
  });

  it('refuses a part without captions, free of charge, and says where the video ends', async () => {
    // Its balance is its own: jobs of the other tests release credits while they end.
    const { key } = await app.createAccount({ plan: 'pro' });
    const client = await negotiated(key);
    const left = async (): Promise<unknown> =>
      ((await (await app.get('/v1/usage', { key })).json()) as Json)['credits_remaining'];
    const before = await left();
    for (const [name, more] of [
      ['get_transcript', { start: '99:59:59' }],
      ['get_transcript', { start: '99:59:59', format: 'json' }],
      ['get_transcript', { start: '99:59:59', end: '100:00:00', clean: true }],
      ['translate', { start: '99:59:59', target_lang: 'de' }],
    ] as const) {
      const called = await client.callTool({ name, arguments: { video_id: video, ...more } });
      const result = called as Result;
      assert.equal(result.isError, true, name);
      assert.match(textOf(result), /^INVALID_REQUEST: start is not valid: the video ends at \d+:\d\d/);
      assert.match(textOf(result), /Nothing was charged\.$/);
    }
    assert.equal(await left(), before);
    await client.close();
  });

  it('states the price of each tool, and marks none as safe to call without asking', async () => {
    const client = await negotiated();
    for (const { name, description = '', annotations } of (await client.listTools()).tools) {
      const { destructiveHint, idempotentHint, readOnlyHint } = annotations ?? {};
      const isFree = free.includes(name);
      assert.deepEqual([destructiveHint, idempotentHint, readOnlyHint], [false, isFree, isFree]);
      if (isFree) {
        assert.match(description, /A call costs 0 credits\.|Free\./);
        continue;
      }
      if (many[name] !== undefined) {
        assert.match(description, many[name]);
        continue;
      }
      const operation = /^get_/.test(name) ? 'transcript' : (name as UsageKind);
      assert.match(description, new RegExp(`A call costs ${priceOf(operation)} credit`), name);
    }
    await client.close();
  });

  it('returns the details of a video as the route does, free of charge', async () => {
    const client = await negotiated();
    const args = { video_id: 'https://youtu.be/chapters-01' };
    const result = (await client.callTool({ name: 'get_video', arguments: args })) as Result;
    const [content] = result.content as readonly { readonly text: string }[];
    const rest = await app.get('/v1/videos/chapters-01', { key: account.key });
    assert.deepEqual(JSON.parse(content?.text ?? ''), await rest.json());
    await client.close();
  });

  it('returns chunks as the route does, and continues where a page ends', async () => {
    const client = await negotiated();
    const call = async (args: Json): Promise<{ chunks: Json[]; next_cursor?: string }> => {
      const called = await client.callTool({ name: 'get_chunks', arguments: { video_id: samples.long, ...args } });
      const result = called as Result;
      assert.equal(result.isError ?? false, false, textOf(result));
      assert.equal(result._meta?.['credits_charged'], 1);
      return JSON.parse(textOf(result));
    };
    const rest = await app.get(`/v1/transcripts/${samples.long}/chunks?max_tokens=200&overlap=0`, { key: account.key });
    const whole = (await rest.json()) as { chunks: Json[] };
    const pages = [await call({ max_tokens: 200, overlap: 0 })];
    for (let next = pages[0]?.next_cursor; next !== undefined; next = pages.at(-1)?.next_cursor)
      pages.push(await call({ cursor: next }));
    assert.ok(pages.length > 1 && pages.length < 10);
    assert.deepEqual(
      pages.flatMap(({ chunks }) => chunks),
      whole.chunks,
    );
    await client.close();
  });

  const jsonOf = async (client: Client, name: string, args: Json): Promise<Json> => {
    const result = (await client.callTool({ name, arguments: args })) as Result;
    assert.equal(result.isError ?? false, false, textOf(result));
    return JSON.parse(textOf(result));
  };

  it('leads from the credits over the videos of a channel to the results of a job', async () => {
    const agent = await app.createAccount({ plan: 'pro' });
    const client = await negotiated(agent.key);
    const before = await jsonOf(client, 'usage', {});
    assert.deepEqual([before['today'], before['budget']], [[], null]);
    const prices = before['prices'] as Record<string, number>;
    assert.deepEqual([prices['get_video'], prices['list_videos'], prices['start_job']], [0, 1, 1]);
    assert.deepEqual(Object.keys(prices).sort(), names);

    const source = '@harbournotes';
    const rest = await app.get(`/v1/channels/${source}?limit=20`, { key: agent.key });
    const whole = (await rest.json()) as { videos: Json[] };
    const first = await jsonOf(client, 'list_videos', { source, limit: 8 });
    const second = await jsonOf(client, 'list_videos', { source, limit: 12, cursor: first['next_cursor'] });
    assert.deepEqual([...(first['videos'] as Json[]), ...(second['videos'] as Json[])], whole.videos);

    const video_ids = [video, samples.noCaptions, video];
    const following = [{ operation: 'summarize', length: 'short' }];
    const shown = { words: true, include: ['video'], count_tokens: true };
    const started = await jsonOf(client, 'start_job', { video_ids, ...shown, [then]: following });
    assert.equal(started['total_items'], 2);
    const { job_id } = started;
    let state: Json = { status: 'queued' };
    for (const isOver = /^(completed|completed_with_errors)$/; !isOver.test(String(state['status'])); ) {
      state = await jsonOf(client, 'get_job', { job_id, limit: 0 });
      assert.deepEqual([state['results'], state['next_cursor']], [[], null]);
      await pause(50);
    }
    const one = await jsonOf(client, 'get_job', { job_id, limit: 1 });
    const other = await jsonOf(client, 'get_job', { job_id, limit: 1, cursor: one['next_cursor'] });
    const results = [...(one['results'] as Json[]), ...(other['results'] as Json[])];
    const all = await app.get(`/v1/jobs/${job_id}/results`, { key: agent.key });
    assert.deepEqual(results, ((await all.json()) as Json)['results']);
    assert.deepEqual(results.map(({ status }) => status).sort(), ['complete', 'failed']);
    const { transcript } = results.find(({ status }) => status === 'complete') as { transcript: Json };
    assert.equal((transcript['video'] as Json)['video_id'], video);
    assert.equal(typeof transcript['token_count'], 'number');
    for (const segment of transcript['segments'] as Json[]) assert.ok('words' in segment);
    assert.equal(other['next_cursor'], null);

    const after = await jsonOf(client, 'usage', {});
    const kinds = (after['today'] as Json[]).map(({ operation }) => operation);
    assert.deepEqual(kinds.sort(), ['channel', 'job_item', 'summarize']);
    await client.close();
  });

  it('returns a job as a task, which another account does not know', async () => {
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const start = { name: 'start_job', arguments: { video_ids: [video] } };
    const started = (await statelessly(account.key, 'tools/call', start, capabilities)).result;
    assert.equal(started?.['resultType'], 'task');
    const named = { taskId: started['taskId'] };
    const { key: another } = await app.createAccount();
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      assert.equal((await statelessly(another, method, named, capabilities)).error?.code, -32602, method);
    }
    let task: Json = {};
    while (task['status'] !== 'completed') {
      task = (await statelessly(account.key, 'tasks/get', named, capabilities)).result ?? {};
      assert.match(String(task['status']), /^(working|completed)$/);
      await pause(50);
    }
    assert.match(textOf(task['result'] as Result), /"status":"completed".*"results":\[\{/);
    // A job that is over stays as it is.
    const cancelled = await statelessly(account.key, 'tasks/cancel', named, capabilities);
    assert.equal(cancelled.result?.['resultType'], 'complete');
  });

  it('refuses what no tool for many videos can do, free of charge', async () => {
    const client = await negotiated();
    const mine = await jsonOf(client, 'start_job', { video_ids: [video] });
    const another = await negotiated((await app.createAccount()).key);
    const page = await jsonOf(client, 'list_videos', { source: '@harbournotes', limit: 1 });
    for (const [name, args, says] of [
      ['list_videos', { source: video }, /^INVALID_REQUEST: source is a video/],
      ['list_videos', { source: 'nothing at all' }, /^INVALID_REQUEST: source is neither/],
      ['list_videos', { source: '@nobody0' }, /^CHANNEL_NOT_FOUND/],
      ['list_videos', { source: '@marketdays', cursor: page['next_cursor'] }, /it belongs to another source/],
      ['list_videos', { source: '@harbournotes', cursor: 'lv1_e30' }, /cursor is not valid: must be the next_cursor/],
      ['list_videos', { source: '@harbournotes', limit: 501 }, /limit is not valid: must be at most 500/],
      ['start_job', {}, /Give video_ids or source/],
      ['start_job', { video_ids: [video], source: '@harbournotes' }, /Give video_ids or source/],
      ['start_job', { video_ids: [video], [then]: [{ operation: 'dance' }] }, /^INVALID_REQUEST: then\.0\.operation/],
      ['start_job', { video_ids: [video], [then]: [{ operation: 'ask' }] }, /^INVALID_REQUEST: then\.0\.question/],
      ['start_job', { video_ids: ['a\0'] }, /^INVALID_REQUEST: video_ids\.0 is not valid: must not contain a NUL/],
      ['start_job', { video_ids: [] }, /^INVALID_REQUEST: video_ids is not valid: must have at least 1 entry/],
      ['start_job', { source: '@nobody0' }, /^CHANNEL_NOT_FOUND/],
      ['get_job', { job_id: 'job_none' }, /^JOB_NOT_FOUND/],
      ['get_job', { job_id: mine['job_id'], cursor: '5' }, /^INVALID_REQUEST: cursor/],
    ] as const) {
      const result = (await client.callTool({ name, arguments: args })) as Result;
      assert.match(textOf(result), says);
      assert.match(textOf(result), /Nothing was charged\.$/);
    }
    const foreign = (await another.callTool({ name: 'get_job', arguments: { job_id: mine['job_id'] } })) as Result;
    assert.match(textOf(foreign), /^JOB_NOT_FOUND/);
    await client.close();
    await another.close();
  });

  it('answers a dry run with the price, and does nothing', async () => {
    const { key } = await app.createAccount();
    const called = async (name: string, args: Json, dry = '1') => {
      const params = { name, arguments: args };
      const headers = { Accept: 'application/json, text/event-stream', 'X-Dry-Run': dry };
      const sent = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      return (await jsonIn<{ result: Result }>(await app.post('/mcp', sent, { key, headers }))).result;
    };
    for (const [name, args, credits] of [
      ['get_transcript', { video_id: video, asr: 'auto' }, 10],
      // Without a model an operation returns an extract.
      ['summarize', { video_id: video }, 1],
      ['translate', { video_id: video, target_lang: 'de' }, 1],
      ['ask', { question: 'Why?' }, 1],
      ['start_job', { video_ids: [video, samples.long] }, 2],
      // Duplicates are removed, as in `POST /v1/jobs`.
      ['start_job', { video_ids: Array.from({ length: maxReferences }, () => video) }, 1],
      ['follow', { source: '@harbournotes', max_credits_per_period: 7 }, 7],
    ] as const) {
      const result = await called(name, args);
      assert.match(textOf(result), new RegExp(`^Dry run: ${name} costs up to ${credits} credits`));
      const { dry_run, credits: price, credits_charged } = result._meta ?? {};
      assert.deepEqual([result.isError, dry_run, price, credits_charged], [true, true, credits, 0]);
    }
    assert.match(
      textOf(await called('summarize', { video_id: video }, '0')),
      /^INVALID_REQUEST: X-Dry-Run accepts only 1/,
    );
    assert.match(textOf(await called('summarize', {})), /^INVALID_REQUEST: video_id/);
    assert.notEqual((await called('get_video', { video_id: video })).isError, true);
    const { credits_used } = await jsonIn<Json>(await app.get('/v1/usage', { key }));
    const { follows } = await jsonIn<Json>(await app.get('/v1/follows', { key }));
    const { jobs } = await jsonIn<Json>(await app.get('/v1/jobs', { key }));
    assert.deepEqual([credits_used, follows, jobs], [0, [], []]);
  });

  it('asks before charging more than the account allows, through the client if it supports that', async () => {
    const page = browser([app.url]);
    const [email, password] = ['careful@example.com', plantedPassword('careful')];
    const body = { email, password, ...(await page.solved()) };
    await page.json(201, page.send('POST', '/api/auth/register', { body }));
    await page.json(200, page.send('POST', '/api/auth/login', { body: { email, password } }));
    const made = page.send('POST', '/api/account/keys', { body: { name: 'one' } });
    const careful = (await page.json<{ key: { fullKey: string } }>(201, made)).key.fullKey;
    const choose = (ask_above_credits: unknown, status = 200) =>
      page.json(status, page.send('PATCH', '/api/account/settings', { body: { ask_above_credits } }));
    for (const wrong of [-1, 0.5, '2']) await choose(wrong, 400);
    assert.deepEqual(await choose(2), { keep_by_default: false, ask_above_credits: 2 });
    const client = await negotiated(careful);
    const args = { video_ids: [video, samples.long, samples.manyLanguages] };
    const call = async (more: Json) =>
      (await client.callTool({ name: 'start_job', arguments: { ...args, ...more } })) as Result;
    for (const more of [{}, { accept_price: 2 }]) {
      const refused = await call(more);
      assert.match(
        textOf(refused),
        /^CONFIRMATION_REQUIRED: .* call again with accept_price: 3\. Nothing was charged\./,
      );
    }
    assert.match(textOf(await call({ accept_price: -1 })), /^INVALID_REQUEST: accept_price/);
    assert.match(textOf(await call({ accept_price: 3 })), /"total_items":3/);

    const asked: string[] = [];
    for (const accept of [true, false]) {
      const modern = await stateless(careful, { elicitation: {} });
      modern.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params.message);
        return { action: 'accept', content: { accept } };
      });
      const result = (await modern.callTool({ name: 'start_job', arguments: args })) as Result;
      assert.match(textOf(result), accept ? /"total_items":3/ : /^CONFIRMATION_REQUIRED: The user did not agree/);
      await modern.close();
    }
    assert.deepEqual(asked, Array(2).fill('Transcribe many videos: this costs up to 3 credits. Continue?'));

    const answered = async (more: Json) => {
      const params = { name: 'start_job', arguments: args, ...more };
      return (await statelessly(careful, 'tools/call', params, { elicitation: {} })).result ?? {};
    };
    const inputResponses = { price: { action: 'accept', content: { accept: true } } };
    const { requestState } = await answered({});
    const raised = String(requestState).replace(/^3/, '9');
    const kinds = [`${requestState}0`, raised, requestState].map(async (state) => {
      const { resultType } = await answered({ inputResponses, requestState: state });
      return resultType;
    });
    assert.deepEqual(await Promise.all(kinds), ['input_required', 'input_required', 'complete']);

    await choose(0);
    const resource = `transcript://${video}?lang=en`;
    await assert.rejects(client.readResource({ uri: resource }), /CONFIRMATION_REQUIRED: .* with accept_price: 1\./);
    const agreed = await client.readResource({ uri: `${resource}&accept_price=1` });
    assert.match(JSON.stringify(agreed.contents), /Good evening/);
    await client.close();
  });

  it('advises to call again only where that can help', async () => {
    const client = await negotiated();
    const follow = { source: '@marketdays', max_credits_per_period: 1 };
    await client.callTool({ name: 'follow', arguments: follow });
    for (const [name, args, says] of [
      ['follow', follow, /^FOLLOW_EXISTS: .* list_follows shows it; retrying will not help\./],
      ['follow', { ...follow, source: '@nobodyhere' }, /^CHANNEL_NOT_FOUND: .* Check the id with the user/],
      ['list_videos', { source: `PL${'9'.repeat(32)}` }, /^PLAYLIST_NOT_FOUND: .* Check the id with the user/],
    ] as const) {
      assert.match(textOf((await client.callTool({ name, arguments: args })) as Result), says);
    }
    await client.close();
  });

  it('refuses what REST refuses, with a message that says what to do, free of charge', async () => {
    const client = await negotiated();
    const poor = await app.createAccount({ credits: 0 });
    const broke = await negotiated(poor.key);
    await client.listTools();
    for (const [name, { given, wrong }] of Object.entries(tools)) {
      const cases = { ...refusals, INVALID_REQUEST: { video_id: video, ...wrong } };
      for (const [code, more] of Object.entries(cases)) {
        const isPoor = code === 'INSUFFICIENT_CREDITS';
        const args = { ...given, ...more };
        const rest = await overRest(name, args, isPoor ? poor.key : account.key);
        const { error } = (await rest.json()) as { error: Json };
        const result = (await (isPoor ? broke : client).callTool({ ...{ name, arguments: args } })) as Result;
        const what = `${name} ${code}`;
        assert.equal(error['code'], code, what);
        assert.equal(result.isError, true, what);
        assert.equal(result.structuredContent, undefined, what);
        const told = { ...(result._meta?.['error'] as Json | undefined) };
        const { request_id } = told;
        assert.deepEqual(told, { ...error, request_id, http_status: rest.status }, what);
        assert.ok(textOf(result).startsWith(`${code}: ${error['message']}`), textOf(result));
        assert.match(textOf(result), /Nothing was charged\.$/, what);
        assert.equal(result._meta?.['credits_charged'], 0, what);
      }
    }
    await assert.rejects(client.callTool({ name: 'delete_all', arguments: {} }), { code: -32602 });
    await client.close();
    await broke.close();
  });

  it('charges a call under an idempotency key once', async () => {
    const client = await negotiated();
    const call = () =>
      client.callTool({
        name: 'quotes',
        arguments: { video_id: video },
        _meta: { idempotency_key: 'same-call' },
      }) as Promise<Result>;
    const [first, again] = [await call(), await call()];
    assert.equal(textOf(again), textOf(first));
    assert.equal(again._meta?.['charge_event'], first._meta?.['charge_event']);
    assert.equal(again._meta?.['credits_remaining'], first._meta?.['credits_remaining']);
    assert.equal(again._meta?.['idempotent_replayed'], true);
    await client.close();
  });

  it('reads three hours in pages that join to the whole', async () => {
    const client = await negotiated();
    const whole = (
      (await client.callTool({
        name: 'get_transcript',
        arguments: { video_id: samples.long, format: 'txt', max_tokens: 100_000 },
      })) as Result
    ).content[0]?.text;
    assert.ok(whole !== undefined);
    let text = '';
    let pages = 0;
    let args: Json = { video_id: samples.long, format: 'txt', max_tokens: 5_000 };
    for (; pages < 30; pages += 1) {
      const result = (await client.callTool({ name: 'get_transcript', arguments: args })) as Result;
      const cut = /^\[cut at [\d:]+ of 3:00:\d\d - continue with cursor "(tc1_[\w-]+)" or start "[\d:]+"\]\n$/m.exec(
        textOf(result),
      );
      text += textOf(result).slice(0, cut?.index);
      if (cut === null) break;
      args = { video_id: samples.long, cursor: `"${cut[1]}"`, max_tokens: 5_000 };
    }
    assert.equal(text, whole);
    assert.ok(pages > 2, `${pages} pages`);
    for (const format of ['srt', 'vtt']) {
      const cut = await client.callTool({
        name: 'get_transcript',
        arguments: { video_id: samples.long, format, max_tokens: 500 },
      });
      assert.match(textOf(cut as Result), /\S\n\n\[cut at .*\]\n$/, 'the note is not text of the last cue');
    }
    await client.close();
  });

  it('continues without keeping what the first page was told not to keep', async () => {
    const { accountId, key } = await app.createAccount({ plan: 'pro' });
    await app.core.commands.chooseRequestDefaults(accountId, { keepByDefault: true });
    const client = await negotiated(key);
    for (const [name, more] of [
      ['get_transcript', { format: 'json', max_tokens: 500 }],
      ['get_chunks', { max_tokens: 200, overlap: 0 }],
      ['translate', { target_lang: 'de', max_tokens: 500 }],
    ] as const) {
      const given = { video_id: samples.long, ...more };
      const { next_cursor: cursor } = await jsonOf(client, name, { ...given, keep: false });
      assert.ok(cursor, name);
      await jsonOf(client, name, { ...given, cursor });
    }
    assert.deepEqual(((await (await app.get('/v1/library', { key })).json()) as Json)['videos'], []);
    await client.close();
  });

  it('continues a translation in the mode and languages of the previous page', async () => {
    const client = await negotiated();
    const page = async (more: Json) => {
      const given = { video_id: samples.long, target_lang: 'de', max_tokens: 500 };
      const result = await client.callTool({ name: 'translate', arguments: { ...given, ...more } });
      return (result as Result).structuredContent ?? {};
    };
    const { next_cursor: cursor } = await page({ mode: 'original' });
    assert.equal((await page({ cursor }))['mode'], 'original');
    assert.equal((await page({ cursor, mode: 'bilingual' }))['mode'], 'bilingual');
    await client.close();
  });

  it('offers a transcript as a resource and three prompts', async () => {
    const client = await negotiated();
    const { resources } = await client.listResources();
    const { tools: listed } = await client.listTools();
    const shown = listed.filter(
      ({ _meta }) => (_meta?.['ui'] as Json | undefined)?.['resourceUri'] === resources[0]?.uri,
    );
    assert.deepEqual(
      shown.map(({ name }) => name),
      ['get_transcript', 'search'],
    );
    const [page] = (await client.readResource({ uri: resources[0]?.uri ?? '' })).contents;
    assert.equal(page?.mimeType, 'text/html;profile=mcp-app');
    assert.match(JSON.stringify(page), /default-src 'none'; script-src 'sha256-/);
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.equal(resourceTemplates[0]?.uriTemplate, 'transcript://{video_id}{?lang,accept_price}');
    const read = await client.readResource({ uri: `transcript://${video}?lang=en` });
    assert.match(JSON.stringify(read.contents), /\[00:01\] Good evening/);
    assert.equal((read._meta as Json)['credits_charged'], 1);
    await assert.rejects(client.readResource({ uri: 'transcript://missing0000' }), { code: -32602 });
    const { prompts } = await client.listPrompts();
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ['study_notes', 'find_moment', 'compare_videos'],
    );
    const prompt = await client.getPrompt({ name: 'find_moment', arguments: { video, topic: 'the lamp' } });
    assert.match(JSON.stringify(prompt.messages), /the lamp/);
    await client.close();
  });
});
