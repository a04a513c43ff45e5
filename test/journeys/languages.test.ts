import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestApp, type TestAccount, type TestApp } from '#test/support/app.ts';

describe('the languages of a video', () => {
  let app: TestApp;
  let account: TestAccount;
  before(async () => {
    app = await startTestApp();
    account = await app.createAccount();
  });
  after(() => app[Symbol.asyncDispose]());
  const languages = (videoId: string) => app.get(`/v1/transcripts/${videoId}/languages`, { key: account.key });

  it('are listed once each, with the one that a request without a language gets', async () => {
    const answer = await languages('languages-6');
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), {
      video_id: 'languages-6',
      available: ['ar', 'zh-Hans', 'en', 'de', 'ja', 'es'],
      default: 'en',
      has_captions: true,
      tracks: [
        ['ar', 'manual', 'Arabic'],
        ['zh-Hans', 'manual', 'Chinese (Simplified)'],
        ['en', 'manual', 'English'],
        ['en', 'automatic', 'English (auto-generated)'],
        ['de', 'manual', 'German'],
        ['ja', 'manual', 'Japanese'],
        ['es', 'manual', 'Spanish'],
      ].map(([language, kind, name]) => ({ language, kind, name, translatable: true })),
    });
  });

  for (const videoId of ['no-captions', 'live-now-01', 'upcoming-01', 'processing1']) {
    it(`are none for the video ${videoId}, which exists without captions, asked twice`, async () => {
      for (const _time of ['anew', 'as known']) {
        const answer = await languages(videoId);
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('x-credits-charged'), '0');
        const nothing = { available: [], default: null, has_captions: false, tracks: [] };
        assert.deepEqual(await answer.json(), { video_id: videoId, ...nothing });
      }
    });
  }

  it('are translated by the platform only on request', async () => {
    const wanted = '/v1/transcripts/lighthouse1?lang=de';
    const read = async (query: string) => {
      const answer = await app.get(`${wanted}${query}`, { key: account.key });
      return { answer, body: (await answer.json()) as { segments?: { text: string }[] } };
    };
    assert.equal((await read('')).answer.status, 404);
    const { answer, body } = await read('&translate=platform');
    assert.equal(answer.headers.get('x-transcript-source'), 'translated');
    assert.equal(answer.headers.get('x-transcript-language'), 'de');
    assert.match(body.segments?.[0]?.text ?? '', /^\(de\) /);
    assert.deepEqual((await read('&translate=platform')).body, body);
    assert.equal((await read('')).answer.status, 404, 'also once it is kept');
    assert.equal((await read('&translate=yes')).answer.status, 400);
  });

  it('are refused if the video itself is', async () => {
    const answer = await languages('private-001');
    assert.equal(answer.status, 404);
    const { error } = (await answer.json()) as { error: { code: string } };
    assert.equal(error.code, 'VIDEO_UNAVAILABLE');
  });
});
