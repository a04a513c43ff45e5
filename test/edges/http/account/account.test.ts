import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listAccountLedger } from '#src/contract/account.ts';
import { openApiText } from '#src/edges/http/routes.ts';
import type { AccountEventView, Queries } from '#src/queries.ts';
import { cookieIn, startAccountEdge } from '#test/support/account-edge.ts';
import { goodPassword } from '#test/support/accounts.ts';
import { errorOf } from '#test/support/http.ts';

type Edge = Awaited<ReturnType<typeof startAccountEdge>>;

const otherPassword = 'another good password 77';

const bodyOf = async (answer: Response): Promise<Record<string, unknown>> =>
  (await answer.json()) as Record<string, unknown>;

const said = async (answer: Response): Promise<string> =>
  answer.ok ? String(answer.status) : `${answer.status} ${(await errorOf(answer)).code}`;

const everyRoute = [
  ['GET', '/api/account/me'],
  ['GET', '/api/account/keys'],
  ['POST', '/api/account/keys'],
  ['POST', '/api/account/keys/key_1/roll'],
  ['DELETE', '/api/account/keys/key_1'],
  ['GET', '/api/account/usage'],
  ['GET', '/api/account/ledger'],
  ['GET', '/api/account/ledger/1'],
  ['GET', '/api/account/events'],
  ['GET', '/api/account/sessions'],
  ['DELETE', '/api/account/sessions/ses_1'],
  ['POST', '/api/account/password'],
  ['POST', '/api/account/export'],
  ['POST', '/api/account/erase'],
] as const;

describe('every route of an account', () => {
  it('is 401 without a session, before anything else is checked', async () => {
    await using edge = await startAccountEdge();
    for (const [method, path] of everyRoute) {
      const sent = method === 'POST' ? { body: '{"not":' } : {};
      for (const headers of [{}, { Cookie: 'session=' }, { Cookie: `session=${'a'.repeat(43)}` }]) {
        const answer = await edge.send(method, path, { ...sent, headers });
        assert.equal(await said(answer), '401 UNAUTHENTICATED', `${method} ${path}`);
      }
    }
  });

  // S76: security headers on every answer
  it('is not cacheable and carries the headers of every response', async () => {
    await using edge = await startAccountEdge();
    const headers = await edge.signedIn();
    for (const path of ['/api/account/me', '/api/account/keys', '/api/account/usage', '/api/account/nothing']) {
      const answer = await edge.send('GET', path, { headers });
      assert.equal(answer.headers.get('Cache-Control'), 'no-store', path);
      assert.equal(answer.headers.get('X-Content-Type-Options'), 'nosniff');
      assert.match(answer.headers.get('Content-Security-Policy') ?? '', /frame-ancestors 'none'/);
      assert.ok(answer.headers.get('Referrer-Policy'));
      assert.equal(answer.headers.get('X-Powered-By'), null);
      assert.equal(answer.headers.get('Access-Control-Allow-Origin'), null);
      assert.ok(answer.headers.get('X-RateLimit-Limit'));
    }
  });

  // S38: GET that changes something
  // S54: other methods
  // S55: a method in a header
  it('changes nothing by GET, and accepts only its own methods', async () => {
    await using edge = await startAccountEdge();
    const headers = await edge.signedIn();
    for (const path of ['/api/auth/logout', '/api/account/password', '/api/account/erase']) {
      const answer = await edge.send('GET', path, { headers });
      assert.equal(answer.headers.get('Allow'), 'POST, OPTIONS');
      assert.equal(await said(answer), '405 METHOD_NOT_ALLOWED');
    }
    const put = await edge.send('PUT', '/api/account/keys', { headers });
    assert.equal(await said(put), '405 METHOD_NOT_ALLOWED');
    const overriding = { ...headers, 'X-HTTP-Method-Override': 'DELETE' };
    const created = await edge.send('POST', '/api/account/keys', { body: {}, headers: overriding });
    assert.equal(created.status, 201);
    assert.deepEqual(
      edge.calls.map(({ name }) => name),
      ['createKey'],
    );
  });

  // S35: a request from another site
  // S36: another media type
  it('refuses changes by other sites', async () => {
    await using edge = await startAccountEdge();
    const cookie = await edge.signedIn();
    for (const forged of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: 'https://127.0.0.1.evil.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: edge.url },
      { 'Sec-Fetch-Site': 'same-site' },
    ]) {
      const headers = { ...cookie, ...forged };
      for (const [method, path] of everyRoute) {
        if (method === 'GET') continue;
        const answer = await edge.send(method, path, { headers });
        assert.equal(await said(answer), '403 FORBIDDEN', `${method} ${path}`);
      }
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const headers = { ...cookie, 'Content-Type': type };
      const answer = await edge.send('POST', '/api/account/keys', { body: '{"name":"x"}', headers });
      assert.equal(answer.status, 415);
    }
    assert.deepEqual(edge.calls, []);
  });

  it('names each unknown field, in our own words', async () => {
    await using edge = await startAccountEdge();
    const headers = await edge.signedIn();
    const long = 'x'.repeat(300);
    for (const [method, path, body] of [
      ['POST', '/api/account/keys', { colour: 1, [long]: 2 }],
      ['POST', '/api/account/webhooks', { url: 'https://a.example/', colour: 1, [long]: 2 }],
    ] as const) {
      const answer = await edge.send(method, path, { headers, body: JSON.stringify(body) });
      assert.equal(answer.status, 400);
      const { message, details } = await errorOf(answer);
      assert.equal(message, 'colour is not valid: there is no such field');
      const unknown = { code: 'unrecognized_keys', message: 'there is no such field' };
      assert.deepEqual(details, {
        fields: [
          { path: 'colour', ...unknown },
          { path: long.slice(0, 100), ...unknown },
        ],
      });
    }
  });
});

