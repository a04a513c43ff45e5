import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import { systemCall } from '#src/app/open-core.ts';
import { loadConfig } from '#src/config.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestAccount, type TestApp } from '#test/support/app.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';
import { over } from '#test/support/job-watch.ts';
import { browser } from '#test/support/journey.ts';
import { plantedPassword } from '#test/support/leaks.ts';
import { captionsOf } from '#test/support/library.ts';
import { jsonIn, refusalIn } from '#test/support/response-json.ts';

type Kept = { videos: { video_id: string; language: string; content_sha256: string }[]; next_cursor: string | null };
type Found = { results: { video_id: string; start: number; text: string; score: number; url: string }[] };

type LibraryAnswer = {
  grounded: boolean;
  fallback: boolean;
  citations: { video_id: string; start: number; text: string; content_hash: string }[];
};
type Versions = { versions: { version: number; language: string; content_hash: string }[] };
type VersionText = { segments: { text: string; start: number }[] };
type Diff = { changes: { change: string; start: number; text: string }[] };

let app: TestApp;
let account: TestAccount;

const get = (path: string, { key }: Pick<TestAccount, 'key'> = account) => app.get(path, { key });
const remove = (path: string) =>
  fetch(`${app.url}${path}`, { method: 'DELETE', headers: { Authorization: `Bearer ${account.key}` } });
const listed = async (of: Pick<TestAccount, 'key'> = account): Promise<string[]> =>
  (await jsonIn<Kept>(await get('/v1/library', of))).videos.map(({ video_id }) => video_id);
const found = async (query: string, of: Pick<TestAccount, 'key'> = account): Promise<Found['results']> =>
  (await jsonIn<Found>(await get(`/v1/library/search?${new URLSearchParams({ q: query })}`, of))).results;

