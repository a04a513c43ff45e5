import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import { systemCall } from '#src/app/open-core.ts';
import { loadConfig } from '#src/config.ts';
import { contentHash } from '#src/kernel/canonical-json.ts';
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

type ToolResult = { isError?: boolean; structuredContent: Record<string, unknown>; _meta: Record<string, unknown> };
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

/** What the database of a process that ends right after a charge has not stored. */
const failToKeep = `
CREATE OR REPLACE FUNCTION fail_to_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'not now'; END $$;
CREATE TRIGGER fail_to_keep BEFORE INSERT ON library_videos EXECUTE FUNCTION fail_to_keep()`;

const copyUncharged = `
INSERT INTO library_outbox (charge_id, account_id, video_id, language, content_sha256, extraction)
SELECT gen_random_uuid(), account_id, 'uncharged01', language, content_sha256, extraction FROM library_outbox LIMIT 1`;

const copyUnkept = `
INSERT INTO library_outbox (charge_id, account_id, video_id, language, content_sha256, extraction)
VALUES (gen_random_uuid(), $1, 'unkept00001', 'en', '', 'zyxomma')`;

const copyTails = `
INSERT INTO library_tails (library_id, term, start, base, postings)
SELECT library_id, 'en zyxomma', 0, 0, '' FROM libraries WHERE account_id = $1`;