describe('GET /api/account/me', () => {
  it('shows user, plan, credits and counts', async () => {
    await using edge = await startAccountEdge();
    const headers = await edge.signedIn();
    const me = await bodyOf(await edge.send('GET', '/api/account/me', { headers }));
    assert.deepEqual(Object.keys(me), [
      ...['user', 'plan', 'credits', 'keys_active', 'webhooks_active', 'mailbox_proof_pending', 'created_at'],
    ]);
    assert.deepEqual(me['credits'], {
      included: 10_000,
      remaining: 900,
      threshold: 1_000,
      low: true,
      exhausted: false,
      unlimited: false,
      upgrade_available: false,
      upgrade_nudge: '900 credits of the Free plan are left.',
    });
  });
});

describe('keys', () => {
  // S16: reading a key after its creation
  it('are shown once in full, and never again', async () => {
    await using edge = await startAccountEdge();
    const headers = await edge.signedIn();
    const made = await edge.send('POST', '/api/account/keys', { headers });
    assert.equal(made.status, 201);
    const { key } = (await made.json()) as { key: Record<string, unknown> };
    assert.equal(key['fullKey'], 'stn_live_CANARYKEY');
    assert.equal(key['name'], 'API key');
    const listed = await (await edge.send('GET', '/api/account/keys', { headers })).text();
    assert.doesNotMatch(listed, /CANARYKEY|fullKey|hash/i);
    const [call] = edge.calls;
    assert.equal(call?.call.actor.type, 'user');
  });

  // S12: fields that a key does not have
  // S14: fields that a webhook does not have
  it('accept known fields only', async () => {
    await using edge = await startAccountEdge();
    const headers = await edge.signedIn();
    for (const body of [
      { name: 'x', account_id: 'acc_2' },
      { scopes: ['admin'] },
      { fullKey: 'x' },
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'x\u0000y' },
      { monthly_cap_credits: 0 },
      { monthly_cap_credits: 1.5 },
      { cap_credits: 5, monthly_cap_credits: 6 },
      { cap_period: 'day', monthly_cap_credits: 5 },
      { cap_credits: 5, cap_period: 'month' },
      { cap_credits: 5, warn_at: [100] },
      { cap_credits: 5, warn_at: Array.from({ length: 11 }, (_, share) => share + 1) },
      { expires_at: 'tomorrow' },
    ]) {
      const answer = await edge.send('POST', '/api/account/keys', { body, headers });
      assert.equal(await said(answer), '400 INVALID_REQUEST', JSON.stringify(body));
    }
    for (const body of [{}, { name: 'x' }, { cap_credits: 0 }, { warn_at: [0.5] }, { monthly_cap_credits: 5 }]) {
      const answer = await edge.send('PATCH', '/api/account/keys/key_1', { body, headers });
      assert.equal(await said(answer), '400 INVALID_REQUEST', JSON.stringify(body));
    }
    assert.deepEqual(edge.calls, []);
  });
});

