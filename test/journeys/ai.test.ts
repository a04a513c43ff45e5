import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { samples } from '#test/simulator/samples.ts';
import { type AiProvider, type ProviderMode, startAiProvider } from '#test/support/ai-provider.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';

type Json = Record<string, unknown>;
type Segment = { readonly text: string; readonly start: number };

const video = 'lighthouse1';
/** The member of a job that names its operations. */
const then = 'then';
const secret = 'sk-Canary-4711-of-the-provider';

/** What each operation takes at least. */
const wanted: Readonly<Record<string, Json>> = {
  ask: { question: 'What does the lighthouse keeper tell about the lamp?' },
  summarize: { length: 'short' },
  chapters: {},
  search: { query: 'lighthouse' },
  quotes: {},
  repurpose: { format: 'linkedin' },
  clips: {},
  translate: { target_lang: 'de' },
};
const prices: Readonly<Record<string, number>> = {
  ...{ ask: 3, summarize: 3, chapters: 3, search: 1, quotes: 2, repurpose: 5, clips: 3 },
  translate: 5,
};
const byModel = Object.keys(wanted).filter((operation) => operation !== 'search');

const called = async (app: TestApp, key: string, operation: string, more: Json = {}, headers = {}) => {
  const answer = await app.post(
    `/v1/${operation}`,
    { video_id: video, ...wanted[operation], ...more },
    { key, headers },
  );
  const body = (await answer.json()) as Json;
  return { status: answer.status, headers: answer.headers, body };
};

const transcriptOf = async (app: TestApp, key: string, id = video): Promise<readonly Segment[]> => {
  const { segments } = (await (await app.get(`/v1/transcripts/${id}`, { key })).json()) as {
    segments: readonly Segment[];
  };
  return segments;
};

