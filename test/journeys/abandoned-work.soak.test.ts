import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startSimulator } from '#test/simulator/main.ts';
import { readSamples } from '#test/simulator/samples.ts';
import { type AiProvider, startAiProvider } from '#test/support/ai-provider.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';

const translation = { video_id: 'lighthouse1', target_lang: 'de' };
const mute = 'no-captions';
/** The member of a job that names its operations. */
const then = 'then';

describe('work that callers begin and abandon', () => {
  let provider: AiProvider;
  let app: TestApp;
  const stack = new AsyncDisposableStack();
  before(async () => {
    provider = stack.use(await startAiProvider());
    const sample = readSamples().get(mute);
    assert.ok(sample);
    const videos = [1, 2, 3, 4].map((n) => ({ ...sample, videoId: `mute-video${n}` }));
    const simulator = stack.use(await startSimulator({ videos }));
    app = stack.use(
      await startTestApp({
        simulator,
        environment: {
          OPENAI_BASE_URL: provider.url,
          AI_TRANSCRIPTION_MODEL: 'hears',
          ABANDONED_CREDITS_PER_DAY: '20',
        },
      }),
    );
  });
  after(() => stack[Symbol.asyncDispose]());

  const asked = (): number => provider.calls.chat + provider.calls.speech;

  /** Sends a request and hangs up once the provider is asked; resolves to the answer where one came before. */
  const hangUp = async (send: (signal: AbortSignal) => Promise<Response>) => {
    const leaving = new AbortController();
    const before = asked();
    let isAnswered = false;
    const sent = send(leaving.signal).then(
      (answer) => {
        isAnswered = true;
        return answer;
      },
      () => null,
    );
    while (!isAnswered && asked() === before) await pause(2);
    if (!isAnswered) leaving.abort();
    const answer = await sent;
    while (provider.calls.cut < asked()) await pause(2);
    return answer;
  };

  /** Hangs up so often, and says how often the provider was asked for it; the rest was refused. */
  const hangUpOften = async (times: number, send: (signal: AbortSignal) => Promise<Response>) => {
    provider.reset('hang');
    let begun = 0;
    let last: Response | null = null;
    for (let turn = 0; turn < times; turn += 1) {
      last = await hangUp(send);
      if (last === null) begun += 1;
    }
    assert.ok(last !== null, 'the last one is refused');
    return { begun, last };
  };

  const spentBy = async (key: string) => {
    const usage = (await (await app.get('/v1/usage', { key })).json()) as { credits_used: number };
    return usage.credits_used;
  };

  it('is refused after too many credits of a model, free of charge', async () => {
    const { key } = await app.createAccount();
    const { begun, last } = await hangUpOften(30, (signal) => app.post('/v1/translate', translation, { key, signal }));
    assert.ok(begun >= 4 && begun <= 6, `4 are worth 20 credits, not ${begun}`);
    const { error } = (await last.json()) as { error: { code: string; details: object } };
    assert.equal(last.status, 429);
    assert.ok(Number(last.headers.get('retry-after')) > 0);
    assert.equal(error.code, 'RATE_LIMITED');
    assert.deepEqual({ ...error.details, reset: 0 }, { policy: 'abandoned', limit: 20, reset: 0 });
    assert.equal(await spentBy(key), 0);
    const other = await app.createAccount();
    provider.reset();
    assert.equal((await app.post('/v1/translate', translation, other)).status, 200);
    assert.equal((await app.get('/v1/transcripts/lighthouse1', { key })).status, 200);
  });

  it('is refused over MCP too', async () => {
    const { key } = await app.createAccount();
    const call = { name: 'translate', arguments: { ...translation, target_lang: 'fr' } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
    const headers = { Accept: 'application/json, text/event-stream' };
    const { begun, last } = await hangUpOften(30, (signal) => app.post('/mcp', message, { key, headers, signal }));
    assert.ok(begun >= 4 && begun <= 6, `4 are worth 20 credits, not ${begun}`);
    const { result } = (await last.json()) as { result: { isError: boolean; _meta: object } };
    assert.equal(result.isError, true);
    assert.match(JSON.stringify(result), /abandoned/);
  });

  it('is refused after too many credits of speech recognition', async () => {
    const { key } = await app.createAccount();
    let turn = 0;
    const { begun, last } = await hangUpOften(15, (signal) => {
      turn += 1;
      return app.get(`/v1/transcripts/mute-video${1 + (turn % 4)}?asr=auto`, { key, signal });
    });
    assert.ok(begun >= 2 && begun <= 3, `2 are worth 20 credits, not ${begun}`);
    assert.equal(last.status, 429);
    assert.equal(await spentBy(key), 0);
  });

  it('is finished under an Idempotency-Key, and returned to the repeat', async () => {
    const { key } = await app.createAccount();
    provider.reset();
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.held = promise;
    const send = (signal?: AbortSignal) =>
      app.post(
        '/v1/translate',
        { ...translation, target_lang: 'es' },
        { key, headers: { 'Idempotency-Key': 'hung-up' }, ...(signal ? { signal } : {}) },
      );
    const leaving = new AbortController();
    const first = send(leaving.signal).catch(() => null);
    while (provider.calls.chat === 0) await pause(2);
    leaving.abort();
    await first;
    for (let turn = 0; turn < 10; turn += 1) assert.equal((await send()).status, 409);
    resolve();
    let answer = await send();
    while (answer.status === 409) {
      await pause(10);
      answer = await send();
    }
    assert.equal(answer.headers.get('idempotent-replayed'), 'true');
    assert.match(await answer.text(), /«/);
    const { length } = new Set(provider.prompts).values().toArray();
    assert.equal(provider.calls.chat, length, 'nothing is asked twice');
    assert.equal(await spentBy(key), 5);
  });

  it('counts for cancelled jobs too, whatever part of their operations was completed', async () => {
    for (const made of [2, 5]) {
      const { key } = await app.createAccount();
      let begun = 0;
      const start = () => {
        provider.reset('hang', made);
        // Answers that the model gave before are kept.
        const operations = Array.from({ length: 6 }, (_, n) => ({
          operation: 'ask',
          question: `What is the lamp number ${made} ${begun} ${n}?`,
        }));
        return app.post('/v1/jobs', { ids: ['lighthouse1'], [then]: operations }, { key });
      };
      let started = await start();
      while (started.status !== 429) {
        begun += 1;
        const { job_id } = (await started.json()) as { job_id: string };
        while (provider.calls.chat <= made) await pause(5);
        await app.post(`/v1/jobs/${job_id}/cancel`, {}, { key });
        while (provider.calls.cut === 0) await pause(5);
        started = await start();
      }
      const worth = 3 * (made + 1);
      const most = Math.ceil(20 / worth) + 1;
      assert.ok(begun * worth >= 20 && begun <= most, `${begun} jobs were begun`);
      assert.equal((await app.post('/v1/jobs', { ids: ['lighthouse1'] }, { key })).status, 202);
      provider.reset();
    }
  });
});