describe('an Idempotency-Key of a signed-in owner', () => {
  // S61: `Idempotency-Key`: repeats and misuse
  it('creates one key for many requests, and is one per account, route and body', async () => {
    await using edge = await startAccountEdge();
    const jo = await edge.signedIn();
    const other = await edge.signedIn('other@example.org');
    const create = (cookie: object, name: string, idempotencyKey = 'k') =>
      edge.send('POST', '/api/account/keys', {
        body: { name },
        headers: { ...cookie, 'Idempotency-Key': idempotencyKey },
      });
    const first = await create(jo, 'one');
    const again = await create(jo, 'one');
    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.headers.get('cache-control'), 'no-store');
    assert.equal(await again.text(), await first.text());
    assert.equal(edge.calls.length, 1);

    assert.equal(await said(await create(jo, 'two')), '422 IDEMPOTENCY_KEY_REUSED');
    assert.equal(await said(await create(jo, 'one', 'a b')), '400 INVALID_REQUEST');
    assert.equal(await said(await create({}, 'one')), '401 UNAUTHENTICATED');
    assert.equal((await create(other, 'one')).headers.has('idempotent-replayed'), false);
    const headers = { ...jo, 'Idempotency-Key': 'k' };
    const rolled = await edge.send('POST', '/api/account/keys/key_1/roll', { body: {}, headers });
    assert.equal(rolled.headers.has('idempotent-replayed'), false);
    assert.equal(edge.calls.length, 3);
  });

  it('stores nothing of a request that contains a password or comes without a session', async () => {
    await using edge = await startAccountEdge();
    const headers = { ...(await edge.signedIn()), 'Idempotency-Key': 'k' };
    const logIn = () => edge.logIn('jo@example.org', goodPassword, { 'Idempotency-Key': 'k' });
    const tokens = [cookieIn(await logIn()), cookieIn(await logIn())];
    assert.equal(new Set(tokens).size, 2);
    for (const password of ['wrong', goodPassword]) {
      const body = { current_password: password, new_password: otherPassword };
      const answer = await edge.send('POST', '/api/account/password', { body, headers });
      assert.equal(answer.status, password === 'wrong' ? 401 : 204);
    }
  });
});

describe('GET /api/account/usage', () => {
  it('links every figure to its ledger entries', async () => {
    await using edge = await startAccountEdge();
    const headers = await edge.signedIn();
    const usage = await bodyOf(await edge.send('GET', '/api/account/usage?days=7', { headers }));
    // From its first day on, and without entries that are no use.
    const ofKind = '/api/account/ledger?kind=transcript&used_since=2026-11-21';
    const ofDay = '/api/account/ledger?day=2026-11-21&used_since=2026-11-21';
    assert.deepEqual(usage['by_kind'], [{ kind: 'transcript', count: 2, credits: 2, links: { ledger: ofKind } }]);
    assert.deepEqual(usage['daily'], [{ day: '2026-11-21', count: 2, credits: 2, links: { ledger: ofDay } }]);
    for (const path of [ofKind, ofDay]) {
      assert.equal((await edge.send('GET', path, { headers })).status, 200);
    }
    for (const query of ['days=0', 'days=367', 'days=1.5', 'days=x', 'days=1&days=2']) {
      const answer = await edge.send('GET', `/api/account/usage?${query}`, { headers });
      assert.equal(answer.status, 400, query);
    }
  });
});

describe('GET /api/account/ledger', () => {
  it('hands on every filter that it accepts', async () => {
    const asked: unknown[] = [];
    const ledger: Queries['ledger'] = async (_, page) => {
      asked.push(page);
      return { entries: [], nextBefore: null };
    };
    await using edge = await startAccountEdge({ queries: { ledger } });
    const query = {
      ...{ limit: '2', before: '90', request_id: 'req_1', day: '2026-11-21', kind: 'transcript', key_id: 'none' },
      ...{ cost_tag: 'team-a', used_since: '2026-11-20', as_of: '2026-11-22T10:00:00.000Z' },
    };
    assert.deepEqual(Object.keys(query).toSorted(), Object.keys(listAccountLedger.query.shape).toSorted());
    const path = `/api/account/ledger?${new URLSearchParams(query)}`;
    assert.equal((await edge.send('GET', path, { headers: await edge.signedIn() })).status, 200);
    assert.deepEqual(asked, [
      {
        ...{ limit: 2, before: '90', requestId: 'req_1', day: '2026-11-21', kind: 'transcript', keyId: '' },
        ...{ costTag: 'team-a', usedSince: '2026-11-20', asOf: '2026-11-22T10:00:00.000Z' },
      },
    ]);
  });
});

