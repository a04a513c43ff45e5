import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestAccount, type TestApp } from '#test/support/app.ts';
import { errorIn, jsonIn } from '#test/support/response-json.ts';

type Chunk = {
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly timestamp: string;
  readonly text: string;
  readonly token_count: number;
  readonly url: string;
};
type Chunks = {
  readonly video_id: string;
  readonly language: string;
  readonly content_hash: string;
  readonly tokenizer: string;
  readonly chunks: readonly Chunk[];
};

let app: TestApp;
let account: TestAccount;
const get = (query: string, video: string = samples.prose, key = account.key) =>
  app.get(`/v1/transcripts/${video}/chunks${query}`, { key });

describe('chunks over HTTP', () => {
  before(async () => {
    app = await startTestApp();
    account = await app.createAccount({ plan: 'scale' });
  });
  after(() => app[Symbol.asyncDispose]());

  it('are sentences with their time, a link to the second and their tokens, for the price of a transcript', async () => {
    const answer = await get('?max_tokens=50&overlap=0');
    assert.equal(answer.headers.get('X-Credits-Charged'), '1');
    assert.equal(answer.headers.get('X-Transcript-Language'), 'en');
    const { chunks, ...about } = await jsonIn<Chunks>(answer);
    const { content_hash } = about;
    assert.deepEqual(about, { video_id: samples.prose, language: 'en', content_hash, tokenizer: 'o200k_base' });
    assert.match(content_hash, /^[0-9a-f]{64}$/);
    for (const { id, start, end, timestamp, token_count, url } of chunks) {
      assert.match(id, new RegExp(`^${content_hash.slice(0, 16)}-\\d+-\\d+$`));
      assert.equal(url, `https://www.youtube.com/watch?v=${samples.prose}&t=${Math.floor(start)}`);
      assert.ok(token_count > 0 && token_count <= 50 && start < end && /^\d\d:\d\d$/.test(timestamp));
    }
    assert.equal(new Set(chunks.map(({ id }) => id)).size, chunks.length);
    const entry = await jsonIn<{ data: Record<string, unknown> }>(
      await app.get(`/v1/ledger/${answer.headers.get('X-Credits-Event')}`, { key: account.key }),
    );
    assert.equal(entry.data['contentSha256'], content_hash);
    assert.equal(entry.data['operation'], 'transcript');
    assert.deepEqual(entry.data['options'], { max_tokens: 50, overlap: 0, by: 'sentences' });
  });

  it('are one per line in NDJSON, with the same ids', async () => {
    const answer = await get('?max_tokens=100&format=ndjson');
    assert.equal(answer.headers.get('Content-Type'), 'application/x-ndjson; charset=utf-8');
    const lines = (await answer.text()).trimEnd().split('\n');
    const { chunks } = await jsonIn<Chunks>(await get('?max_tokens=100'));
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      chunks,
    );
  });

  it('keep to the chapters of the author, else to those that are extracted', async () => {
    const written = await jsonIn<Chunks>(await get('?by=chapters&max_tokens=8000', samples.authorChapters));
    assert.equal(written.chunks.length, 4);
    const extracted = await jsonIn<Chunks>(await get('?by=chapters&max_tokens=8000'));
    const { chapters } = await jsonIn<{ chapters: { start: number }[] }>(
      await app.post('/v1/chapters', { video_id: samples.prose }, { key: account.key }),
    );
    assert.deepEqual(
      extracted.chunks.map(({ start }) => start),
      chapters.map(({ start }) => start),
    );
  });

  it('are a file on the page of the transcript, which was paid for once', async () => {
    const headers = { 'Sec-Fetch-Site': 'none' };
    const page = await app.get(`/t/${samples.regional}`, { headers });
    const [cookie = ''] = page.headers.getSetCookie().map((each) => each.split(';')[0]);
    const [, link = ''] = /href="([^"]+chunks\.ndjson[^"]*)"/.exec(await page.text()) ?? [];
    const file = await app.get(link.replaceAll('&amp;', '&'), { headers: { ...headers, Cookie: cookie } });
    assert.match(file.headers.get('Content-Disposition') ?? '', /filename="teatime-gb1\..*\.chunks\.ndjson"/);
    assert.equal(JSON.parse((await file.text()).split('\n')[0] ?? '').timestamp.length, 5);
    const stranger = await app.get(link.replaceAll('&amp;', '&'), { headers: { 'Sec-Fetch-Site': 'cross-site' } });
    assert.match(stranger.headers.get('Content-Type') ?? '', /^text\/html/);
  });

  it('refuse sizes out of bounds, an overlap as long as a chunk, and unknown parameters, by name and free of charge', async () => {
    for (const [query, path] of [
      ['?max_tokens=49', 'max_tokens'],
      ['?max_tokens=8001', 'max_tokens'],
      ['?max_tokens=1e2', 'max_tokens'],
      ['?overlap=400', 'overlap'],
      ['?max_tokens=50&overlap=50', 'overlap'],
      ['?overlap=-1', 'overlap'],
      ['?by=words', 'by'],
      ['?format=txt', 'format'],
      ['?lang=en,', 'lang'],
    ] as const) {
      const answer = await get(query);
      assert.equal(answer.status, 400, query);
      const { code, details } = await errorIn(answer);
      assert.equal(code, 'INVALID_REQUEST');
      assert.match(JSON.stringify(details), new RegExp(`"path":"${path}"`), query);
    }
    const poor = await app.createAccount({ credits: 0 });
    assert.equal((await get('', samples.prose, poor.key)).status, 402);
    assert.equal((await get('', samples.noCaptions)).status, 404);
  });
});
