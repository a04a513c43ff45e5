import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cookieIn, startAccountEdge, wideSettings } from '#test/support/account-edge.ts';
import { goodPassword, shippedSettings } from '#test/support/accounts.ts';
import { errorOf } from '#test/support/http.ts';
import { planted } from '#test/support/leaks.ts';

const day = 86_400_000;

/** Status and code of an answer, `201` or `400 CAPTCHA_FAILED`. */
const said = async (answer: Response): Promise<string> =>
  answer.ok ? String(answer.status) : `${answer.status} ${(await errorOf(answer)).code}`;

describe('GET /api/auth/captcha', () => {
  // S29: reading the answer of a captcha from its token
  it('asks a question in words and does not reveal its answer', async () => {
    await using edge = await startAccountEdge();
    const answer = await edge.send('GET', '/api/auth/captcha');
    const body = (await answer.json()) as Record<string, unknown>;
    assert.deepEqual(Object.keys(body), ['token', 'question', 'min_solve_ms']);
    assert.equal(body['min_solve_ms'], 1_500);
    assert.equal(answer.headers.get('Cache-Control'), 'no-store');
    assert.doesNotMatch(String(body['question']), /\d/);
  });
});

describe('POST /api/auth/register', () => {
  it('creates an account on the free plan and does not sign in', async () => {
    await using edge = await startAccountEdge();
    const answer = await edge.register('Jo@example.org', { name: ' Jo Doe ' });
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.headers.getSetCookie(), []);
    const { user, plan } = (await answer.json()) as Record<string, Record<string, unknown>>;
    assert.deepEqual(Object.keys(user ?? {}), ['id', 'email', 'name', 'created_at']);
    assert.equal(user?.['email'], 'Jo@example.org');
    assert.equal(user?.['name'], 'Jo Doe');
    assert.equal(plan?.['key'], 'free');
  });

  // S13: fields that a registration does not have
  // S15: `__proto__` and `constructor`
  // S63: credits as fields of a body
  it('ignores what a caller may not decide, and pollutes no prototype', async () => {
    await using edge = await startAccountEdge();
    const answer = await edge.register('jo@example.org', {
      plan: 'enterprise',
      credits: 1e9,
      role: 'admin',
      constructor: { prototype: { isAdmin: true } },
    });
    assert.equal(answer.status, 201);
    const proof = await edge.solved();
    const polluting = JSON.stringify({ email: 'b@example.org', password: goodPassword, ...proof });
    const second = await edge.send('POST', '/api/auth/register', {
      body: polluting.replace('{', '{"__proto__":{"isAdmin":true},'),
    });
    assert.ok([201, 400].includes(second.status));
    assert.equal(Object('x').isAdmin, undefined);
    const first = (await answer.json()) as { plan: { key: string } };
    assert.equal(first.plan.key, 'free');
  });

  // S21: passwords of every length and kind
  it('takes passwords of 8 to 256 characters of any kind', async () => {
    await using edge = await startAccountEdge();
    const outcomes: string[] = [];
    for (const [n, password] of [
      'x7!kQ2p',
      `${'ab'.repeat(128)}c`,
      'x'.repeat(1_000_000),
      'nul \u0000 inside',
      '🦊🐢🦉🐙🦋🐝🐳🦔',
      'sixty-four characters with spaces: correct horse battery staple!',
      'ab'.repeat(128),
    ].entries()) {
      outcomes.push(await said(await edge.register(`p${n}@example.org`, { password })));
    }
    assert.deepEqual(outcomes, [
      '400 INVALID_REQUEST',
      '400 INVALID_REQUEST',
      '413 PAYLOAD_TOO_LARGE',
      ...['201', '201', '201', '201'],
    ]);
  });

  // S22: the user's own address or a common password as a password
  it('refuses common passwords and the address of the account, and says so', async () => {
    await using edge = await startAccountEdge();
    for (const password of ['jo.doe@example.org', 'password1', 'PASSWORD1']) {
      const answer = await edge.register('jo.doe@example.org', { password });
      const { code, details } = await errorOf(answer);
      assert.equal(code, 'INVALID_REQUEST');
      assert.match(JSON.stringify(details), /"path":"password"/);
      assert.doesNotMatch(JSON.stringify(details), new RegExp(password));
    }
  });

  // S23: a second account for one mailbox
  // S24: disposable mail domains
  it('answers a taken mailbox and a disposable one with one generic refusal', async () => {
    await using edge = await startAccountEdge();
    assert.equal((await edge.register('ab@gmail.com')).status, 201);
    const bodies = new Set<string>();
    for (const email of [
      'A.b+x@googlemail.com',
      'a@mailinator.com',
      'a@sub.mailinator.com',
      'a@MAILINATOR.COM',
      'a@ｍailinator.com',
    ]) {
      const answer = await edge.register(email);
      assert.equal(answer.status, 400);
      const { code, message, details } = await errorOf(answer);
      bodies.add(JSON.stringify({ code, message, details }));
    }
    assert.equal(bodies.size, 1);
  });

  // S25: malformed mail addresses
  it('refuses an invalid mail address', async () => {
    await using edge = await startAccountEdge();
    for (const email of [
      'a@b',
      'a@b..c',
      '"x y"@z.de',
      `${'a'.repeat(250)}@b.de`,
      'a@b.de\r\nBcc: c@d.de',
      '',
      null,
      7,
      ['a@b.de'],
    ]) {
      const answer = await edge.register('x@y.de', { email });
      assert.equal(await said(answer), '400 INVALID_REQUEST', JSON.stringify(email));
    }
    const email = `${'a'.repeat(250)}@b.de`;
    const [registered, forgot] = [
      await edge.register('x@y.de', { email }),
      await edge.send('POST', '/api/password/forgot', { body: { email } }),
    ];
    for (const answer of [registered, forgot]) {
      assert.equal((await errorOf(answer)).message, 'email is not valid: must have at most 254 characters');
    }
  });

  // S26: a filled honeypot
  it('answers a filled honeypot like a wrong captcha', async () => {
    await using edge = await startAccountEdge();
    const bodies = new Set<string>();
    for (const more of [{ website: 'x' }, { company: 'y' }, { captcha_answer: 'no idea' }]) {
      const answer = await edge.register('jo@example.org', more);
      assert.equal(answer.status, 400);
      const { request_id: _, ...rest } = await errorOf(answer);
      bodies.add(JSON.stringify(rest));
    }
    assert.equal(bodies.size, 1);
    assert.match([...bodies][0] ?? '', /CAPTCHA_FAILED/);
    assert.equal((await edge.register('jo@example.org', { website: '', company: '' })).status, 201);
  });

  // S27: every wrong captcha
  it('requires a captcha that is present, correct, in time, from this server and unused', async () => {
    await using edge = await startAccountEdge();
    const good = await edge.solved();
    const [body = '', sign = ''] = good.captcha_token.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const forged = (captcha_token: string) => ({ ...good, captcha_token });
    const failing: Record<string, unknown>[] = [
      { captcha_token: undefined },
      { captcha_token: '' },
      { captcha_answer: undefined },
      { captcha_answer: 'wrong' },
      forged(`${encoded({ ...claims, min: 0 })}.${sign}`),
      forged(`${encoded({ alg: 'none' })}.${encoded(claims)}.`),
      forged(`${encoded({ ...claims, iat: claims.iat + day })}.${sign}`),
      forged(`${body}.${sign.slice(0, -1)}`),
      { ...good, captcha_answer: 'wrong' },
      good,
    ];
    for (const more of failing) {
      const answer = await edge.register('jo@example.org', more);
      assert.equal(await said(answer), '400 CAPTCHA_FAILED', JSON.stringify(more));
    }
    const late = await edge.solved();
    edge.accounts.pass(600_000);
    assert.equal(await said(await edge.register('jo@example.org', late)), '400 CAPTCHA_FAILED');
    // Each registration takes two seconds. Only a proof that comes too early may be sent again.
    const early = await edge.solved();
    edge.accounts.pass(-5_000);
    for (const [when, outcome] of [
      ['before it was asked', '400 CAPTCHA_FAILED'],
      ['a second after', '400 CAPTCHA_FAILED'],
      ['three seconds after', '201'],
    ] as const) {
      assert.equal(await said(await edge.register('early@example.org', early)), outcome, when);
    }
    const reused = await edge.solved();
    assert.equal(await said(await edge.register('jo@example.org', reused)), '201');
    assert.equal(await said(await edge.register('jo2@example.org', reused)), '400 CAPTCHA_FAILED');
  });

  it('says what the answer to a captcha may be: a text or a whole number', async () => {
    await using edge = await startAccountEdge();
    for (const [captcha_answer, message] of [
      [true, 'must be a text or a whole number'],
      [1.5, 'must be a text or a whole number'],
      ['1'.repeat(101), 'must have at most 100 characters'],
    ] as const) {
      const answer = await edge.register('jo@example.org', { captcha_answer });
      assert.equal(answer.status, 400);
      const error = await errorOf(answer);
      assert.equal(error.message, `captcha_answer is not valid: ${message}`);
    }
  });

  // S28: one captcha, twenty times at once
  it('lets one of twenty parallel registrations pass with one token', async () => {
    await using edge = await startAccountEdge();
    const proof = await edge.solved();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => said(await edge.register(`p${n}@example.org`, proof))),
    );
    assert.equal(outcomes.filter((outcome) => outcome === '201').length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === '400 CAPTCHA_FAILED').length, 19);
  });

  // S30: many registrations
  it('is limited by address, /64 and mailbox, with one text and Retry-After', async () => {
    const { registration } = shippedSettings;
    const behind = { trustedProxies: ['127.0.0.1'] };
    await using edge = await startAccountEdge({ settings: { ...wideSettings, registration }, http: { ...behind } });
    const texts = new Set<string>();
    const blocked = async (answer: Response): Promise<void> => {
      assert.equal(answer.status, 429);
      assert.equal(answer.headers.get('Retry-After'), '3600');
      const { code, message, details } = await errorOf(answer);
      texts.add(JSON.stringify({ code, message, details }));
    };
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    for (let n = 0; n < 5; n += 1) {
      const answer = await edge.register(`p${n}@d${n}.org`, {}, from('192.0.2.1'));
      assert.equal(answer.status, 201);
    }
    await blocked(await edge.register('p6@d6.org', {}, from('192.0.2.1')));
    for (let n = 0; n < 5; n += 1) {
      await edge.register(`q${n}@d${n}.org`, {}, from(`2001:db8:1:2:${n}::1`));
    }
    await blocked(await edge.register('q6@d6.org', {}, from('2001:db8:1:2:ffff::9')));
    for (let n = 0; n < 3; n += 1) {
      await edge.register(`one+${n}@gmail.com`, {}, from(`192.0.2.${10 + n}`));
    }
    await blocked(await edge.register('o.n.e@gmail.com', {}, from('192.0.2.20')));
    assert.equal(texts.size, 1);
    assert.match([...texts][0] ?? '', /REGISTRATION_BLOCKED/);
  });

  // S52: malformed JSON
  // S53: other media types, or none
  it('reads strict JSON only', async () => {
    await using edge = await startAccountEdge();
    const send = (body: string, type = 'application/json') =>
      edge.send('POST', '/api/auth/register', { body, headers: { 'Content-Type': type } });
    for (const body of ['{', '{"email":Infinity}', '\ufeff{}', '[]', '"x"', '{"email":"\\ud800"}']) {
      assert.equal(await said(await send(body)), '400 INVALID_REQUEST', body);
    }
    assert.equal(await said(await send('<a/>', 'text/xml')), '415 UNSUPPORTED_MEDIA_TYPE');
    assert.equal(await said(await send('{}', 'text/plain')), '415 UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('POST /api/auth/login', () => {
  // S34: flags of cookies
  it('returns the user and sets an HttpOnly, SameSite cookie', async () => {
    await using edge = await startAccountEdge();
    await edge.register('jo@example.org');
    const answer = await edge.logIn('jo@example.org');
    assert.equal(answer.status, 200);
    const [cookie = ''] = answer.headers.getSetCookie();
    assert.match(cookie, /^session=[A-Za-z0-9_-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/);
    const body = (await answer.json()) as Record<string, unknown>;
    assert.deepEqual(Object.keys(body), ['user', 'plan']);
  });

  // S34: flags of cookies
  it('marks the cookie as Secure where the service is reached by https', async () => {
    await using edge = await startAccountEdge({ http: { publicUrl: 'https://steno.example' } });
    await edge.register('jo@example.org');
    const [cookie = ''] = (await edge.logIn('jo@example.org')).headers.getSetCookie();
    assert.match(cookie, /; Secure; SameSite=Lax$/);
    assert.doesNotMatch(cookie, /Domain/i);
  });

  // S18: an unknown mailbox against a wrong password
  it('says the same for an unknown mailbox and a wrong password', async () => {
    await using edge = await startAccountEdge();
    await edge.register('jo@example.org');
    const bodies = new Set<string>();
    for (const [email, password] of [
      ['jo@example.org', 'wrong'],
      ['nobody@example.org', 'wrong'],
      ['nonsense', goodPassword],
    ] as const) {
      const answer = await edge.logIn(email, password);
      assert.equal(answer.status, 401);
      const { request_id: _, ...rest } = await errorOf(answer);
      bodies.add(JSON.stringify(rest));
    }
    assert.equal(bodies.size, 1);
    assert.match([...bodies][0] ?? '', /INVALID_CREDENTIALS/);
  });

  // S19: guessing passwords
  it('refuses the sixth wrong one for a mailbox and the 31st from an address, with Retry-After', async () => {
    await using edge = await startAccountEdge();
    await edge.register('jo@example.org');
    for (let n = 0; n < 5; n += 1) await edge.logIn('jo@example.org', 'wrong');
    const sixth = await edge.logIn('jo@example.org');
    assert.equal(sixth.status, 429);
    assert.equal(sixth.headers.get('Retry-After'), '60');
    const { code, details } = await errorOf(sixth);
    assert.equal(code, 'RATE_LIMITED');
    assert.deepEqual(Object.keys(details ?? {}), ['policy', 'limit', 'reset']);
    assert.equal(details?.['limit'], 5);
    edge.accounts.pass(60_000);
    assert.equal((await edge.logIn('jo@example.org')).status, 200);
    const outcomes: string[] = [];
    for (let n = 0; n < 27; n += 1) outcomes.push(await said(await edge.logIn(`p${n}@x.org`, 'wrong')));
    assert.deepEqual(outcomes.slice(-3), ['401 INVALID_CREDENTIALS', '429 RATE_LIMITED', '429 RATE_LIMITED']);
  });

  // S19: guessing passwords
  it('remembers the browser that was signed in, so that failures of strangers do not lock it out', async () => {
    await using edge = await startAccountEdge();
    await edge.register('jo@example.org');
    const [, device = ''] = (await edge.logIn('jo@example.org')).headers.getSetCookie();
    assert.match(device, /^device=[\w-]{43}\.[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/);
    const Cookie = planted(device.split(';')[0] ?? '');
    for (let n = 0; n < 6; n += 1) await edge.logIn('jo@example.org', 'wrong');
    assert.equal((await edge.logIn('jo@example.org')).status, 429);
    assert.equal((await edge.logIn('jo@example.org', goodPassword, { Cookie })).status, 200);
    const onPage = (headers: Record<string, string>) =>
      edge.send('POST', '/login', {
        body: new URLSearchParams({ email: 'jo@example.org', password: goodPassword }).toString(),
        headers: { ...{ 'Content-Type': 'application/x-www-form-urlencoded', Origin: edge.url }, ...headers },
      });
    assert.equal((await onPage({})).status, 429);
    const signedIn = await onPage({ Cookie });
    assert.equal(signedIn.status, 303);
    assert.match(signedIn.headers.getSetCookie()[1] ?? '', /^device=/);
  });

  // S20: a forged `X-Forwarded-For`
  it('does not trust a forwarded address that no trusted proxy sent', async () => {
    await using edge = await startAccountEdge();
    const outcomes: string[] = [];
    for (let n = 0; n < 31; n += 1) {
      const spoofed = { 'X-Forwarded-For': `203.0.113.${n}` };
      outcomes.push(await said(await edge.logIn(`p${n}@x.org`, 'wrong', spoofed)));
    }
    assert.equal(outcomes.at(-1), '429 RATE_LIMITED');
  });

  // S32: session fixation
  it('issues a new token whatever cookie was sent; that one never becomes valid', async () => {
    await using edge = await startAccountEdge();
    await edge.register('jo@example.org');
    const preset = `session=${'a'.repeat(43)}`;
    const first = cookieIn(await edge.logIn('jo@example.org', goodPassword, { Cookie: preset }));
    assert.notEqual(first, preset);
    const second = cookieIn(await edge.logIn('jo@example.org', goodPassword, { Cookie: first }));
    const status = async (Cookie: string) =>
      (await edge.send('GET', '/api/account/me', { headers: { Cookie } })).status;
    assert.deepEqual([await status(preset), await status(first), await status(second)], [401, 401, 200]);
  });

  // S37: a form on another site that signs in
  it('refuses forms from other sites', async () => {
    await using edge = await startAccountEdge();
    await edge.register('jo@example.org');
    const form = (headers: Record<string, string>) =>
      edge.send('POST', '/api/auth/login', {
        body: JSON.stringify({ email: 'jo@example.org', password: goodPassword }),
        headers,
      });
    const types = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data'];
    for (const type of types) {
      const answer = await form({ 'Content-Type': type });
      assert.equal(answer.status, 415);
      assert.deepEqual(answer.headers.getSetCookie(), []);
    }
    const crossSite = await form({ 'Sec-Fetch-Site': 'cross-site' });
    assert.equal(await said(crossSite), '403 FORBIDDEN');
    assert.equal(await said(await form({ Origin: 'https://evil.example' })), '403 FORBIDDEN');
    assert.equal(await said(await form({ Origin: 'null' })), '403 FORBIDDEN');
    assert.equal((await form({ Origin: edge.url, 'Sec-Fetch-Site': 'same-origin' })).status, 200);
  });
});

describe('a session', () => {
  const meStatus = async (edge: Awaited<ReturnType<typeof startAccountEdge>>, headers: { Cookie: string }) =>
    (await edge.send('GET', '/api/account/me', { headers })).status;

  // S33: an ended session
  it('ends by signing out, by seven idle days and after thirty days', async () => {
    await using edge = await startAccountEdge();
    const cookie = await edge.signedIn();
    assert.equal(await meStatus(edge, cookie), 200);
    const out = await edge.send('POST', '/api/auth/logout', { headers: cookie });
    assert.equal(out.status, 204);
    assert.match(out.headers.getSetCookie()[0] ?? '', /^session=; .*Max-Age=0/);
    assert.equal(await meStatus(edge, cookie), 401);
    assert.equal((await edge.send('POST', '/api/auth/logout')).status, 204);

    const idle = { Cookie: cookieIn(await edge.logIn('jo@example.org')) };
    edge.accounts.pass(7 * day);
    assert.equal(await meStatus(edge, idle), 401);

    const used = { Cookie: cookieIn(await edge.logIn('jo@example.org')) };
    for (let days = 0; days < 29; days += 1) {
      edge.accounts.pass(day);
      assert.equal(await meStatus(edge, used), 200);
    }
    edge.accounts.pass(day);
    assert.equal(await meStatus(edge, used), 401);
  });

  it('is extended by use, and the cookie with it', async () => {
    await using edge = await startAccountEdge();
    const headers = await edge.signedIn();
    const fresh = await edge.send('GET', '/api/account/me', { headers });
    assert.deepEqual(fresh.headers.getSetCookie(), []);
    edge.accounts.pass(day);
    const later = await edge.send('GET', '/api/account/me', { headers });
    assert.equal(cookieIn(later), headers.Cookie);
  });

  it('is returned by GET /api/auth/me, which needs no session', async () => {
    await using edge = await startAccountEdge();
    const headers = await edge.signedIn();
    const me = async (sent: Record<string, string>) =>
      (await (await edge.send('GET', '/api/auth/me', { headers: sent })).json()) as Record<string, unknown>;
    assert.deepEqual(await me({}), { authenticated: false, user: null, plan: null });
    const known = await me(headers);
    assert.equal(known['authenticated'], true);
  });

  // S10: a session on `/v1`
  // S11: a key on `/api/account`
  it('gives no access to /v1, and a key none to /api/account', async () => {
    await using edge = await startAccountEdge();
    const headers = await edge.signedIn();
    const read = await edge.send('GET', '/v1/usage', { headers });
    assert.equal(await said(read), '401 INVALID_API_KEY');
    const keys = await edge.get('/api/account/keys');
    assert.equal(await said(keys), '401 UNAUTHENTICATED');
  });
});