describe('GET /api/account/plans', () => {
  it('requires no session', async () => {
    await using edge = await startAccountEdge();
    const body = (await (await edge.send('GET', '/api/account/plans')).json()) as {
      plans: { key: string }[];
      billing_configured: boolean;
    };
    assert.deepEqual(
      body.plans.map(({ key }) => key),
      ['free', 'starter', 'pro', 'scale', 'enterprise'],
    );
    assert.equal(body.billing_configured, false);
  });
});

describe('sessions', () => {
  const sessions = async (edge: Edge, headers: { Cookie: string }) =>
    (
      (await (await edge.send('GET', '/api/account/sessions', { headers })).json()) as {
        sessions: { id: string; current: boolean }[];
      }
    ).sessions;

  // S8: sessions of another account
  it('are listed with the current one marked, and ended one by one by their owner', async () => {
    await using edge = await startAccountEdge();
    const first = await edge.signedIn();
    edge.accounts.pass(1_000);
    const second = { Cookie: cookieIn(await edge.logIn('jo@example.org')) };
    const stranger = await edge.signedIn('other@example.org');
    const listed = await sessions(edge, second);
    assert.deepEqual(
      listed.map(({ current }) => current),
      [true, false],
    );
    const path = `/api/account/sessions/${listed[1]?.id}`;
    const foreign = await edge.send('DELETE', path, { headers: stranger });
    const unknown = await edge.send('DELETE', '/api/account/sessions/ses_0', { headers: stranger });
    const { request_id: _, ...one } = await errorOf(foreign);
    const { request_id: __, ...other } = await errorOf(unknown);
    assert.deepEqual(one, other);
    assert.equal((await edge.send('DELETE', path, { headers: second })).status, 204);
    assert.equal((await edge.send('GET', '/api/account/me', { headers: first })).status, 401);
    assert.equal((await edge.send('GET', '/api/account/me', { headers: second })).status, 200);
  });

  // S33: an ended session
  it('all end when the password is replaced', async () => {
    await using edge = await startAccountEdge();
    const first = await edge.signedIn();
    const second = { Cookie: cookieIn(await edge.logIn('jo@example.org')) };
    const replace = (body: Record<string, string>) =>
      edge.send('POST', '/api/account/password', { body, headers: second });
    const wrong = await replace({ current_password: 'wrong', new_password: otherPassword });
    assert.equal(await said(wrong), '401 INVALID_CREDENTIALS');
    const same = await replace({ current_password: goodPassword, new_password: goodPassword });
    assert.equal(await said(same), '400 INVALID_REQUEST');
    const done = await replace({ current_password: goodPassword, new_password: otherPassword });
    assert.equal(done.status, 204);
    for (const headers of [first, second]) {
      assert.equal((await edge.send('GET', '/api/account/me', { headers })).status, 401);
    }
    assert.equal((await edge.logIn('jo@example.org')).status, 401);
    assert.equal((await edge.logIn('jo@example.org', otherPassword)).status, 200);
  });
});

describe('personal data', () => {
  it('are given out in full and then erased, with everything that opens the account', async () => {
    await using edge = await startAccountEdge();
    const headers = await edge.signedIn();
    await edge.send('POST', '/api/account/keys', { headers });
    const copy = await edge.send('POST', '/api/account/export', { headers });
    assert.match(copy.headers.get('Content-Disposition') ?? '', /attachment/);
    const data = await copy.text();
    assert.match(data, /jo@example\.org/);
    assert.match(data, /127\.0\.0\.1/);
    assert.doesNotMatch(data, /argon2|CANARYKEY/);

    const erase = (password: string) => edge.send('POST', '/api/account/erase', { body: { password }, headers });
    assert.equal(await said(await erase('wrong')), '401 INVALID_CREDENTIALS');
    assert.equal((await erase(goodPassword)).status, 204);
    assert.equal((await edge.send('GET', '/api/account/me', { headers })).status, 401);
    assert.equal((await edge.logIn('jo@example.org')).status, 401);
    assert.equal((await edge.register('jo@example.org')).status, 400);
  });
});