describe('AI operations without a provider', () => {
  let app: TestApp;
  let key = '';
  before(async () => {
    app = await startTestApp();
    ({ key } = await app.createAccount());
  });
  after(() => app[Symbol.asyncDispose]());

  it('answer at once as fallbacks that cost 1, and prove their charge', async () => {
    const status = await app.get('/v1/ai/status', { key });
    assert.equal(((await status.json()) as Json)['ai_enabled'], false);
    for (const operation of Object.keys(wanted)) {
      const { status, body, headers } = await called(app, key, operation);
      assert.equal(status, 200, operation);
      assert.equal(body['video_id'], video);
      if (operation !== 'search') {
        assert.deepEqual([body['model'], body['fallback']], [null, true], operation);
      }
      assert.equal(headers.get('x-credits-charged'), '1', operation);
      const entry = await app.get(`/v1/ledger/${headers.get('x-credits-event')}`, { key });
      assert.equal(entry.status, 200, operation);
    }
  });

  it('understand every name of the video and of its language', async () => {
    for (const reference of [
      { video_id: '', videoId: video },
      { video_id: null, url: `https://youtu.be/${video}`, language: 'en' },
      { video_id: video, url: 'nonsense', lang: 'en', language: 'xx' },
    ]) {
      const { status, body } = await called(app, key, 'quotes', reference);
      assert.equal(status, 200, JSON.stringify(reference));
      assert.equal(body['video_id'], video);
    }
  });

  // S66: a question of a megabyte, a transcript of twelve hours
  // S67: a language that is a prompt
  it('refuse invalid input with the name of the field, free of charge', async () => {
    for (const [operation, more, path] of [
      ['ask', { question: 'x'.repeat(2_001) }, 'question'],
      ['ask', { question: '  ' }, 'question'],
      ['ask', { output_lang: 'en"; system:' }, 'output_lang'],
      ['ask', { output_lang: 'qqq' }, 'output_lang'],
      ['search', { query: '' }, 'query'],
      ['search', { limit: 51 }, 'limit'],
      ['summarize', { length: 'long' }, 'length'],
      ['repurpose', { format: 'podcast' }, 'format'],
      ['translate', { target_lang: 'xx' }, 'target_lang'],
      ['translate', { mode: 'both' }, 'mode'],
      ['quotes', { video_id: '' }, 'video_id'],
    ] as const) {
      const { status, body, headers } = await called(app, key, operation, more);
      assert.equal(status, 400, `${operation} ${path}`);
      const { details } = body['error'] as { details: { fields: readonly { path: string }[] } };
      assert.equal(details.fields[0]?.path, path);
      assert.equal(headers.get('x-credits-charged'), '0');
    }
    const large = await called(app, key, 'ask', { question: 'x'.repeat(1_000_000) });
    assert.equal(large.status, 413);
  });

  it('return their price on a dry run, and store nothing under its key', async () => {
    const headers = { 'X-Dry-Run': '1', 'Idempotency-Key': 'dry' };
    const dry = await called(app, key, 'ask', {}, headers);
    assert.deepEqual(dry.body, {
      ...{ dry_run: true, operation: 'ask', video_id: video },
      ...{ credits: 1, credits_if_fallback: 1 },
    });
    assert.equal(dry.headers.get('x-credits-charged'), '0');
    const real = await called(app, key, 'ask', {}, { 'Idempotency-Key': 'dry' });
    assert.equal(real.headers.get('x-credits-charged'), '1');
    const again = await called(app, key, 'ask', {}, { 'Idempotency-Key': 'dry' });
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(again.body, real.body);
    assert.equal((await called(app, key, 'ask', {}, { 'X-Dry-Run': 'no' })).status, 400);
  });

  it('say, before and after, what requires a model: translation, and output in another language', async () => {
    const dry = { 'X-Dry-Run': '1' };
    for (const [operation, more, expected] of [
      ['translate', {}, /original captions would be returned, for the price of a transcript/],
      ['translate', { mode: 'original' }, null],
      ['summarize', { output_lang: 'de' }, /language of the captions, not in de/],
      ['chapters', { output_lang: 'de' }, /language of the captions, not in de/],
      ['repurpose', { output_lang: 'de' }, /language of the captions, not in de/],
      ['ask', { output_lang: 'de' }, /language of the captions, not in de/],
      ['ask', {}, null],
    ] as const) {
      const quoted = (await called(app, key, operation, more, dry)).body;
      assert.equal(quoted['credits'], 1);
      assert.equal(quoted['code'], expected === null ? undefined : 'FEATURE_UNAVAILABLE');
      if (expected !== null) assert.match(String(quoted['message']), expected);
      if (operation === 'translate') continue;
      const { body, headers } = await called(app, key, operation, more);
      assert.equal(body['code'], expected === null ? undefined : 'FEATURE_UNAVAILABLE', operation);
      assert.equal(headers.get('x-credits-charged'), '1');
    }
    const same = (await called(app, key, 'summarize', { output_lang: 'en-GB' })).body;
    assert.equal(same['code'], undefined);
    const refused = { question: 'Who composed the opera Aida?', output_lang: 'de' };
    const { body } = await called(app, key, 'ask', refused);
    assert.deepEqual([body['grounded'], body['code']], [false, undefined]);
    assert.match(String(body['answer']), /nicht vor/);
    const page = await (await app.get(`/t/${video}/translate`)).text();
    assert.match(page, /Translation needs an AI provider, and none is configured: this shows the original captions/);
  });

  it('translate nothing, and say so', async () => {
    const segments = await transcriptOf(app, key);
    const { body } = await called(app, key, 'translate');
    assert.deepEqual(
      [body['translated'], body['fallback'], body['code'], body['mode']],
      [false, true, 'FEATURE_UNAVAILABLE', 'translated'],
    );
    assert.deepEqual(
      (body['segments'] as Segment[]).map(({ text }) => text),
      segments.map(({ text }) => text),
    );
    const original = await called(app, key, 'translate', { mode: 'original' });
    assert.deepEqual([original.body['fallback'], original.body['code']], [false, 'OK']);
  });

  it('refuse an account without credits, and a video without captions, free of charge', async () => {
    const poor = await app.createAccount({ credits: 0 });
    assert.equal((await called(app, poor.key, 'search')).status, 402);
    const none = await called(app, key, 'quotes', { video_id: 'private-001' });
    assert.equal(none.status, 404);
    assert.equal(none.headers.get('x-credits-charged'), '0');
  });
});

