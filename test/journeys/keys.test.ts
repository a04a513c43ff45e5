import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { browser } from '#test/support/journey.ts';
import { plantedPassword } from '#test/support/leaks.ts';
import { operate } from '#test/support/run-operator.ts';

const password = plantedPassword('owner');
const video = 'teatime-gb1';

type Key = { id: string; name: string; fullKey: string; scopes: string[]; credits_used: number };
type Page = ReturnType<typeof browser>;

let app: TestApp;
before(async () => {
  app = await startTestApp({ environment: { CAPTCHA_MIN_SOLVE_MS: '0', REGISTRATIONS_PER_IP_HOUR: '100' } });
});
after(() => app[Symbol.asyncDispose]());

/** A browser in which somebody new has signed in. */
const owner = async ({ url } = app): Promise<Page> => {
  const page = browser([url]);
  const email = `${randomUUID()}@example.org`;
  const body = { email, password, ...(await page.solved()) };
  await page.json(201, page.send('POST', '/api/auth/register', { body }));
  await page.json(200, page.send('POST', '/api/auth/login', { body: { email, password } }));
  return page;
};

const made = async (page: Page, body: object = {}): Promise<Key> => {
  const { key } = await page.json<{ key: Key }>(201, page.send('POST', '/api/account/keys', { body }));
  return key;
};

const codeOf = async (answer: Promise<Response>): Promise<string> => {
  const got = await answer;
  if (got.ok) return String(got.status);
  const { error } = (await got.json()) as { error: { code: string } };
  return `${got.status} ${error.code}`;
};

describe('keys over HTTP', () => {
  it('are as many as the setting allows', async () => {
    await using strict = await startTestApp({ environment: { CAPTCHA_MIN_SOLVE_MS: '0', KEYS_PER_ACCOUNT: '2' } });
    const page = await owner(strict);
    await made(page);
    await made(page);
    const third = page.send('POST', '/api/account/keys', { body: {} });
    assert.equal(await codeOf(third), '400 INVALID_REQUEST');
  });

  // S9: keys and webhooks of another account
  it('of another account are answered like keys that never existed', async () => {
    const [mine, theirs] = [await owner(), await owner()];
    const key = await made(mine);
    const unknown = `/api/account/keys/key_${'0'.repeat(32)}`;
    const bodies = new Set<string>();
    for (const path of [`/api/account/keys/${key.id}`, unknown]) {
      for (const [method, end] of [
        ['DELETE', ''],
        ['POST', '/roll'],
      ] as const) {
        const answer = await theirs.send(method, path + end, method === 'POST' ? { body: {} } : {});
        assert.equal(answer.status, 404);
        const { error } = (await answer.json()) as { error: Record<string, unknown> };
        bodies.add(JSON.stringify({ ...error, request_id: null }));
      }
    }
    assert.equal(bodies.size, 1);
    assert.equal(await codeOf(app.get('/v1/usage', { key: key.fullKey })), '200');
  });

  // S3: a wrong checksum
  // S4: one character more, another case, lookalike characters
  it('are refused if one of their characters is changed', async () => {
    const { fullKey } = await made(await owner());
    const flipped = fullKey.replace(/[a-z](?=[^a-z]*$)/, (sign) => sign.toUpperCase());
    for (const key of [`${fullKey}0`, fullKey.slice(0, -1), flipped, fullKey.replace('stn', 'ѕtn')]) {
      const answer = fetch(`${app.url}/v1/usage`, { headers: { 'X-API-Key': encodeURI(key) } });
      assert.equal(await codeOf(answer), '401 INVALID_API_KEY', key);
    }
    assert.equal(await codeOf(app.get(`/v1/usage?api_key=${fullKey}`)), '401 INVALID_API_KEY');
  });

  // S3: a wrong checksum
  it('are refused for a wrong checksum before the database is asked', async () => {
    const { fullKey } = await made(await owner());
    const wrong = fullKey.slice(0, -1) + (fullKey.endsWith('0') ? '1' : '0');
    const holder = new Client({ connectionString: app.databaseUrl });
    await holder.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE key_credentials');
      assert.equal(await codeOf(app.get('/v1/usage', { key: wrong })), '401 INVALID_API_KEY');
      const good = app.get('/v1/usage', { key: fullKey });
      assert.equal(await Promise.race([good, pause(100, 'waits')]), 'waits');
      await holder.query('COMMIT');
      assert.equal((await good).status, 200);
    } finally {
      await holder.end();
    }
  });

  // S2: a revoked key, in another process too
  it('are revoked permanently, and a second revocation succeeds too', async () => {
    const page = await owner();
    const key = await made(page);
    for (const _ of [1, 2]) {
      assert.equal(await codeOf(page.send('DELETE', `/api/account/keys/${key.id}`)), '204');
    }
    assert.equal(await codeOf(app.get('/v1/usage', { key: key.fullKey })), '401 INVALID_API_KEY');
    assert.match(await codeOf(page.send('POST', `/api/account/keys/${key.id}/roll`)), /^400/);
  });

  it('are at most twenty-five', async () => {
    const page = await owner();
    for (let n = 0; n < 25; n += 1) await made(page, { name: `key ${n}` });
    const one = page.send('POST', '/api/account/keys', { body: {} });
    assert.equal(await codeOf(one), '400 INVALID_REQUEST');
  });

  it('are limited by their scopes, their expiry and their spending cap', async () => {
    const page = await owner();
    const narrow = await made(page, { scopes: ['usage'] });
    assert.equal(await codeOf(app.get('/v1/usage', { key: narrow.fullKey })), '200');
    const read = (key: Key) => app.get(`/v1/transcripts/${video}`, { key: key.fullKey });
    assert.equal(await codeOf(read(narrow)), '403 FORBIDDEN');

    const capped = await made(page, { monthly_cap_credits: 1 });
    assert.equal(await codeOf(read(capped)), '200');
    assert.equal(await codeOf(read(capped)), '402 INSUFFICIENT_CREDITS');
    const { keys } = await page.json<{ keys: Key[] }>(200, page.send('GET', '/api/account/keys'));
    assert.equal(keys.find(({ id }) => id === capped.id)?.credits_used, 1);

    const changed = await page.json<{ key: Key }>(
      200,
      page.send('PATCH', `/api/account/keys/${capped.id}`, { body: { cap_credits: 3, cap_period: 'week' } }),
    );
    assert.partialDeepStrictEqual(changed.key, {
      ...{ cap_credits: 3, cap_period: 'week', warn_at: [50, 80, 95], cap_used: 1, monthly_cap_credits: null },
    });
    assert.equal(await codeOf(read(capped)), '200', 'the new cap counts');
    const other = (await owner()).send('PATCH', `/api/account/keys/${capped.id}`, { body: { cap_credits: 9 } });
    assert.equal(await codeOf(other), '404 KEY_NOT_FOUND');

    const past = { expires_at: '2020-01-01T00:00:00Z' };
    const late = page.send('POST', '/api/account/keys', { body: past });
    assert.equal(await codeOf(late), '400 INVALID_REQUEST');
    const soon = await made(page, { expires_at: new Date(Date.now() + 1_500).toISOString() });
    assert.equal(await codeOf(app.get('/v1/usage', { key: soon.fullKey })), '200');
    const deadline = performance.now() + 10_000;
    while ((await app.get('/v1/usage', { key: soon.fullKey })).status !== 401) {
      assert.ok(performance.now() < deadline, 'a key ends when it expires');
      await pause(50);
    }
  });
});

