import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startSimulator } from '#test/simulator/main.ts';
import { audioFile, readSamples, type SampleVideo } from '#test/simulator/samples.ts';
import { type AiProvider, spoken, startAiProvider } from '#test/support/ai-provider.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';

type Json = Record<string, unknown>;

const mute = 'no-captions';

const withoutCaptions = (videoId: string, more: Partial<SampleVideo> = {}): SampleVideo => {
  const sample = readSamples().get(mute);
  assert.ok(sample);
  return { ...sample, videoId, ...more };
};

describe('speech recognition', () => {
  let provider: AiProvider;
  let app: TestApp;
  let key = '';
  const stack = new AsyncDisposableStack();
  before(async () => {
    provider = stack.use(await startAiProvider());
    const simulator = stack.use(
      await startSimulator({
        videos: [
          withoutCaptions('spoken-two1'),
          withoutCaptions('too-large-1', { audioBytes: 25_000_001 }),
          withoutCaptions('spoken-bad1'),
          withoutCaptions('silent-vid1'),
          withoutCaptions('spoken-job1'),
        ],
      }),
    );
    app = stack.use(
      await startTestApp({
        simulator,
        environment: { OPENAI_BASE_URL: provider.url, AI_TRANSCRIPTION_MODEL: 'hears' },
      }),
    );
    ({ key } = await app.createAccount());
  });
  after(() => stack[Symbol.asyncDispose]());

  const read = async (id: string, query = '?asr=auto') => {
    const answer = await app.get(`/v1/transcripts/${id}${query}`, { key });
    const body = (await answer.json()) as Json;
    const { details } = (body['error'] ?? {}) as { details?: Json };
    const credits = Number(answer.headers.get('x-credits-charged'));
    return { status: answer.status, body, credits, reason: details?.['reason'] };
  };

  it('is not used unless requested', async () => {
    const { status, credits, reason } = await read(mute, '');
    assert.deepEqual([status, credits, reason], [404, 0, 'no_captions']);
    assert.equal(provider.calls.speech, 0);
  });

  it('returns the speech of a video without captions, at its price, and recognizes it once', async () => {
    const first = await read(mute);
    assert.deepEqual([first.status, first.credits], [200, 10]);
    const { source, language, title, segments } = first.body as {
      source: string;
      language: string;
      title: string;
      segments: readonly { text: string; start: number }[];
    };
    assert.deepEqual([source, language, title], ['asr', 'en', 'Waves, without words']);
    assert.deepEqual(
      segments.map(({ text, start }) => [text, start]),
      spoken.map((text, index) => [text, index * 4]),
    );
    const [recording] = provider.recordings;
    assert.ok(recording?.includes(audioFile), 'the audio reaches the provider byte for byte');
    const again = await read(mute, '?asr=auto&lang=en&format=json');
    assert.deepEqual([again.status, again.credits], [200, 10]);
    assert.equal(provider.calls.speech, 1);
    assert.equal((await read(mute, '')).reason, 'no_captions', 'what the platform says stays');
    const other = await read(mute, '?asr=auto&lang=de');
    assert.deepEqual([other.status, other.credits], [404, 0]);
  });

  it('is asked for through MCP at the same price, on every page', async () => {
    const call = async (more: Json) => {
      const params = { name: 'get_transcript', arguments: { video_id: mute, ...more } };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      const answer = await app.post('/mcp', message, { key });
      const { result } = (await answer.json()) as { result: Json };
      const { credits_charged: credits } = result['_meta'] as Json;
      return { credits, text: JSON.stringify(result['content']) };
    };
    const heard = await call({ asr: 'auto', format: 'txt' });
    assert.equal(heard.credits, 10);
    for (const one of spoken) assert.ok(heard.text.includes(one));
    assert.match((await call({ asr: 'off' })).text, /TRANSCRIPT_NOT_AVAILABLE/);
    const page = JSON.stringify([mute, 4_000, 0, null, { asr: 'auto', format: 'txt' }]);
    const rest = await call({ cursor: `tc1_${Buffer.from(page).toString('base64url')}` });
    assert.equal(rest.credits, 10);
    assert.ok(rest.text.includes(spoken[1] ?? '') && !rest.text.includes(spoken[0] ?? ''));
  });

  it('is part of the price that a dry run of a tool returns, also on a later page and for operations', async () => {
    const page = JSON.stringify([mute, 4_000, 0, null, { asr: 'auto' }]);
    const cursor = `tc1_${Buffer.from(page).toString('base64url')}`;
    const quoted = async (name: string, more: Json) => {
      const params = { name, arguments: { video_id: mute, ...more } };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      const answer = await app.post('/mcp', message, { key, headers: { 'X-Dry-Run': '1' } });
      const { result } = (await answer.json()) as { result: Json };
      return (result['_meta'] as Json)['credits'];
    };
    assert.equal(await quoted('get_transcript', { cursor }), 10);
    assert.equal(await quoted('get_chunks', { cursor }), 10);
    assert.equal(await quoted('translate', { cursor, target_lang: 'de' }), 15);
    assert.equal(await quoted('quotes', { asr: 'force' }), 12);
    assert.equal(await quoted('get_transcript', { cursor, asr: 'off' }), 1);
  });

  it('is not used for a video that has captions', async () => {
    const { body, credits } = await read('lighthouse1');
    assert.deepEqual([body['source'], credits], ['manual', 1]);
  });

  it('is forced on a video with captions at its price, and reads after it are captions again', async () => {
    const captions = await read('lighthouse1', '');
    const calls = provider.calls.speech;
    const forced = await read('lighthouse1', '?asr=force');
    assert.deepEqual([forced.body['source'], forced.credits], ['asr', 10]);
    const again = await read('lighthouse1', '?asr=force&words=true');
    assert.deepEqual([again.body['source'], again.credits, provider.calls.speech], ['asr', 10, calls + 1]);
    const [said] = again.body['segments'] as readonly Json[];
    assert.equal(said?.['words'], null);
    for (const query of ['', '?asr=auto', '?lang=en']) {
      const after = await read('lighthouse1', query);
      assert.deepEqual([after.body['source'], after.credits], [captions.body['source'], 1], query);
    }
    const missing = await read('lighthouse1', '?asr=force&lang=de');
    assert.deepEqual([missing.status, missing.credits], [404, 0]);
  });

  it('comes on top of the price of an operation, which a dry run says', async () => {
    const body = { video_id: 'lighthouse1', asr: 'force' };
    const dry = await app.post('/v1/quotes', body, { key, headers: { 'X-Dry-Run': '1' } });
    const { credits, credits_if_fallback } = (await dry.json()) as Json;
    const done = await app.post('/v1/quotes', body, { key });
    assert.equal(done.status, 200);
    const charged = Number(done.headers.get('x-credits-charged'));
    assert.ok(charged > 10 && (charged === credits || charged === credits_if_fallback), `${charged}`);
    const plain = await app.post('/v1/quotes', { video_id: 'lighthouse1' }, { key });
    assert.equal(Number(plain.headers.get('x-credits-charged')), charged - 10);
  });

  it('is forced in a job, whose results are the recognized speech', async () => {
    const job = { ids: ['lighthouse1'], asr: 'force', words: true };
    const started = await app.post('/v1/jobs', job, { key });
    assert.equal(started.headers.get('x-credits-reserved'), '10');
    const { job_id } = (await started.json()) as { job_id: string };
    await (await app.get(`/v1/jobs/${job_id}/events`, { key })).text();
    const { results } = (await (await app.get(`/v1/jobs/${job_id}/results`, { key })).json()) as {
      results: readonly { credits_charged: number; transcript: { source: string; segments: readonly Json[] } }[];
    };
    const [only] = results;
    assert.deepEqual([only?.credits_charged, only?.transcript.source], [10, 'asr']);
    assert.equal(only?.transcript.segments[0]?.['words'], null);
  });

  it('is charged in a batch for the videos that it was used for', async () => {
    const ids = [mute, 'lighthouse1', 'spoken-two1', 'private-001'];
    const answer = await app.post('/v1/transcripts', { ids, asr: 'auto' }, { key });
    const body = (await answer.json()) as {
      credits_charged: number;
      results: readonly { credits_charged: number; transcript: { source: string } | null }[];
    };
    assert.equal(body.credits_charged, 21);
    assert.deepEqual(
      body.results.map(({ credits_charged, transcript }) => [credits_charged, transcript?.source]),
      [
        [10, 'asr'],
        [1, 'manual'],
        [10, 'asr'],
        [0, undefined],
      ],
    );
  });

  it('is reserved for every item of a job and charged for those it was used for', async () => {
    const job = { ids: ['spoken-job1', 'lighthouse1'], asr: 'auto', dry_run: true };
    const plan = await app.post('/v1/jobs', job, { key });
    assert.equal(((await plan.json()) as Json)['credits_needed'], 20);
    const started = await app.post('/v1/jobs', { ...job, dry_run: false }, { key });
    assert.equal(started.headers.get('x-credits-reserved'), '20');
    const { job_id } = (await started.json()) as { job_id: string };
    await (await app.get(`/v1/jobs/${job_id}/events`, { key })).text();
    const { results } = (await (await app.get(`/v1/jobs/${job_id}/results`, { key })).json()) as {
      results: readonly {
        video_id: string;
        credits_charged: number;
        transcript: { source: string; segments: readonly unknown[] };
      }[];
    };
    assert.deepEqual(
      results
        .toSorted((a, b) => b.credits_charged - a.credits_charged)
        .map(({ video_id, credits_charged, transcript }) => [...[video_id, credits_charged, transcript.source]]),
      [
        ['spoken-job1', 10, 'asr'],
        ['lighthouse1', 1, 'manual'],
      ],
    );
    const usage = (await (await app.get('/v1/usage', { key })).json()) as Json;
    assert.equal(usage['credits_reserved'] ?? 0, 0);
  });

  it('is offered on the page for its price, and charged for a click, once for every view and file', async () => {
    const visit = (path: string, cookie = '', form?: Record<string, string>) =>
      fetch(`${app.url}${path}`, {
        headers: { Accept: 'text/html', Origin: app.url, Cookie: cookie },
        ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
        redirect: 'manual',
      });
    const visitor = await visit(`/t/${mute}`);
    assert.equal(visitor.status, 404);
    assert.match(await visitor.text(), /“Recognize speech for 10 credits” needs an account/);

    const password = plantedPassword('listens');
    const email = 'listens@example.org';
    const made = { email, password, name: null, plan: 'free' } as const;
    const { accountId } = await app.core.commands.createAccount(made);
    const left = async () => (await app.core.queries.creditsRemaining(accountId)) ?? 0;
    const signedIn = await visit('/login', '', { email, password });
    const cookie = planted((signedIn.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '');
    const before = await left();
    const offer = await (await visit(`/t/${mute}`, cookie)).text();
    assert.match(offer, /<button type="submit">Recognize speech for 10 credits/);
    assert.equal(await left(), before, 'an offer costs nothing');

    const [once = '', asr] = ['once', 'asr'].map(
      (name) => new RegExp(`name="${name}" value="([\\w-]+)"`).exec(offer)?.[1],
    );
    assert.equal(asr, 'auto');
    const form = { once, asr };
    const page = await (await visit(`/t/${mute}`, cookie, form)).text();
    assert.match(page, /speech to text/);
    assert.match(page, new RegExp(spoken[0]));
    assert.equal(before - (await left()), 10);
    const file = await visit(/href="(\/t\/[^"]+\.srt[^"]*)"/.exec(page)?.[1] ?? '', cookie);
    assert.match(file.headers.get('Content-Disposition') ?? '', /no-captions\.en\.srt/);
    assert.match(await file.text(), /^1\n00:00:00,000 --> /);
    const reading = await visit(`/t/${mute}?view=reading&clean=true`, cookie);
    assert.match(await reading.text(), /class="paragraphs"/);
    assert.equal(before - (await left()), 10);
    const dayBefore = (Date.now() - 86_400_001).toString(16).padStart(12, '0');
    const old = { ...form, once: `frm_${dayBefore}${once.slice(16)}` };
    for (const refused of [{ asr }, { ...form, lang: 'no language' }, old]) {
      assert.equal((await visit(`/t/${mute}`, cookie, refused)).status, 400);
    }
    assert.equal(before - (await left()), 10);

    const counted = { links: mute, do: 'count', asr: 'auto' };
    const list = await (await visit('/many', cookie, counted)).text();
    assert.match(list, /Start the job for up to 10 credits/);
    const listed = /name="listed" value="([\w-]+)"/.exec(list)?.[1] ?? '';
    const changed = { links: `${mute}\nlighthouse1`, do: 'start', asr: 'auto', listed };
    const again = await visit('/many', cookie, changed);
    assert.equal(again.status, 200, 'a list that was changed is counted before it starts');
    assert.match(await again.text(), /Start the job for up to 20 credits/);
    const started = await visit('/many', cookie, { ...counted, do: 'start', listed });
    assert.equal(started.status, 303);
  });

  it('processes a video without speech once', async () => {
    provider.reset('silence');
    for (let turn = 0; turn < 2; turn += 1) {
      assert.deepEqual(await refusalOf('silent-vid1'), [404, 0, 'no_speech']);
    }
    assert.equal(provider.calls.speech, 1);
    provider.reset();
  });

  it('charges nothing when it fails, and says why', async () => {
    assert.deepEqual(await refusalOf('too-large-1'), [404, 0, 'audio_too_large']);
    for (const mode of ['500', 'html'] as const) {
      provider.reset(mode);
      assert.deepEqual(await refusalOf('spoken-bad1'), [404, 0, 'recognition_failed'], mode);
    }
    provider.reset();
    const refused = { kind: 'status', status: 403 } as const;
    app.simulator.plan({ endpoint: 'videoplayback', times: 'always', does: refused });
    assert.deepEqual(await refusalOf('spoken-bad1'), [404, 0, 'audio_unavailable']);
  });

  const refusalOf = async (id: string) => {
    const { status, credits, reason } = await read(id);
    return [status, credits, reason];
  };

  it('needs a balance that covers it', async () => {
    const poor = await app.createAccount({ credits: 9 });
    const answer = await app.get(`/v1/transcripts/${mute}?asr=auto`, { key: poor.key });
    assert.equal(answer.status, 402);
  });
});
