import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { canonicalJson } from '#src/kernel/canonical-json.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestAccount, type TestApp } from '#test/support/app.ts';
import { callOf } from '#test/support/credits.ts';
import { over } from '#test/support/job-watch.ts';
import { planted } from '#test/support/leaks.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { type EntryJson, errorIn, jsonIn } from '#test/support/response-json.ts';
import { operate } from '#test/support/run-operator.ts';

let app: TestApp;
let account: TestAccount;
const video = samples.prose;

before(async () => {
  app = await startTestApp({ environment: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  account = await app.createAccount({ plan: 'pro' });
});
after(() => app[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}) => app.get(path, { key: account.key, headers });
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  app.post(path, body, { key: account.key, headers });

type Quote = { readonly operation: string; readonly credits: number; readonly videos: number | null };

describe('a dry run', () => {
  it('returns the price of each request that costs credits, and charges nothing', async () => {
    const dry = { 'X-Dry-Run': '1' };
    const batch = { ids: [video, `https://youtu.be/${video}`, samples.lyrics, 'no video'] };
    const asked: readonly (readonly [string, Promise<Response>, number])[] = [
      ['transcript', get(`/v1/transcripts/${video}?format=srt`, dry), 1],
      ['transcript', get(`/v1/transcripts/${video}?asr=auto`, dry), 10],
      ['raw', get(`/v1/transcripts/${video}/raw`, dry), 1],
      ['transcript', get(`/v1/transcripts/${video}/chunks?asr=force`, dry), 10],
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

  it('accepts only 1, and refuses what the request itself would refuse', async () => {
    for (const value of ['0', 'yes', '']) {
      const refused = await errorIn(await get(`/v1/transcripts/${video}`, { 'X-Dry-Run': value }));
      assert.equal(refused.code, 'INVALID_REQUEST', value);
    }
    const noVideo = await errorIn(await get('/v1/transcripts/nonsense', { 'X-Dry-Run': '1' }));
    assert.equal(noVideo.code, 'INVALID_VIDEO_ID');
  });

  it('is refused for a request that does not offer one, before any work', async () => {
    const follow = { source: '@harbournotes', max_credits_per_period: 5 };
    const refused = await errorIn(await post('/v1/follows', follow, { 'X-Dry-Run': '1' }));
    assert.match(refused.message, /^X-Dry-Run is not supported here/);
    assert.deepEqual((await jsonIn<{ follows: unknown[] }>(await get('/v1/follows'))).follows, []);
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

  it('reaches every item of a job', async () => {
    const made = await post('/v1/jobs', { ids: [video], cost_tag: 'nightly' });
    const { job_id } = (await made.json()) as { job_id: string };
    await over(app, account.key, job_id);
    const { entries } = await jsonIn<{ entries: EntryJson[] }>(await get('/v1/ledger?cost_tag=nightly'));
    assert.deepEqual(
      entries.map(({ type }) => type),
      ['ReservationSettled', 'CreditsReserved'],
    );
  });

  it('is refused when it is malformed or given twice', async () => {
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

describe('a receipt', () => {
  type Receipts = { readonly receipts: readonly string[]; readonly next_cursor: string | null };
  const folder = mkdtempSync(join(tmpdir(), 'steno-receipts-'));
  after(() => rmSync(folder, { recursive: true }));
  const receiptsOf = async (id: string, query = '') => await jsonIn<Receipts>(await get(`/v1/receipts/${id}${query}`));
  const payloadOf = (jws = '') => JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString());
  const kept = (name: string, content: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const verified = (receipt: string, more: readonly string[] = [], keys = 'keys.json') => {
    const program = new URL('../../docs/verify-receipt.mjs', import.meta.url).pathname;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [program, receipt, '--jwks', join(folder, keys), ...more],
      { encoding: 'utf8' },
    );
    return { status, said: `${stdout}${stderr}` };
  };
  before(async () => {
    kept('keys.json', await jsonIn(await app.get('/.well-known/jwks.json')));
  });

  it('says what was delivered, and is verified offline with the transcript in any format', async () => {
    const headers = { 'X-Cost-Tag': 'audit', 'X-Request-ID': 'my-request' };
    const srt = await get(`/v1/transcripts/${video}?format=srt&clean=true`, headers);
    const id = srt.headers.get('X-Credits-Event') ?? '';
    assert.equal(srt.headers.get('Link'), `</v1/receipts/${id}>; rel="receipt"`);
    const answer = await receiptsOf(id);
    assert.deepEqual(await receiptsOf('my-request'), answer, 'a receipt has the same bytes whenever it is asked for');
    const [jws = ''] = answer.receipts;
    const entry = await jsonIn<EntryJson>(await get(`/v1/ledger/${id}`));
    const { credits_remaining: after } = await jsonIn<{ credits_remaining: number }>(await get('/v1/usage'));
    assert.partialDeepStrictEqual(payloadOf(jws), {
      ...{ account_id: account.accountId, grant_id: null, operation: 'transcript', video_id: video },
      ...{ format: 'srt', options: { clean: true }, credits: 1, balance_before: after + 1, balance_after: after },
      ...{ event_id: id, event_hash: entry.hash, request_id: 'my-request', cost_tag: 'audit' },
    });
    const transcript = kept('transcript.json', await jsonIn(await get(`/v1/transcripts/${video}?format=json`)));
    const held = verified(kept('answer.json', answer), ['--transcript', transcript]);
    assert.deepEqual([held.status, held.said.includes('the content is the one paid for')], [0, true], held.said);
    const misspelled = verified(jws, ['--transcripts', transcript]);
    assert.deepEqual([misspelled.status, /usage: node verify-receipt/.test(misspelled.said)], [2, true]);
    const other = kept('other.json', await jsonIn(await get(`/v1/transcripts/${samples.lyrics}`)));
    assert.match(verified(jws, ['--transcript', other]).said, /not the content paid for/);
  });

  it('of an operation is verified with its answer', async () => {
    const asked = await post('/v1/ask', { video_id: video, question: 'Who kept the light?' });
    const { receipts } = await receiptsOf(asked.headers.get('X-Credits-Event') ?? '');
    const held = verified(receipts[0] ?? '', ['--transcript', kept('ask.json', await jsonIn(asked))]);
    assert.equal(held.status, 0, held.said);
    assert.doesNotMatch(JSON.stringify(payloadOf(receipts[0])), /kept the light/, 'it repeats nothing that was typed');
  });

  it('comes for each charge of a request and, page by page, of a job', async () => {
    const batch = await post('/v1/transcripts', { ids: [video, samples.lyrics] });
    assert.equal((await receiptsOf(batch.headers.get('X-Request-ID') ?? '')).receipts.length, 2);
    const made = await post('/v1/jobs', { ids: [video, samples.lyrics] });
    const { job_id } = (await made.json()) as { job_id: string };
    await over(app, account.key, job_id);
    const first = await receiptsOf(job_id, '?limit=1');
    const second = await receiptsOf(job_id, `?limit=1&cursor=${first.next_cursor}`);
    assert.deepEqual([first.receipts.length, second.receipts.length, second.next_cursor], [1, 1, null]);
    const payloads = [...first.receipts, ...second.receipts].map(payloadOf);
    assert.deepEqual(payloads.map(({ video_id }) => video_id).toSorted(), [video, samples.lyrics].toSorted());
    for (const { balance_before, credits, balance_after } of payloads)
      assert.equal(balance_before - credits, balance_after);
  });

  it('is not valid with a changed byte, with another key, or with alg none', async () => {
    const read = await get(`/v1/transcripts/${video}`);
    const [jws = ''] = (await receiptsOf(read.headers.get('X-Credits-Event') ?? '')).receipts;
    const [header = '', payload = '', signature = ''] = jws.split('.');
    const cheaper = Buffer.from(JSON.stringify({ ...payloadOf(jws), credits: 0 })).toString('base64url');
    assert.match(verified(`${header}.${cheaper}.${signature}`).said, /was changed/);
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid })).toString('base64url');
    assert.match(verified(`${none}.${payload}.${signature}`).said, /no Ed25519/);
    const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    kept('others.json', { keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig' }] });
    assert.match(verified(jws, [], 'others.json').said, /another key/);
    kept('none.json', { keys: [] });
    assert.match(verified(jws, [], 'none.json').said, /not among the keys/);
    assert.equal(verified('not.a.jws').status, 1);
  });

  it('does not exist for a request without a charge, or for other accounts', async () => {
    const free = await get(`/v1/transcripts/${video}/languages`);
    const read = await get(`/v1/transcripts/${video}`);
    const id = read.headers.get('X-Credits-Event') ?? '';
    const other = await app.createAccount();
    const asked = [
      await get(`/v1/receipts/${free.headers.get('X-Request-ID')}`),
      await app.get(`/v1/receipts/${id}`, { key: other.key }),
      await app.get(`/v1/receipts/${read.headers.get('X-Request-ID')}`, { key: other.key }),
      await get(`/v1/receipts/job_${'0'.repeat(32)}`),
    ];
    const told = await Promise.all(asked.map(async (answer) => (await errorIn(answer)).message));
    assert.equal(new Set(told).size, 1, 'the same for all of them');
    assert.equal((await get('/v1/receipts/a%20b')).status, 400);
    assert.equal((await get(`/v1/receipts/${id}?cursor=x`)).status, 400);
  });
});

describe('a statement', () => {
  type Told = {
    readonly period: string;
    readonly provisional: boolean;
    readonly opening_balance: number;
    readonly grants: readonly { readonly credits: number }[];
    readonly charges: readonly {
      readonly operation: string;
      readonly cost_tag: string | null;
      readonly credits: number;
    }[];
    readonly closing_balance: number;
    readonly last_entry: { readonly id: string; readonly hash: string };
  };

  it('of a period sums up its entries, and has the bytes of a replay', async () => {
    await get(`/v1/transcripts/${video}`, { 'X-Cost-Tag': 'statement' });
    const { statements } = await jsonIn<{ statements: { period: string; provisional: boolean }[] }>(
      await get('/v1/statements'),
    );
    const period = statements[0]?.period ?? '';
    assert.deepEqual(statements, [{ period, provisional: true }]);
    const text = await (await get(`/v1/statements/${period}`)).text();
    const told: Told = JSON.parse(text);
    assert.equal(canonicalJson(told), text, 'RFC 8785');
    const spent = told.charges.reduce((sum, { credits }) => sum + credits, 0);
    const granted = told.grants.reduce((sum, { credits }) => sum + credits, 0);
    assert.equal(told.opening_balance + granted - spent, told.closing_balance);
    assert.deepEqual(
      told.charges
        .filter(({ cost_tag }) => cost_tag === 'statement')
        .map(({ operation, credits }) => [operation, credits]),
      [['transcript', 1]],
    );
    const { entries } = await jsonIn<{ entries: EntryJson[] }>(await get('/v1/ledger?limit=1'));
    assert.equal(told.last_entry.hash, entries[0]?.hash);
    const replayed = await operate(
      app.environment,
      ...['replay', '--account', account.accountId, '--period', period, '--json'],
    );
    assert.equal(replayed.stdout, text);
    const csv = await (await get(`/v1/statements/${period}?format=csv`)).text();
    assert.match(csv, /^charge,,transcript,key_\w+,statement,1,1,,\r$/m);
  });

  it('lists corrections as credit notes, and does not change the corrected entry', async () => {
    const other = await app.createAccount({ plan: 'pro' });
    const ask = (path: string) => app.get(path, { key: other.key });
    const read = await ask(`/v1/transcripts/${video}`);
    const charge = read.headers.get('X-Credits-Event') ?? '';
    const before = await (await ask(`/v1/ledger/${charge}`)).text();
    const left = async () => (await jsonIn<{ credits_remaining: number }>(await ask('/v1/usage'))).credits_remaining;
    const start = await left();
    const correct = (credits: number, more: readonly string[] = []) =>
      operate(
        app.environment,
        ...['account', 'correct', '--account', other.accountId, '--entry', charge, '--json'],
        ...[`--credits=${credits}`, '--reason', 'billed twice', ...more],
      );
    const made = [await correct(3, ['--id', 'one']), await correct(3, ['--id', 'one']), await correct(-2)].map(
      ({ stdout }) => JSON.parse(stdout) as { event_id: string; number: string; repeated: boolean },
    );
    const { statements } = await jsonIn<{ statements: { period: string }[] }>(await ask('/v1/statements'));
    const period = statements[0]?.period ?? '';
    assert.deepEqual(
      made.map(({ number, repeated }) => [number, repeated]),
      [
        [`CN-${period}-1`, false],
        [`CN-${period}-1`, true],
        [`CN-${period}-2`, false],
      ],
    );
    const text = await (await ask(`/v1/statements/${period}`)).text();
    const { corrections, closing_balance } = JSON.parse(text);
    assert.partialDeepStrictEqual(corrections, [
      { number: `CN-${period}-1`, entry: charge, correction: made[0]?.event_id, reason: 'billed twice', credits: 3 },
      { number: `CN-${period}-2`, entry: charge, correction: made[2]?.event_id, reason: 'billed twice', credits: -2 },
    ]);
    assert.deepEqual([closing_balance, await left()], [start + 1, start + 1]);
    const replayed = await operate(
      app.environment,
      ...['replay', '--account', other.accountId, '--period', period, '--json'],
    );
    assert.equal(replayed.stdout, text);
    const csv = await (await ask(`/v1/statements/${period}?format=csv`)).text();
    assert.match(csv, new RegExp(`^correction,${charge},,,,,-2,billed twice,CN-${period}-2\r$`, 'm'));
    assert.equal(await (await ask(`/v1/ledger/${charge}`)).text(), before);

    const [taken, foreign, reused] = [
      await correct(-start - 2),
      await operate(
        app.environment,
        ...['account', 'correct', '--account', account.accountId, '--entry', charge, '--credits=1', '--reason', 'x'],
      ),
      await correct(4, ['--id', 'one']),
    ];
    assert.match(taken.stderr, new RegExp(`deducts ${start + 2} credits; ${start + 1} are left`));
    assert.match(foreign.stderr, /no entry with this id/);
    assert.match(reused.stderr, /is already used for a correction of 3 for the entry/);
    const verified = await operate(app.environment, 'verify', '--account', other.accountId);
    assert.equal(verified.code, 0, verified.stderr);
  });

  it('is refused for a period that the account does not have', async () => {
    for (const [period, code] of [
      ['2099-01-01', 'NOT_FOUND'],
      ['2020-01-01', 'NOT_FOUND'],
      ['2026-13-01', 'INVALID_REQUEST'],
      ['2026-11', 'INVALID_REQUEST'],
    ] as const) {
      assert.equal((await errorIn(await get(`/v1/statements/${period}`))).code, code, period);
    }
  });
});

describe('as_of', () => {
  it('returns the state at that time, whatever happened later', async () => {
    const other = await app.createAccount({ plan: 'pro' });
    const ask = (path: string) => app.get(path, { key: other.key });
    const read = await ask(`/v1/transcripts/${video}`);
    const entry = await jsonIn<EntryJson>(await ask(`/v1/ledger/${read.headers.get('X-Credits-Event')}`));
    const then = encodeURIComponent(entry.occurred_at);
    type Usage = { readonly credits_remaining: number; readonly credits_used: number; readonly requests: number };
    const usageAt = async () => await jsonIn<Usage>(await ask(`/v1/usage?as_of=${then}`));
    const before = await usageAt();
    const now = await jsonIn<Usage>(await ask('/v1/usage'));
    assert.deepEqual([before.credits_used, before.credits_remaining], [1, now.credits_remaining]);
    await pause(5);
    await ask(`/v1/transcripts/${video}`);
    assert.deepEqual(await usageAt(), before);
    const { entries } = await jsonIn<{ entries: EntryJson[] }>(await ask(`/v1/ledger?as_of=${then}`));
    assert.equal(entries[0]?.id, entry.id);
  });

  it('is refused in the future, before the account and without a zone', async () => {
    for (const time of ['2099-01-01T00:00:00Z', '2020-01-01T00:00:00Z', '2026-11-01T00:00:00', 'yesterday']) {
      assert.equal((await get(`/v1/usage?as_of=${time}`)).status, 400, time);
    }
    assert.equal((await get('/v1/ledger?as_of=2099-01-01T00:00:00Z')).status, 400);
  });
});

describe('the budget of a key', () => {
  it('notifies webhooks of the thresholds of its cap, each once', async () => {
    await using receiver = await startReceiver();
    const other = await app.createAccount({ plan: 'pro' });
    const events = ['budget.warning', 'budget.exhausted'];
    const made = await app.post('/v1/webhooks', { url: receiver.url, events }, { key: other.key });
    assert.equal(made.status, 201);
    const owner = callOf(other.accountId, { actor: { type: 'user', id: 'usr_1' } });
    const cap = { capCredits: 2, capPeriod: 'day', warnAt: [50] } as const;
    const { fullKey, keyId } = await app.core.commands.createKey(owner, {
      ...{ name: 'capped', scopes: [], expiresAt: null },
      ...cap,
    });
    planted(fullKey);
    for (const status of [200, 200, 402]) {
      assert.equal((await app.get(`/v1/transcripts/${video}`, { key: fullKey })).status, status);
    }
    await receiver.count(2);
    const told = receiver.received.map(({ json: { type, data } }) => ({ type, ...data }));
    const about = { key_id: keyId, cap_credits: 2, cap_period: 'day' };
    assert.deepEqual(
      told.toSorted((one, another) => Number(Reflect.get(one, 'share')) - Number(Reflect.get(another, 'share'))),
      [
        { type: 'budget.warning', ...about, spent: 1, share: 50 },
        { type: 'budget.exhausted', ...about, spent: 2, share: 100 },
      ],
    );
  });
});