const accountOf = async ({ fullKey }: Key): Promise<string> =>
  (await app.core.queries.findKeyHolder(fullKey))?.accountId ?? '';

describe('keys by an operator', () => {
  it('are created, listed and revoked for any account, and its owner sees by whom', async () => {
    const page = await owner();
    const own = await made(page);
    const account = await accountOf(own);
    const steno = (...words: string[]) => operate(app.environment, 'keys', ...words);

    const about = ['--name', 'nightly', '--scopes', 'usage', '--cap', '5', '--json'];
    const created = await steno('create', '--account', account, ...about);
    assert.equal(created.code, 0, created.stderr);
    const { key_id: keyId, api_key: key } = JSON.parse(created.stdout);
    assert.equal(await codeOf(app.get('/v1/usage', { key })), '200');
    assert.equal(await codeOf(app.get(`/v1/transcripts/${video}`, { key })), '403 FORBIDDEN');

    const lines = async () => {
      const { code, stdout, stderr } = await steno('list', '--account', account, '--json');
      assert.equal(code, 0, stderr);
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    };
    const [newest, oldest] = await lines();
    assert.deepEqual(
      [newest.key_id, newest.name, newest.monthly_cap_credits, oldest.key_id],
      [keyId, 'nightly', 5, own.id],
    );
    const seen = await page.json<{ keys: Key[] }>(200, page.send('GET', '/api/account/keys'));
    assert.deepEqual(
      seen.keys.map(({ id, name }) => [id, name]),
      [
        [keyId, 'nightly'],
        [own.id, own.name],
      ],
    );

    for (const _ of [1, 2]) {
      assert.equal((await steno('revoke', '--account', account, '--key', keyId)).code, 0);
    }
    const deadline = performance.now() + 10_000;
    while ((await app.get('/v1/usage', { key })).status !== 401) {
      assert.ok(performance.now() < deadline, 'another process ends a key within a second');
      await pause(50);
    }
    assert.notEqual((await lines())[0].revoked_at, null);
  });

  it('cannot be created for an unknown, an anonymous or an erased account', async () => {
    const steno = (...words: string[]) => operate(app.environment, 'keys', ...words);
    const page = await owner();
    const account = await accountOf(await made(page));
    assert.equal((await fetch(`${app.url}/api/public/transcripts/${video}`)).status, 200);
    const { rows } = await app.core.pool.query<{ visitor: string }>(
      "SELECT DISTINCT data ->> 'accountId' AS visitor FROM es_event WHERE stream LIKE 'ledger-vis%'",
    );
    const visitor = rows[0]?.visitor ?? '';
    assert.match(visitor, /^vis_/);
    const unknown = `key_${'0'.repeat(32)}`;
    assert.equal((await steno('revoke', '--account', account, '--key', unknown)).code, 5);

    const erased = page.send('POST', '/api/account/erase', { body: { password } });
    assert.equal(await codeOf(erased), '204');
    for (const nobody of ['acc_nobody', visitor, account]) {
      const { code, stderr } = await steno('create', '--account', nobody);
      assert.deepEqual([code, stderr], [5, `steno: There is no account ${nobody}.\n`]);
    }
    const kept = await app.core.pool.query('SELECT FROM key_credentials WHERE account_id = ANY ($1)', [
      [visitor, account],
    ]);
    assert.equal(kept.rows.length, 1);
  });
});