const everyTable = `
SELECT format('%I.%I', table_schema, table_name) AS name, array_agg(column_name::text) AS has
FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
GROUP BY 1`;

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
    const full = await jsonIn<Kept>(await get('/v1/library?limit=3'));
    assert.deepEqual([full.videos.length, full.next_cursor], [3, null]);
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

  it('answers a question from all kept videos, with a citation and the hash of its captions, or says that no video does', async () => {
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

  it('is searched by at most twenty requests of one account at once, so that others are not kept waiting', async () => {
    const holder = await app.core.pool.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE library_languages IN ACCESS EXCLUSIVE MODE');
    const sent = Array.from({ length: 21 }, () => get('/v1/library/search?q=lens'));
    const [first] = await Promise.allSettled([Promise.race(sent)]);
    await holder.query('ROLLBACK');
    holder.release();
    const refused = first.status === 'fulfilled' ? first.value : assert.fail(String(first.reason));
    assert.match(await refused.clone().text(), /Too many operations are waiting/);
    assert.deepEqual(await refusalIn(refused), [503, 'SERVICE_UNAVAILABLE', '0']);
    const answers = await Promise.all(sent);
    assert.equal(answers.filter(({ status }) => status === 200).length, 20);
  });

  it('is searched and charged once under an Idempotency-Key, and never by HEAD', async () => {
    const { key } = await app.createAccount();
    const search = (method = 'GET') =>
      fetch(`${app.url}/v1/library/search?q=lens`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Idempotency-Key': 'search-1' },
      });
    const [first, second] = [await search(), await search()];
    assert.equal(second.headers.get('Idempotent-Replayed'), 'true');
    assert.equal(second.headers.get('X-Credits-Event'), first.headers.get('X-Credits-Event'));
    assert.equal((await search('HEAD')).status, 405);
    const { credits_used } = await jsonIn<{ credits_used: number }>(await app.get('/v1/usage', { key }));
    assert.equal(credits_used, 1);
  });

  it('puts the hash of the response of a search and of a question into its receipt', async () => {
    const ask = async (question: string) => await app.post('/v1/library/ask', { question }, { key: account.key });
    const search = '/v1/library/search?q=weight%20of%20the%20lens&lang=en&limit=3';
    for (const [answer, members, options] of [
      [await get(search), ['results'], { lang: 'en', limit: 3 }],
      [await ask('How much does the whole lens weigh?'), ['answer', 'citations', 'grounded'], null],
      [await ask('Who invented the zeppelin in Peru?'), ['answer', 'citations', 'grounded'], null],
    ] as const) {
      const { receipts } = await jsonIn<{ receipts: [string] }>(
        await get(`/v1/receipts/${answer.headers.get('X-Credits-Event')}`),
      );
      const paid = JSON.parse(Buffer.from(receipts[0].split('.')[1] ?? '', 'base64url').toString());
      const body = await jsonIn<Record<string, unknown>>(answer);
      const result = Object.fromEntries(members.map((name) => [name, body[name]]));
      assert.deepEqual([paid.content_sha256, paid.options], [contentHash(result), options]);
    }
  });

  it('keeps changed captions as another version, and shows which lines differ', async () => {
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
      return (await jsonIn<{ result: ToolResult }>(answer)).result;
    };
    const { structuredContent } = await callTool('search', { query: 'weight of the lens' });
    const [first] = structuredContent['results'] as { id: string; title: string; url: string; text: string }[];
    assert.equal(first?.id, samples.prose);
    assert.match(first?.text ?? '', /lens/);
    assert.match(first?.url ?? '', /lighthouse1&t=\d+$/);
    const read = await callTool('fetch', { id: first?.id });
    assert.equal(read.isError, undefined, JSON.stringify(read));
    assert.match(String(read.structuredContent['text']), /^\[\d\d:\d\d\] /);
    assert.deepEqual(Object.keys(read.structuredContent), ['id', 'title', 'url', 'text', 'metadata']);
    assert.equal((await callTool('fetch', { id: 'unknown0001' })).isError, true);
    const asked = (await callTool('ask', { question: 'How much does the whole lens weigh?' })).structuredContent;
    const [cited] = asked['citations'] as { video_id: string; text: string }[];
    assert.deepEqual([asked['grounded'], cited?.video_id], [true, samples.prose]);

    // As `GET /v1/library/search` takes them.
    const long = `weight of the lens ${'and '.repeat(200)}`;
    for (const [args, isFound] of [
      [{ query: long }, true],
      [{ lang: 'en', channel: 'Harbour Notes', from: '2020-01-01T00:00:00Z', limit: '5' }, true],
      [{ lang: 'ja' }, false],
      [{ channel: 'No such channel' }, false],
      [{ to: '2020-01-01T00:00:00Z' }, false],
    ] as const) {
      const { structuredContent: body, _meta } = await callTool('search', { query: 'weight of the lens', ...args });
      const results = body['results'] as { id: string }[];
      assert.equal(
        results.some(({ id }) => id === samples.prose),
        isFound,
        JSON.stringify(args),
      );
      assert.equal(_meta['ignored_arguments'], undefined);
    }
    for (const [name, args, ignored] of [
      ['search', { query: 'lens', captions: 'manual', keep: true }, ['captions', 'keep']],
      [
        'search',
        { query: 'lens', video_id: samples.prose, channel: 'x', from: 'x', depth: 1 },
        ['channel', 'from', 'depth'],
      ],
      ['ask', { question: 'How much does the whole lens weigh?', language: 'de' }, ['lang']],
    ] as const) {
      assert.deepEqual((await callTool(name, args))._meta['ignored_arguments'], ignored);
    }
    for (const args of [{ from: 'yesterday' }, { lang: 'not one' }, { query: 'a'.repeat(4_001) }, { query: '?!' }]) {
      const { isError, _meta } = await callTool('search', { query: 'lens', ...args });
      assert.equal(isError, true);
      assert.match(JSON.stringify(_meta), new RegExp(`"path":"${Object.keys(args)[0]}"`));
    }
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

  it('removes one video, which searches no longer find, and then all', async () => {
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

  it('keeps later, once, what was charged by a process that could not store it', async () => {
    const { pool, keepCharged } = app.core;
    const of = await app.createAccount();
    await using _ = await startWorkerInProcess(loadConfig(app.environment));
    await pool.query(failToKeep);
    const ids = [samples.prose, samples.regional, samples.manyLanguages];
    const [one, two, three] = ids;
    assert.equal((await get(`/v1/transcripts/${one}?keep=true`, of)).headers.get('X-Credits-Charged'), '1');
    await app.post('/v1/transcripts', { ids: [two], keep: true }, of);
    const job = await app.post('/v1/jobs', { ids: [three], keep: true }, of);
    await over(app, of.key, ((await job.json()) as { job_id: string }).job_id);
    assert.deepEqual(await listed(of), []);
    await pool.query('DROP TRIGGER fail_to_keep ON library_videos');
    await pool.query(copyUncharged);
    const look = { olderThanMs: 0, signal: new AbortController().signal };
    await Promise.all([keepCharged(look), keepCharged(look)]);
    assert.deepEqual((await listed(of)).toSorted(), ids.toSorted());
    const events = await pool.query("SELECT FROM es_event WHERE type = 'VideoKept' AND data ->> 'accountId' = $1", [
      of.accountId,
    ]);
    assert.equal(events.rowCount, ids.length);
    // What was never charged waits for its charge, and leaves with the library.
    const left = async () => (await pool.query('SELECT FROM library_outbox')).rowCount;
    assert.equal(await left(), 1);
    await fetch(`${app.url}/v1/library`, { method: 'DELETE', headers: { Authorization: `Bearer ${of.key}` } });
    assert.equal(await left(), 0);
  });

  it('keeps by default if the account has chosen that, and leaves nothing after an erasure', async () => {
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
    const { commands, pool } = app.core;
    const own = 'SELECT account_id FROM libraries JOIN account_settings USING (account_id) WHERE videos = 1';
    const accountId: string = (await pool.query(own)).rows[0].account_id;
    const call = systemCall(accountId);
    for (const id of ['erased00001', 'erased00002'])
      await commands.keepCaptions(call, captionsOf(id, ['The zyxomma.']));
    await pool.query(copyUnkept, [accountId]);
    await pool.query(copyTails, [accountId]);
    const underWay = commands.exportLibrary(call, { limit: 100, before: null })(call.signal);
    assert.equal((await underWay.next()).done, false);
    await page.json(204, page.send('POST', '/api/account/erase', { body: { password } }));
    assert.equal((await underWay.next()).done, true, 'an export that is under way reads nothing more');
    const { rows: tables } = await pool.query<{ name: string; has: string[] }>(everyTable);
    for (const { name, has } of tables) {
      const left = await pool.query(`SELECT FROM ${name} AS row WHERE row::text LIKE '%zyxomma%'`);
      assert.equal(left.rowCount, 0, name);
      if (!has.includes('library_id')) continue;
      const orphans = await pool.query(
        `SELECT FROM ${name} WHERE library_id NOT IN (SELECT library_id FROM libraries)`,
      );
      assert.equal(orphans.rowCount, 0, name);
    }
    for (const table of ['libraries', 'account_settings', 'library_outbox']) {
      const { rowCount } = await pool.query(`SELECT FROM ${table} WHERE account_id = $1`, [accountId]);
      assert.equal(rowCount, 0, table);
    }
  });

  it('allows two concurrent exports of an account, and eight in all', async () => {
    const accounts = await Promise.all(Array.from({ length: 5 }, () => app.createAccount({ plan: 'pro' })));
    const { commands } = app.core;
    const exports: AsyncGenerator[] = [];
    /** An export, read to its end: its place is free when the last bytes have arrived. */
    const exported = async (of: TestAccount | undefined) => {
      const answer = await get('/v1/library/export', { key: of?.key ?? '' });
      return { status: answer.status, headers: answer.headers, body: new Uint8Array(await answer.arrayBuffer()) };
    };
    for (const { accountId } of accounts.slice(0, 4)) {
      const call = systemCall(accountId);
      await commands.keepCaptions(call, captionsOf('exported001', ['One line.']));
      for (const _ of [1, 2]) {
        const open = commands.exportLibrary(call, { limit: 100, before: null })(call.signal);
        exports.push(open);
        await open.next();
        const isFull = exports.length === 8;
        const answers = await Promise.all(
          Array.from({ length: exports.length === 8 ? 40 : 2 }, () => exported(accounts[0])),
        );
        if (exports.length >= 2)
          assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([isFull ? 503 : 429]));
        for (const answer of answers) if (answer.status !== 200) assert.equal(answer.headers.get('Retry-After'), '5');
        assert.equal((await exported(accounts[4])).status, isFull ? 503 : 200);
        assert.equal((await get('/v1/library', { key: accounts[4]?.key ?? '' })).status, 200);
      }
    }
    for (const open of exports) await open.return(undefined);
    const together = Array.from({ length: 40 }, () => exported(accounts[0]));
    const sent = (await Promise.all(together)).filter(({ status }) => status === 200);
    assert.ok(sent.length >= 2);
    for (const { body } of sent) assert.equal(Object.keys(unzipSync(body)).length, 2);
    assert.equal((await exported(accounts[0])).status, 200);
  });
});