describe('the history of an account', () => {
  it('shows the address of each request also where a caller repeats the request id of the owner', async () => {
    const history: AccountEventView[] = [];
    await using edge = await startAccountEdge({
      queries: { accountEvents: async () => ({ events: history, nextBefore: null }) },
    });
    const headers = { ...(await edge.signedIn()), 'X-Request-ID': 'chosen' };
    for (const agent of ['owner', 'thief']) {
      await edge.send('POST', '/api/account/keys', { headers: { ...headers, 'User-Agent': agent } });
    }
    const event = (requestId: string, channel: string): AccountEventView => ({
      eventId: 'event-1',
      position: '1',
      type: 'KeyCreated',
      occurredAt: '2026-11-20T10:00:00.000Z',
      actor: null,
      channel,
      requestId,
      data: {},
    });
    const stored = edge.calls.map(({ call }) => call.requestId);
    history.push(...stored.map((requestId) => event(requestId, 'web')));
    history.push(event(stored[0] ?? '', 'rest'));

    const page = await edge.send('GET', '/api/account/events', { headers });

    assert.equal(page.headers.get('X-Request-ID'), 'chosen');
    const { events } = (await page.json()) as { events: { origin: { user_agent: string } | null }[] };
    const agents = events.map(({ origin }) => origin?.user_agent ?? null);
    assert.deepEqual(agents, ['owner', 'thief', null]);
  });

  it('shows where each request of a page came from, however many came since', async () => {
    const old = {
      eventId: 'event-1',
      position: '1',
      type: 'KeyCreated',
      occurredAt: '2026-11-20T10:00:00.000Z',
      actor: null,
      channel: 'web',
      requestId: 'req_0',
      data: {},
    };
    const byTime = { ...old, eventId: 'event-2', position: '2', requestId: null };
    await using edge = await startAccountEdge({
      queries: { accountEvents: async () => ({ events: [byTime, old], nextBefore: null }) },
    });
    const headers = await edge.signedIn();
    await edge.accounts.pool.query(
      `INSERT INTO account_origins (account_id, request_id, ip, noted_at)
       SELECT account_id, 'req_' || n, '192.0.2.1', now() + n * interval '1 second'
       FROM account_profiles, generate_series(0, 1500) AS n`,
    );

    const page = await edge.send('GET', '/api/account/events', { headers });

    const { events } = (await page.json()) as { events: { origin: { ip: string } | null }[] };
    assert.deepEqual(
      events.map(({ origin }) => origin?.ip ?? null),
      [null, '192.0.2.1'],
    );
  });
});

describe('a copy of personal data', () => {
  it('contains all of a long history, and all addresses that are kept', async () => {
    const history = Array.from({ length: 2_500 }, (_, index) => ({
      eventId: `event-${index}`,
      position: String(index + 1),
      type: 'SessionStarted',
      occurredAt: '2026-11-21T10:00:00.000Z',
      actor: null,
      channel: null,
      requestId: null,
      data: {},
    })).reverse();
    await using edge = await startAccountEdge({
      queries: {
        accountEvents: async (_, { limit, before }) => {
          const from = before === null ? 0 : history.findIndex((one) => one.position === before) + 1;
          const events = history.slice(from, from + limit);
          const isMore = from + limit < history.length;
          return { events, nextBefore: isMore ? (events.at(-1)?.position ?? null) : null };
        },
      },
    });
    const headers = await edge.signedIn();
    await edge.accounts.pool.query(
      `INSERT INTO account_origins (account_id, request_id, ip, noted_at)
       SELECT account_id, 'req_' || n, '192.0.2.1', now()
       FROM account_profiles, generate_series(1, 1500) AS n`,
    );

    const copy = await edge.send('POST', '/api/account/export', { headers });

    const { events, origins } = (await copy.json()) as { events: unknown[]; origins: unknown[] };
    assert.equal(events.length, 2_500);
    assert.ok(origins.length >= 1_500, `${origins.length} origins`);
  });
});

describe('the reference', () => {
  // S72: what the API description reveals
  it('shows account routes, and hides honeypots and routes of the website', () => {
    const text = openApiText();
    for (const path of ['/api/auth/register', '/api/account/keys/{id}/roll', '/api/account/erase']) {
      assert.match(text, new RegExp(`"${path}"`));
    }
    assert.doesNotMatch(text, /"website"|"company"|\/api\/public/);
  });
});
