import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestAccount, type TestApp } from '#test/support/app.ts';
import { over } from '#test/support/job-watch.ts';
import { type EntryJson, errorIn, jsonIn } from '#test/support/response-json.ts';

let app: TestApp;
let account: TestAccount;
const video = samples.prose;

before(async () => {
  app = await startTestApp();
  account = await app.createAccount({ plan: 'pro' });
});
after(() => app[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}) => app.get(path, { key: account.key, headers });
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  app.post(path, body, { key: account.key, headers });

type Quote = { readonly operation: string; readonly credits: number; readonly videos: number | null };

describe('a dry run', () => {
  it('tells what each request that costs would cost, and charges nothing', async () => {
    const dry = { 'X-Dry-Run': '1' };
    const batch = { ids: [video, `https://youtu.be/${video}`, samples.lyrics, 'no video'] };
    const asked: readonly (readonly [string, Promise<Response>, number])[] = [
      ['transcript', get(`/v1/transcripts/${video}?format=srt`, dry), 1],
      ['transcript', get(`/v1/transcripts/${video}?asr=auto`, dry), 10],
      ['raw', get(`/v1/transcripts/${video}/raw`, dry), 1],
      ['batch', post('/v1/transcripts', batch, dry), 2],
      ['playlist', get(`/v1/playlists/PL${'0'.repeat(32)}?limit=250`, dry), 3],
      ['job', post('/v1/jobs', { ids: [video, samples.lyrics] }, dry), 2],
    ];
    for (const [operation, answer, credits] of asked) {
      const quote = await jsonIn<Quote & { dry_run: boolean }>(await answer);
      assert.deepEqual([quote.dry_run, quote.operation, quote.credits], [true, operation, credits]);
    }
    const { jobs } = await jsonIn<{ jobs: unknown[] }>(await get('/v1/jobs'));
    const { credits_used } = await jsonIn<{ credits_used: number }>(await get('/v1/usage'));
    assert.deepEqual([jobs.length, credits_used], [0, 0]);
  });

  it('takes 1 alone, and refuses what the request itself would refuse', async () => {
    for (const value of ['0', 'yes', '']) {
      const refused = await errorIn(await get(`/v1/transcripts/${video}`, { 'X-Dry-Run': value }));
      assert.equal(refused.code, 'INVALID_REQUEST', value);
    }
    const noVideo = await errorIn(await get('/v1/transcripts/nonsense', { 'X-Dry-Run': '1' }));
    assert.equal(noVideo.code, 'INVALID_VIDEO_ID');
  });
});

describe('a cost tag', () => {
  it('is stored with the charge, and groups usage and the ledger', async () => {
    await get(`/v1/transcripts/${video}`, { 'X-Cost-Tag': 'team a/2026' });
    await post('/v1/transcripts', { ids: [video], cost_tag: 'team b' });
    await post('/v1/search', { video_id: video, query: 'light', cost_tag: 'team b' }, { 'X-Cost-Tag': 'team b' });
    const { by_tag } = await jsonIn<{ by_tag: { cost_tag: string | null }[] }>(await get('/v1/usage'));
    const tagged = by_tag.filter(({ cost_tag }) => cost_tag !== null);
    assert.deepEqual(tagged, [
      { cost_tag: 'team b', count: 2, credits: 2 },
      { cost_tag: 'team a/2026', count: 1, credits: 1 },
    ]);
    const { entries } = await jsonIn<{ entries: EntryJson[] }>(await get('/v1/ledger?cost_tag=team%20b'));
    assert.deepEqual(entries.map(({ data }) => data['operation']).toSorted(), ['batch', 'search']);
  });

  it('comes to every item of a job', async () => {
    const made = await post('/v1/jobs', { ids: [video], cost_tag: 'nightly' });
    const { job_id } = (await made.json()) as { job_id: string };
    await over(app, account.key, job_id);
    const { entries } = await jsonIn<{ entries: EntryJson[] }>(await get('/v1/ledger?cost_tag=nightly'));
    assert.deepEqual(
      entries.map(({ type }) => type),
      ['ReservationSettled', 'CreditsReserved'],
    );
  });

  it('is refused when it is malformed, or says two things', async () => {
    for (const tag of ['', 'x'.repeat(65), 'a;b', 'ä', 'a\tb']) {
      const refused = await errorIn(await post('/v1/transcripts', { ids: [video], cost_tag: tag }));
      assert.equal(refused.code, 'INVALID_REQUEST', tag);
    }
    const malformed = await errorIn(await get(`/v1/transcripts/${video}`, { 'X-Cost-Tag': 'a,b' }));
    assert.equal(malformed.code, 'INVALID_REQUEST');
    const body = { ids: [video], cost_tag: 'one' };
    const twice = await errorIn(await post('/v1/transcripts', body, { 'X-Cost-Tag': 'other' }));
    assert.equal(twice.details?.['fields'] !== undefined, true);
  });
});
