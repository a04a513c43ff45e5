import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestApp, type TestApp } from '#test/support/app.ts';

type Json = Record<string, unknown>;

describe('the choice of captions', () => {
  let app: TestApp;
  let key = '';
  before(async () => {
    app = await startTestApp();
    ({ key } = await app.createAccount());
  });
  after(() => app[Symbol.asyncDispose]());

  const asked = async (path: string) => {
    const answer = await app.get(path, { key });
    const body = (await answer.json()) as Json;
    const { code, details, message } = (body['error'] ?? {}) as { code?: string; details?: Json; message?: string };
    return { answer, body, code, details, message, credits: Number(answer.headers.get('x-credits-charged')) };
  };
  const tool = async (name: string, args: Json) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    return JSON.stringify(await (await app.post('/mcp', message, { key })).json());
  };

  it('is the first language of a list, in a query, a batch, a job and a tool', async () => {
    const { available } = (await asked('/v1/transcripts/languages-6/languages')).body as { available: string[] };
    const [second = ''] = available.slice(1);
    const lang = `tlh,${second},${available[0]}`;
    const one = await asked(`/v1/transcripts/languages-6?lang=${lang}`);
    assert.deepEqual(
      [one.body['language'], one.body['requested_language'], one.answer.headers.get('x-transcript-language')],
      [second, lang, second],
    );
    const batch = await app.post('/v1/transcripts', { ids: ['languages-6'], lang }, { key });
    const { results } = (await batch.json()) as { results: readonly { transcript: Json }[] };
    assert.equal(results[0]?.transcript['language'], second);
    const started = await app.post('/v1/jobs', { ids: ['languages-6'], lang }, { key });
    const { job_id } = (await started.json()) as { job_id: string };
    await (await app.get(`/v1/jobs/${job_id}/events`, { key })).text();
    const job = (await asked(`/v1/jobs/${job_id}/results`)).body as { results: readonly { transcript: Json }[] };
    assert.deepEqual(
      [job.results[0]?.transcript['language'], job.results[0]?.transcript['requested_language']],
      [second, lang],
    );
    assert.match(await tool('get_transcript', { video_id: 'languages-6', lang }), new RegExp(`, ${second}, `));
  });

  it('is refused by name if a list contains something other than a language, or too many', async () => {
    const tlhTwenty = Array.from({ length: 20 }, (_, index) => `a${String.fromCharCode(97 + index)}`).join(',');
    for (const [lang, message] of [
      [tlhTwenty, /^lang is not valid: must have at most 10 languages$/],
      ['de,', /^lang is not valid: .* such as de,en$/],
      ['de,en,DE', /names "DE" twice/],
      ['de,xx', /there is no language "xx"/],
      ['de,e!', /there is no language "e!"/],
    ] as const) {
      const refused = await asked(`/v1/transcripts/lighthouse1?lang=${encodeURIComponent(lang)}`);
      assert.deepEqual([refused.answer.status, refused.code, refused.credits], [400, 'INVALID_REQUEST', 0], lang);
      assert.match(refused.message ?? '', message);
      const inBody = await app.post('/v1/summarize', { video_id: 'lighthouse1', lang }, { key });
      assert.equal(inBody.status, 400);
      const [field] = ((await inBody.json()) as { error: { details: { fields: Json[] } } }).error.details.fields;
      assert.equal(field?.['path'], 'lang');
    }
  });

  it('is of one kind, and a kind that is missing says which tracks there are', async () => {
    for (const member of ['captions=any%20', 'asr=always', 'words=yes']) {
      const { answer, message } = await asked(`/v1/transcripts/lighthouse1?${member}`);
      assert.equal(answer.status, 400, member);
      assert.match(message ?? '', new RegExp(`^${member.split('=')[0]} is not valid`));
    }
    const { tracks } = (await asked('/v1/transcripts/lighthouse1/languages')).body as { tracks: readonly Json[] };
    const kinds = new Set(tracks.map(({ kind }) => kind));
    for (const kind of ['manual', 'automatic']) {
      const found = await asked(`/v1/transcripts/lighthouse1?captions=${kind}`);
      if (kinds.has(kind)) {
        assert.equal(found.body['source'], kind === 'manual' ? 'manual' : 'platform_auto');
        continue;
      }
      assert.deepEqual([found.answer.status, found.code, found.credits], [404, 'TRANSCRIPT_NOT_AVAILABLE', 0]);
      assert.deepEqual(
        [found.details?.['reason'], found.details?.['requested'], found.details?.['tracks']],
        ['kind_missing', null, tracks.map(({ language, kind: of, name }) => ({ language, kind: of, name }))],
      );
    }
  });

  it('is never recognized speech without a model, and is then free of charge', async () => {
    const { tracks } = (await asked('/v1/transcripts/lighthouse1/languages')).body as { tracks: readonly Json[] };
    const refused = await asked('/v1/transcripts/lighthouse1?asr=force');
    assert.deepEqual(
      [refused.answer.status, refused.code, refused.details?.['reason'], refused.credits],
      [404, 'TRANSCRIPT_NOT_AVAILABLE', 'recognition_unavailable', 0],
    );
    assert.equal((refused.details?.['tracks'] as readonly Json[] | undefined)?.length, tracks.length);
    const operation = await app.post('/v1/quotes', { video_id: 'lighthouse1', asr: 'force' }, { key });
    assert.equal(operation.status, 404);
  });

  it('has words only if they were requested', async () => {
    const bare = (await asked('/v1/transcripts/lighthouse1')).body as { segments: readonly Json[] };
    assert.ok(bare.segments.every((segment) => !('words' in segment)));
    const said = (await asked('/v1/transcripts/lighthouse1?words=true')).body as { segments: readonly Json[] };
    assert.ok(said.segments.every((segment) => 'words' in segment));
    const raw = (await asked('/v1/transcripts/lighthouse1/raw?words=true')).body as { segments: readonly Json[] };
    assert.ok(raw.segments.every((segment) => 'words' in segment));
  });
});
