import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestApp, type TestAccount, type TestApp } from '#test/support/app.ts';
import { over } from '#test/support/job-watch.ts';
import { errorIn, jsonIn, type TranscriptJson } from '#test/support/response-json.ts';

const videoId = 'chapters-01';

type VideoJson = {
  readonly live_state: string;
  readonly title: string;
  readonly tracks: readonly unknown[];
  readonly chapters: readonly { readonly start: number }[] | null;
};
type WithVideo = TranscriptJson & { readonly video?: VideoJson; readonly token_count?: number };

let app: TestApp;
let account: TestAccount;
const get = (path: string) => app.get(path, { key: account.key });
const video = async (id: string): Promise<VideoJson> => jsonIn<VideoJson>(await get(`/v1/videos/${id}`));

describe('videos over HTTP', () => {
  before(async () => {
    app = await startTestApp();
    account = await app.createAccount({ plan: 'scale' });
  });
  after(() => app[Symbol.asyncDispose]());

  it('return the details of the platform and of the author, free of charge', async () => {
    const answer = await get(`/v1/videos/${videoId}`);
    assert.equal(answer.headers.get('X-Credits-Charged'), '0');
    const { description, ...about } = await jsonIn<Record<string, unknown>>(answer);
    assert.match(String(description), /^How we plant trees/);
    assert.deepEqual(about, {
      video_id: videoId,
      url: `https://www.youtube.com/watch?v=${videoId}`,
      title: 'Three pear trees in one morning',
      channel: 'Two Sugars',
      channel_id: 'UCtwosugars0000000000001',
      duration: 68,
      views: 1_476,
      thumbnails: [{ url: `https://i.ytimg.com/vi/${videoId}/hqdefault.jpg`, width: 480, height: 360 }],
      live_state: 'none',
      published_at: null,
      chapters: [
        { start: 0, end: 10, timestamp: '00:00', title: 'Welcome' },
        { start: 10, end: 28, timestamp: '00:10', title: 'The ground' },
        { start: 28, end: 45, timestamp: '00:28', title: 'Roots and soil' },
        { start: 45, end: 68, timestamp: '00:45', title: 'Water' },
      ],
      tracks: [{ language: 'en', name: 'English', kind: 'manual', translatable: true }],
    });
  });

  it('cost no request to the platform after a transcript, and one without it', async () => {
    await get('/v1/transcripts/vid-0000031');
    const asked = app.simulator.requests.length;
    await video('vid-0000031');
    assert.equal(app.simulator.requests.length, asked);
    await video('vid-0000032');
    await video('vid-0000032');
    assert.equal(app.simulator.requests.length, asked + 1);
  });

  for (const [id, state] of [
    ['live-now-01', 'live'],
    ['upcoming-01', 'upcoming'],
    ['no-captions', 'none'],
  ] as const) {
    it(`are returned without tracks: ${id}`, async () => {
      for (let time = 0; time < 2; time += 1) {
        const found = await video(id);
        assert.deepEqual([found.live_state, found.tracks], [state, []]);
      }
      // What refuses their captions is said as before.
      const { code } = await errorIn(await get(`/v1/transcripts/${id}`));
      assert.equal(code, 'TRANSCRIPT_NOT_AVAILABLE');
    });
  }

  it('are refused for private, deleted or nonexistent videos', async () => {
    for (const [id, status, wanted] of [
      ['private-001', 404, 'VIDEO_UNAVAILABLE'],
      ['deleted-001', 404, 'VIDEO_NOT_FOUND'],
      ['nonsense', 400, 'INVALID_VIDEO_ID'],
    ] as const) {
      const answer = await get(`/v1/videos/${id}`);
      assert.equal(answer.status, status);
      assert.equal((await errorIn(answer)).code, wanted);
    }
  });

  it('are included in a transcript on request, with the token count of its text', async () => {
    const answer = await get(`/v1/transcripts/${videoId}?include=video&count_tokens=true`);
    assert.equal(answer.headers.get('X-Credits-Charged'), '1');
    const found = await jsonIn<WithVideo>(answer);
    assert.deepEqual(found.video, await video(videoId));
    assert.equal(found.token_count, 140);
    const without = await jsonIn<WithVideo>(await get(`/v1/transcripts/${videoId}`));
    assert.ok(!('video' in without) && !('token_count' in without));
  });

  it('are included in the items of a batch and in the results of a job', async () => {
    const asked = { ids: [videoId], include: ['video'], count_tokens: true };
    const { results } = await jsonIn<{ results: { transcript: WithVideo }[] }>(
      await app.post('/v1/transcripts', asked, { key: account.key }),
    );
    assert.equal(results[0]?.transcript.video?.chapters?.length, 4);
    assert.equal(results[0]?.transcript.token_count, 140);

    const started = await app.post('/v1/jobs', asked, { key: account.key });
    const { job_id } = (await started.json()) as { job_id: string };
    assert.equal((await over(app, account.key, job_id)).status, 'completed');
    const ended = await jsonIn<{ results: { transcript: WithVideo }[] }>(await get(`/v1/jobs/${job_id}/results`));
    assert.deepEqual(ended.results[0]?.transcript.video, await video(videoId));
    assert.equal(ended.results[0]?.transcript.token_count, 140);
  });

  it('refuse a member that does not exist, and name it', async () => {
    const inQuery = await errorIn(await get(`/v1/transcripts/${videoId}?include=video,comments`));
    assert.match(JSON.stringify(inQuery), /there is no \\"comments\\"/);
    for (const path of ['/v1/transcripts', '/v1/jobs']) {
      const body = { ids: [videoId], include: ['comments'] };
      const answer = await app.post(path, body, { key: account.key });
      assert.equal(answer.status, 400);
      assert.match(JSON.stringify(await errorIn(answer)), /there is no \\"comments\\"/);
    }
    const nothing = await errorIn(await get(`/v1/transcripts/${videoId}?include=`));
    assert.equal(nothing.message, 'include.0 is not valid: must be one of video');
    assert.equal((await get(`/v1/transcripts/${videoId}?count_tokens=maybe`)).status, 400);
  });
});