describe('the library', () => {
  before(async () => {
    app = await startTestApp();
    account = await app.createAccount({ plan: 'pro' });
  });
  after(() => app[Symbol.asyncDispose]());

  it('keeps what is read with keep by a transcript, a batch, an operation and raw captions, and nothing else', async () => {
    await get(`/v1/transcripts/${samples.prose}`);
    assert.deepEqual(await listed(), []);
    await get(`/v1/transcripts/${samples.prose}?keep=true&format=srt`);
    await app.post('/v1/transcripts', { ids: [samples.regional, 'private-001'], keep: true }, account);
    await app.post('/v1/search', { video_id: samples.manyLanguages, query: 'tea', keep: true, lang: 'de' }, account);
    await get(`/v1/transcripts/${samples.manyLanguages}/raw?lang=ja&keep=true`);
    assert.deepEqual((await listed()).toSorted(), [samples.manyLanguages, samples.prose, samples.regional].toSorted());
    const first = await jsonIn<Kept>(await get('/v1/library?limit=2'));
    const second = await jsonIn<Kept>(await get(`/v1/library?limit=2&cursor=${first.next_cursor}`));
    assert.deepEqual([first.videos.length, second.videos.length, second.next_cursor], [2, 1, null]);
  });

  it('finds a passage of any kept video for one credit, with the link to its second', async () => {
    const answer = await get(`/v1/library/search?q=${encodeURIComponent('weight of the lens')}`);
    assert.equal(answer.headers.get('X-Credits-Charged'), '1');
    const [hit] = (await jsonIn<Found>(answer)).results;
    assert.equal(hit?.video_id, samples.prose);
    assert.equal(hit?.url, `https://www.youtube.com/watch?v=${samples.prose}&t=${Math.floor(hit?.start ?? 0)}`);
    assert.match(hit?.text ?? '', /lens/);
    // In another language of the same library.
    assert.ok((await found('お茶')).every(({ video_id }) => video_id === samples.manyLanguages));
  });

  it('answers a question from all kept videos, with the citation and the hash of its captions, or says that none does', async () => {
    const ask = (question: string, headers = {}) =>
      app.post('/v1/library/ask', { question }, { key: account.key, headers });
    const answer = await ask('How much does the whole lens weigh?');
    assert.equal(answer.headers.get('X-Credits-Charged'), '1');
    const { citations, grounded, fallback } = await jsonIn<LibraryAnswer>(answer);
    assert.deepEqual([grounded, fallback, citations.length], [true, true, 1]);
    const [cited] = citations;
    const { versions } = await jsonIn<Versions>(await get(`/v1/library/${samples.prose}/versions`));
    assert.deepEqual([cited?.video_id, cited?.content_hash], [samples.prose, versions[0]?.content_hash]);
    const { segments } = await jsonIn<VersionText>(await get(`/v1/library/${samples.prose}/versions/1`));
    const text = segments.map((segment) => segment.text).join(' ');
    assert.ok(text.includes(cited?.text ?? '?'), 'the citation is verbatim');
    assert.ok(segments.some(({ start }) => start === cited?.start));
    for (const question of ['Who invented the zeppelin in Peru?', 'who is it?']) {
      const none = await jsonIn<LibraryAnswer>(await ask(question));
      assert.deepEqual([none.grounded, none.citations], [false, []], question);
    }
    for (const quoted of [await ask('Why?', { 'X-Dry-Run': '1' })]) {
      assert.match(await quoted.text(), /"dry_run":true,"operation":"ask","credits":1/);
      assert.equal(quoted.headers.get('X-Credits-Charged'), '0');
    }
    assert.equal((await app.post('/v1/library/ask', { question: '' }, account)).status, 400);
  });

  it('keeps captions that changed as another version, and says which lines differ', async () => {
    const of = await app.createAccount();
    const { keepCaptions } = app.core.commands;
    const call = systemCall(of.accountId);
    const first = captionsOf('changing001', ['One line.', 'The second line.', 'The last line.']);
    const second = captionsOf('changing001', ['One line.', 'Another second line.', 'The last line.', 'And one more.']);
    assert.deepEqual(await keepCaptions(call, first), { version: 1, previousSha256: null });
    assert.equal(await keepCaptions(call, first), null);
    const changed = await keepCaptions(call, second);
    const { versions } = await jsonIn<Versions>(await get('/v1/library/changing001/versions', of));
    assert.deepEqual(changed, { version: 2, previousSha256: versions[0]?.content_hash });
    assert.deepEqual(
      versions.map(({ version, language }) => [version, language]),
      [
        [1, 'en'],
        [2, 'en'],
      ],
    );
    const { changes } = await jsonIn<Diff>(await get('/v1/library/changing001/diff?from=1&to=2', of));
    assert.deepEqual(
      changes.map(({ change, start, text }) => [change, start, text]),
      [
        ['removed', 5, 'The second line.'],
        ['added', 5, 'Another second line.'],
        ['added', 15, 'And one more.'],
      ],
    );
    for (const path of ['changing001/versions/3', 'changing001/diff?from=1&to=3', 'unknown0001/versions']) {
      assert.deepEqual(await refusalIn(await get(`/v1/library/${path}`, of)), [404, 'NOT_FOUND', '0'], path);
    }
    assert.deepEqual(await refusalIn(await get('/v1/library/changing001/versions')), [404, 'NOT_FOUND', '0']);
    for (const path of ['changing001/versions/0', 'changing001/diff?from=1', 'changing001/diff?from=a&to=2']) {
      assert.equal((await get(`/v1/library/${path}`, of)).status, 400, path);
    }
    const archive = await get('/v1/library/export', of);
    const files = unzipSync(new Uint8Array(await archive.arrayBuffer()));
    const names = ['1.en.json', '1.en.md', '2.en.json', '2.en.md'].map((name) => `changing001/${name}`);
    assert.deepEqual(Object.keys(files).toSorted(), names);
    const { segments } = JSON.parse(Buffer.from(files['changing001/2.en.json'] ?? []).toString());
    assert.equal(segments.length, 4);
  });

  it('is searched and read by agents', async () => {
    const callTool = async (name: string, args: object) => {
      const params = { name, arguments: args };
      const answer = await app.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, account);
      return (await jsonIn<{ result: { isError?: boolean; structuredContent: Record<string, unknown> } }>(answer))
        .result;
    };
    const { structuredContent } = await callTool('search', { query: 'weight of the lens' });
    const [first] = structuredContent['results'] as { id: string; title: string; url: string }[];
    assert.equal(first?.id, samples.prose);
    assert.match(first?.url ?? '', /lighthouse1&t=\d+$/);
    const read = await callTool('fetch', { id: first?.id });
    assert.equal(read.isError, undefined, JSON.stringify(read));
    assert.match(String(read.structuredContent['text']), /^\[\d\d:\d\d\] /);
    assert.deepEqual(Object.keys(read.structuredContent), ['id', 'title', 'url', 'text', 'metadata']);
    assert.equal((await callTool('fetch', { id: 'unknown0001' })).isError, true);
  });

  it('shows an account nothing of another', async () => {
    const other = await app.createAccount();
    assert.deepEqual(await listed(other), []);
    assert.deepEqual(await found('lens', other), []);
    const answer = await fetch(`${app.url}/v1/library/${samples.prose}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${other.key}` },
    });
    assert.deepEqual(await refusalIn(answer), [404, 'NOT_FOUND', '0']);
    assert.ok((await listed()).includes(samples.prose));
  });

  it('refuses bad parameters by their names, and charges nothing for them', async () => {
    const wrong = {
      '/v1/library?limit=0': 'limit',
      '/v1/library?cursor=abc': 'cursor',
      '/v1/library/search': 'q',
      '/v1/library/search?q=%20': 'q',
      [`/v1/library/search?q=${'a'.repeat(4_001)}`]: 'q',
      '/v1/library/search?q=the%20and%20of': 'q',
      '/v1/library/search?q=a%00b': 'q',
      '/v1/library/search?q=lens&from=yesterday': 'from',
      '/v1/library/search?q=lens&lang=not%20one': 'lang',
      '/v1/library/search?q=lens&limit=51': 'limit',
      [`/v1/transcripts/${samples.prose}?keep=maybe`]: 'keep',
    };
    for (const [path, name] of Object.entries(wrong)) {
      const answer = await get(path);
      assert.equal(answer.status, 400, path);
      assert.equal(answer.headers.get('X-Credits-Charged'), '0', path);
      assert.match(await answer.text(), new RegExp(`"path":"${name}"`), path);
    }
  });

  it('removes one video, which no search finds any more, and then all', async () => {
    assert.equal((await remove(`/v1/library/${samples.prose}`)).status, 204);
    assert.deepEqual(await found('weight of the lens'), []);
    assert.deepEqual(await refusalIn(await remove(`/v1/library/${samples.prose}`)), [404, 'NOT_FOUND', '0']);
    assert.equal((await remove('/v1/library')).status, 204);
    assert.deepEqual(await listed(), []);
    const left = await app.core.pool.query(
      'SELECT count(*)::int AS rows FROM library_versions JOIN libraries USING (library_id) WHERE account_id = $1',
      [account.accountId],
    );
    assert.deepEqual(left.rows, [{ rows: 0 }]);
  });

  it('refuses to keep more than the plan allows before anything is charged, and reads without keep', async () => {
    const full = await app.createAccount();
    const fill = 'INSERT INTO libraries (account_id, videos) VALUES ($1, 100)';
    await app.core.pool.query(fill, [full.accountId]);
    const refused = await get(`/v1/transcripts/${samples.prose}?keep=true`, full);
    assert.deepEqual(await refusalIn(refused), [409, 'LIBRARY_FULL', '0']);
    assert.equal((await get(`/v1/transcripts/${samples.prose}`, full)).status, 200);
    await app.core.commands.chooseRequestDefaults(full.accountId, { keepByDefault: true });
    // What nobody asked for in this request is no reason to refuse it.
    assert.equal((await get(`/v1/transcripts/${samples.prose}`, full)).status, 200);
  });

  it('keeps what a job reads', async () => {
    await using _ = await startWorkerInProcess(loadConfig(app.environment));
    const answer = await app.post('/v1/jobs', { ids: [samples.prose], keep: true }, account);
    const { job_id: jobId } = (await answer.json()) as { job_id: string };
    await over(app, account.key, jobId);
    assert.deepEqual(await listed(), [samples.prose]);
  });

  it('keeps by default where the account has chosen that, and leaves nothing after an erasure', async () => {
    const page = browser([app.url]);
    const password = plantedPassword('keeper');
    const email = 'keeper@example.com';
    await page.json(
      201,
      page.send('POST', '/api/auth/register', { body: { email, password, ...(await page.solved()) } }),
    );
    await page.json(200, page.send('POST', '/api/auth/login', { body: { email, password } }));
    const settings = '/api/account/settings';
    assert.deepEqual(await page.json(200, page.send('GET', settings)), {
      keep_by_default: false,
      ask_above_credits: null,
    });
    for (const body of [{}, { keep_by_default: 'yes' }, { unknown: true }]) {
      await page.json(400, page.send('PATCH', settings, { body }));
    }
    const chosen = { keep_by_default: true };
    const changed = await page.json(200, page.send('PATCH', settings, { body: chosen }));
    assert.deepEqual(changed, { ...chosen, ask_above_credits: null });
    const made = page.send('POST', '/api/account/keys', { body: { name: 'one' } });
    const { key } = await page.json<{ key: { fullKey?: string; key?: string; secret?: string } }>(201, made);
    const secret = { key: key.fullKey ?? '' };
    await get(`/v1/transcripts/${samples.prose}`, secret);
    await get(`/v1/transcripts/${samples.regional}?keep=false`, secret);
    assert.deepEqual(await listed(secret), [samples.prose]);
    const html = await (await page.send('GET', '/account/library?q=weight+of+the+lens')).text();
    assert.match(
      html,
      /<li><p><a href="\/t\/lighthouse1\?lang=en#t=\d+">[^<]* · \d\d:\d\d<\/a><\/p><p lang="en">[^<]*lens/,
    );
    const nothing = ['q=the+of', 'q=lens&channel=Another', 'q=lens&to=2020-01-31', 'q=lens&from=2999-01-01'];
    for (const query of nothing) {
      assert.match(await (await page.send('GET', `/account/library?${query}`)).text(), /Nothing was found/, query);
    }
    const archive = await page.send('GET', '/account/library/export');
    const names = Object.keys(unzipSync(new Uint8Array(await archive.arrayBuffer())));
    assert.deepEqual(names.toSorted(), [`${samples.prose}/1.en.json`, `${samples.prose}/1.en.md`]);
    const { user } = await page.json<{ user: { id: string } }>(200, page.send('GET', '/api/account/me'));
    await page.json(204, page.send('POST', '/api/account/erase', { body: { password } }));
    const tables = ['library_postings', 'library_terms', 'library_vectors', 'library_versions', 'library_videos'];
    for (const table of tables) {
      const { rowCount } = await app.core.pool.query(
        `SELECT FROM ${table} WHERE library_id NOT IN (SELECT library_id FROM libraries)`,
      );
      assert.equal(rowCount, 0, table);
    }
    for (const table of ['libraries', 'account_settings']) {
      const { rowCount } = await app.core.pool.query(`SELECT FROM ${table} WHERE account_id = $1`, [user.id]);
      assert.equal(rowCount, 0, table);
    }
  });
});