describe('AI operations with a provider', () => {
  let provider: AiProvider;
  let app: TestApp;
  let key = '';
  let segments: readonly Segment[] = [];
  const verbatim = (text: string): boolean =>
    segments
      .map((segment) => segment.text.replace(/\s+/g, ' '))
      .join(' ')
      .includes(text);

  before(async () => {
    provider = await startAiProvider();
    app = await startTestApp({
      environment: {
        OPENAI_BASE_URL: provider.url,
        OPENAI_API_KEY: secret,
        AI_MODEL: 'scripted',
        AI_EMBEDDING_MODEL: 'scripted-embeddings',
        AI_DEADLINE: '3s',
      },
    });
    ({ key } = await app.createAccount());
    segments = await transcriptOf(app, key);
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  /** A question that no earlier test has asked, so that nothing kept answers it. */
  let questions = 0;
  const anew = (): Json => {
    questions += 1;
    return { question: `What about the lighthouse and its lamp, for the ${questions}th time?` };
  };

  it('are made by the model and verified, charged in full with the tokens they used', async () => {
    for (const operation of byModel) {
      const { status, body, headers } = await called(app, key, operation);
      assert.equal(status, 200, operation);
      assert.deepEqual([body['model'], body['fallback']], ['scripted', false], operation);
      assert.equal(headers.get('x-credits-charged'), String(prices[operation]), operation);
      const entry = await app.get(`/v1/ledger/${headers.get('x-credits-event')}`, { key });
      const text = await entry.text();
      assert.match(text, /"model":"scripted"/);
      assert.match(text, /"inputTokens":[1-9]/);
    }
    const { body: quoted } = await called(app, key, 'quotes');
    for (const { text } of quoted['quotes'] as Segment[]) assert.ok(verbatim(text), text);
    const { body: clipped } = await called(app, key, 'clips');
    for (const clip of clipped['clips'] as Json[]) {
      assert.ok(verbatim(String(clip['text'])));
      assert.ok(String(clip['text']).startsWith(String(clip['opening_line'])));
      const seconds = Number(clip['end']) - Number(clip['start']);
      assert.ok(seconds >= 15 && seconds <= 90);
    }
  });

  it('answer again from the stored result, at the same price, without asking the model', async () => {
    const first = await called(app, key, 'summarize');
    provider.reset('500');
    const again = await called(app, key, 'summarize');
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('x-credits-charged'), '3');
    assert.equal(provider.calls.chat, 0);
    provider.reset();
  });

  it('ask the model once for equal concurrent questions', async () => {
    provider.reset();
    const question = anew();
    const all = await Promise.all(Array.from({ length: 4 }, () => called(app, key, 'ask', question)));
    assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]));
    assert.equal(provider.calls.chat, 1);
  });

  it('search by meaning too, and embed a transcript once', async () => {
    provider.reset();
    const first = await called(app, key, 'search', { query: 'keeper of the lamp' });
    assert.equal(first.status, 200);
    const { embeddings } = provider.calls;
    await called(app, key, 'search', { query: 'something else at sea' });
    assert.equal(provider.calls.embeddings, embeddings + 1);
  });

  it('search by words alone when embeddings have another width', async () => {
    provider.reset('wrong_width');
    const answer = await called(app, key, 'search', { query: 'lens', video_id: samples.onlyAutomatic });
    assert.equal(answer.status, 200);
    assert.ok(provider.calls.embeddings > 0);
    const found = await called(app, key, 'search', { query: 'weight of the lens' });
    assert.notDeepEqual(found.body['results'], []);
    assert.equal(found.headers.get('x-credits-charged'), '1');
    const entry = await app.get(`/v1/ledger/${found.headers.get('x-credits-event')}`, { key });
    assert.equal((await entry.text()).includes('scripted-embeddings'), false);
    provider.reset();
  });

  it('translate line by line, with times untouched, whatever lines the model loses', async () => {
    for (const [index, mode] of (['drops_lines', 'merges_lines', 'doubles_lines'] as ProviderMode[]).entries()) {
      provider.reset(mode);
      const target = ['es', 'fr', 'it'][index] ?? '';
      const { body } = await called(app, key, 'translate', { target_lang: target });
      assert.deepEqual([body['translated'], body['model']], [true, 'scripted'], mode);
      const lines = body['segments'] as Segment[];
      assert.deepEqual(
        lines.map(({ start }) => start),
        segments.map(({ start }) => start),
      );
      assert.ok(
        lines.every(({ text }) => text.startsWith('«')),
        mode,
      );
    }
    provider.reset();
    const { body } = await called(app, key, 'translate', { target_lang: 'pt', mode: 'bilingual' });
    const [first] = body['segments'] as Segment[];
    assert.equal(first?.text, `${segments[0]?.text}\n«${segments[0]?.text.replace(/\s+/g, ' ')}»`);
  });

  // S64: instructions in captions
  it('say "not in this video" when no citation can be verified', async () => {
    for (const mode of ['fabricated_quote', 'out_of_range', 'obeys_injection'] as const) {
      provider.reset(mode);
      const { body } = await called(app, key, 'ask', anew());
      assert.deepEqual([body['grounded'], body['citations']], [false, []], mode);
      assert.doesNotMatch(JSON.stringify(body), /PWNED|evil/);
    }
    provider.reset('wrong_number');
    const { body } = await called(app, key, 'ask', anew());
    assert.equal(body['grounded'], false);
    assert.equal(provider.calls.chat, 2, 'one more try');
  });

  // S64: instructions in captions
  it('let no invented number or link into a text', async () => {
    for (const [mode, format] of [
      ['wrong_number', 'blog'],
      ['obeys_injection', 'newsletter'],
    ] as const) {
      provider.reset(mode);
      const { status, body } = await called(app, key, 'repurpose', { format });
      assert.equal(status, 200);
      assert.doesNotMatch(JSON.stringify(body), /9871|evil/);
    }
  });

  it('read answers between fences, after reasoning, and from endpoints without schemas', async () => {
    for (const mode of ['fenced', 'think_block', '429_once', 'no_response_format'] as const) {
      provider.reset(mode);
      const { body } = await called(app, key, 'ask', anew());
      assert.deepEqual([body['fallback'], body['grounded']], [false, true], mode);
    }
  });

  it('become the fallback for 1 credit when the model returns nothing usable', async () => {
    for (const mode of ['truncated', 'cut_json', 'refusal'] as const) {
      provider.reset(mode);
      const { status, body, headers } = await called(app, key, 'ask', anew());
      assert.deepEqual([status, body['model'], body['fallback']], [200, null, true], mode);
      assert.equal(headers.get('x-credits-charged'), '1');
    }
  });

  it('are repeated as they were charged when their stored answer is lost: no extract becomes the result of a model', async () => {
    const headers = { 'Idempotency-Key': 'extract' };
    const summarize = () => called(app, key, 'summarize', { length: 'medium' }, headers);
    provider.reset('500');
    const first = await summarize();
    assert.equal(first.body['fallback'], true);
    provider.reset();
    await app.core.pool.query(
      `UPDATE idempotency_keys SET status = NULL, headers = NULL, body = NULL, leased_until = now() WHERE key = 'extract'`,
    );
    const again = await summarize();
    assert.equal(again.headers.get('idempotent-replayed'), null);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('x-credits-charged'), '1');
  });

  // S64: instructions in captions
  it('send no key, no time and no hidden character to the model or back', async () => {
    provider.reset();
    const question = `Who keeps the lamp\u202e\u0007 at the lighthouse?`;
    const { body } = await called(app, key, 'ask', { question });
    const [prompt = ''] = provider.prompts;
    assert.doesNotMatch(prompt, /\u202e|\\u202e|\\u0007/);
    assert.doesNotMatch(prompt, new RegExp(secret));
    assert.match(prompt, /untrusted data/);
    assert.doesNotMatch(JSON.stringify(body), /Canary/);
  });

  it('stop the request to the provider when the caller leaves, and charge nothing', async () => {
    provider.reset('hang');
    const leaving = new AbortController();
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const timer = setInterval(() => {
      if (provider.calls.chat > 0) resolve();
    }, 5);
    const asked = app.post('/v1/ask', { video_id: video, ...anew() }, { key, signal: leaving.signal });
    asked.catch(() => {});
    await arrived;
    leaving.abort();
    await assert.rejects(asked);
    clearInterval(timer);
    const { promise: cut, resolve: seen } = Promise.withResolvers<void>();
    const waiting = setInterval(() => {
      if (provider.calls.cut > 0) seen();
    }, 5);
    await cut;
    clearInterval(waiting);
  });

  it('run on each item of a job, priced before its start and charged for what was made', async () => {
    provider.reset();
    const job = {
      ids: [video, 'private-001'],
      [then]: [
        { operation: 'summarize', length: 'medium' },
        { operation: 'ask', question: 'How much does the whole lens weigh?' },
        { operation: 'translate', target_lang: 'de', mode: 'original' },
      ],
    };
    const plan = await app.post('/v1/jobs', { ...job, dry_run: true }, { key });
    assert.equal(((await plan.json()) as Json)['credits_needed'], 2 * (1 + 3 + 3 + 1));
    const refused = await app.post('/v1/jobs', { ...job, [then]: [{ operation: 'sing' }] }, { key });
    assert.equal(refused.status, 400);
    const started = await app.post('/v1/jobs', job, { key });
    assert.equal(started.headers.get('x-credits-reserved'), '16');
    const { job_id } = (await started.json()) as { job_id: string };
    await (await app.get(`/v1/jobs/${job_id}/events`, { key })).text();
    const { results } = (await (await app.get(`/v1/jobs/${job_id}/results`, { key })).json()) as {
      results: readonly {
        status: string;
        credits_charged: number;
        transcript: unknown;
        operations: readonly { operation: string; result: Json; credits_charged: number; charge_id: string }[];
      }[];
    };
    const complete = results.find(({ status }) => status === 'complete');
    assert.deepEqual(
      complete?.operations.map(({ operation, result, credits_charged }) => [
        ...[operation, result['model'], result['fallback'], credits_charged],
      ]),
      [
        ['summarize', 'scripted', false, 3],
        ['ask', 'scripted', false, 3],
        ['translate', null, false, 1],
      ],
    );
    assert.equal(complete?.credits_charged, 8);
    assert.notEqual(complete?.transcript, null);
    for (const { charge_id, operation } of complete?.operations ?? []) {
      const entry = await app.get(`/v1/ledger/${charge_id}`, { key });
      assert.equal(entry.status, 200);
      const usesModel = operation !== 'translate';
      assert.equal((await entry.text()).includes('"model":"scripted"'), usesModel);
    }
    const failed = results.find(({ status }) => status === 'failed');
    assert.deepEqual([failed?.credits_charged, failed?.operations], [0, []]);
    const usage = (await (await app.get('/v1/usage', { key })).json()) as {
      by_kind: readonly { kind: string; credits: number }[];
    };
    const kinds = usage.by_kind.map(({ kind }) => kind);
    assert.ok(kinds.includes('job_item') && kinds.includes('translate'));
  });

  it('show nothing that is not charged when their job is cancelled, after any of them', async () => {
    for (const made of [0, 2, 5]) {
      provider.reset('hang', made);
      const { key } = await app.createAccount();
      const operations = Array.from({ length: 6 }, () => ({ operation: 'ask', ...anew() }));
      const started = await app.post('/v1/jobs', { ids: [video], [then]: operations }, { key });
      const { job_id } = (await started.json()) as { job_id: string };
      while (provider.calls.chat <= made) await pause(5);
      await app.post(`/v1/jobs/${job_id}/cancel`, {}, { key });
      await (await app.get(`/v1/jobs/${job_id}/events`, { key })).text();
      const { results } = (await (await app.get(`/v1/jobs/${job_id}/results`, { key })).json()) as {
        results: readonly Json[];
      };
      assert.deepEqual(
        results.map(({ status, transcript, operations, credits_charged }) => ({
          ...{ status, transcript, operations, credits_charged },
        })),
        [{ status: 'cancelled', transcript: null, operations: [], credits_charged: 0 }],
      );
      const usage = (await (await app.get('/v1/usage', { key })).json()) as Json;
      assert.equal(usage['credits_used'], 0);
    }
    provider.reset();
  });

  it('never fail with their provider: each failure is a fallback, and five open the circuit', async () => {
    for (const mode of ['500', 'quota', 'hang', 'html', '500'] as const) {
      provider.reset(mode);
      const { status, body, headers } = await called(app, key, 'ask', anew());
      assert.deepEqual([status, body['fallback'], body['model']], [200, true, null], mode);
      assert.equal(headers.get('x-credits-charged'), '1', mode);
    }
    provider.reset();
    const { body } = await called(app, key, 'ask', anew());
    assert.equal(body['fallback'], true);
    assert.equal(provider.calls.chat, 0, 'an open circuit asks nobody');
    const status = await app.get('/v1/ai/status', { key });
    assert.deepEqual(await status.json(), {
      ai_enabled: true,
      model: 'scripted',
      embedding_model: 'scripted-embeddings',
      circuit: 'open',
    });
    const found = await called(app, key, 'search', { query: 'other words' });
    assert.equal(found.status, 200);
  });
});
