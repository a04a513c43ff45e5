import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestApp, type TestAccount, type TestApp } from '#test/support/app.ts';
import { over } from '#test/support/job-watch.ts';
import { jsonIn } from '#test/support/response-json.ts';

/** The member of a job that names its operations. */
const then = 'then';
const videoId = 'chapters-01';

let app: TestApp;
let account: TestAccount;
const chapters = (body: object, headers: Record<string, string> = {}, key = account.key) =>
  app.post('/v1/chapters', { video_id: videoId, ...body }, { key, headers });
type Answer = { source: string; model: string | null; fallback: boolean; chapters: { start: number; title: string }[] };

describe('the chapters of an author', () => {
  before(async () => {
    app = await startTestApp();
    account = await app.createAccount({ plan: 'scale' });
  });
  after(() => app[Symbol.asyncDispose]());

  it('are free for an account without credits, even before the video is known', async () => {
    const dry = await jsonIn<{ credits: number; note?: string }>(await chapters({}, { 'X-Dry-Run': '1' }));
    assert.ok(dry.credits > 0 && dry.note !== undefined);
    const { key } = await app.createAccount({ credits: 0 });
    assert.equal((await jsonIn<Answer>(await chapters({}, {}, key))).source, 'author');
    assert.equal((await chapters({ video_id: 'lighthouse1' }, {}, key)).status, 402);
  });

  it('are free of charge in any requested language', async () => {
    for (const body of [{}, { output_lang: 'de' }, { lang: 'en' }]) {
      const answer = await chapters(body);
      assert.equal(answer.headers.get('X-Credits-Charged'), '0');
      const { source, model, fallback, chapters: found } = await jsonIn<Answer>(answer);
      assert.deepEqual([source, model, fallback], ['author', null, false]);
      assert.deepEqual(
        found.map(({ start, title }) => [start, title]),
        [
          [0, 'Welcome'],
          [10, 'The ground'],
          [28, 'Roots and soil'],
          [45, 'Water'],
        ],
      );
    }
    const known = await jsonIn<{ credits: number; note?: string }>(await chapters({}, { 'X-Dry-Run': '1' }));
    assert.deepEqual([known.credits, known.note], [0, undefined]);
    const tool = { name: 'chapters', arguments: { video_id: 'chapters-01' } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool };
    const quoted = await app.post('/mcp', message, { key: account.key, headers: { 'X-Dry-Run': '1' } });
    const { result } = await jsonIn<{ result: { _meta: { credits: number } } }>(quoted);
    assert.equal(result._meta.credits, 0);
    const { entries } = await jsonIn<{ entries: { type: string }[] }>(
      await app.get('/v1/ledger', { key: account.key }),
    );
    assert.ok(entries.every(({ type }) => type !== 'CreditsCharged'));
  });

  it('are not returned for a language that the video lacks', async () => {
    assert.equal((await chapters({ lang: 'fr' })).status, 404);
  });

  it('are extracted if the author wrote none', async () => {
    const answer = await chapters({ video_id: 'lighthouse1', lang: 'en' });
    assert.equal((await jsonIn<Answer>(answer)).source, 'extract');
    assert.equal(answer.headers.get('X-Credits-Charged'), '1');
  });

  it('cost nothing after a transcript of a job', async () => {
    const body = { ids: [videoId], [then]: [{ operation: 'chapters' }] };
    const { job_id } = (await (await app.post('/v1/jobs', body, { key: account.key })).json()) as { job_id: string };
    assert.equal((await over(app, account.key, job_id)).status, 'completed');
    const { results } = await jsonIn<{
      results: {
        credits_charged: number;
        operations: { credits_charged: number; charge_id: null; result: Answer }[];
      }[];
    }>(await app.get(`/v1/jobs/${job_id}/results`, { key: account.key }));
    const [result] = results;
    const [made] = result?.operations ?? [];
    assert.equal(result?.credits_charged, 1);
    assert.deepEqual([made?.credits_charged, made?.charge_id, made?.result.source], [0, null, 'author']);
  });

  it('are shown on the page of the transcript, and above its paragraphs', async () => {
    const headers = { 'Sec-Fetch-Site': 'none' };
    const page = await (await app.get(`/t/${videoId}`, { headers })).text();
    assert.match(page, /<ol class="places" id="chapters">.*Roots and soil/s);
    const reading = await (await app.get(`/t/${videoId}?view=reading`, { headers })).text();
    assert.match(reading, /<h2>Roots and soil<\/h2>/);
  });
});
