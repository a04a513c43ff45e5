import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import * as oauth from '#test/support/oauth.ts';

const videoId = 'jNQXAC9IVRw';
const other = 'tide-auto-1';

describe('an application that an owner authorizes', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp({ environment: { OAUTH_REGISTRATIONS_PER_IP_HOUR: '60' } });
  });
  after(() => app[Symbol.asyncDispose]());

  it('gets from a 401 to a call that is charged to its authorization', async () => {
    const { url, core } = app;
    const refused = await oauth.callTool(url, '', 'get_transcript', { video_id: videoId });
    assert.equal(refused.status, 401);
    const challenge = refused.headers.get('WWW-Authenticate') ?? '';
    const [, metadataUrl = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    const resource = await (await fetch(metadataUrl)).json();
    assert.equal(resource.resource, `${url}/mcp`);
    const [issuer] = resource.authorization_servers;
    const server = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();
    assert.equal(server.issuer, url);

    const { browser, accountId } = await oauth.signedInOwner(app);
    const tokens = await oauth.authorized(url, browser);
    const called = await oauth.callTool(url, tokens.access_token, 'get_transcript', { video_id: videoId });
    assert.equal(called.status, 200);
    const { result } = await called.json();
    assert.equal(result._meta.credits_charged, 1, JSON.stringify(result));
    const [grant] = await core.queries.grants(accountId);
    assert.ok(grant);
    assert.equal(grant.creditsUsed, 1);
    assert.equal(grant.creditsUsedToday, 1);
    assert.equal(grant.clientName, 'Test agent');
    const { data } = await core.queries.ledgerEntry(accountId, result._meta.charge_event);
    assert.equal(data['authorizationId'], grant.authorizationId);
    assert.equal(data['keyId'], null);
  });

  it('is asked for consent again each time, in a form that works without scripts', async () => {
    const { url } = app;
    const { browser } = await oauth.signedInOwner(app);
    const clientId = await oauth.registerClient(url);
    const path = oauth.authorizePath(url, clientId, { scope: 'transcripts openid' });
    const first = await oauth.askConsent(browser, path);
    const page = await browser.open(first);
    assert.match(page.headers.get('Content-Security-Policy') ?? '', /form-action 'self' http:\/\/127\.0\.0\.1:33418;/);
    const html = await page.text();
    assert.match(html, /get_transcript/);
    assert.doesNotMatch(html, /value="ai"/);
    await oauth.agree(browser, first, { ...oauth.consentFields, scope: 'transcripts' });
    assert.match(await oauth.askConsent(browser, path), /^\/oauth\/consent\//);
  });

  it('is informed when the user does not agree, and gets nothing', async () => {
    const { url, core } = app;
    const { browser, accountId } = await oauth.signedInOwner(app);
    const clientId = await oauth.registerClient(url);
    const path = await oauth.askConsent(browser, oauth.authorizePath(url, clientId));
    const back = await oauth.agree(browser, path, { decision: 'deny' });
    assert.equal(back.searchParams.get('error'), 'access_denied');
    assert.equal(back.searchParams.get('state'), 'state-1');
    assert.equal(back.searchParams.get('iss'), url);
    assert.deepEqual(await core.queries.grants(accountId), []);
  });

  // S93: a budget of 0, of fractions, beyond the limit; a day that is over or none; no scope, or one that was not asked for
  for (const [field, value] of [
    ['credits_per_day', '0'],
    ['credits_per_day', ''],
    ['credits_total', '-5'],
    ['credits_total', '1.5'],
    ['credits_total', '1000000001'],
    ['expires_at', '2020-01-01'],
    ['expires_at', '2027-02-30'],
    ['expires_at', 'tomorrow'],
    ['scope', ''],
    ['scope', 'usage'],
  ] as const) {
    it(`shows the form again with 422 for ${field} "${value}", and grants nothing`, async () => {
      const { core } = app;
      const { browser, accountId, path } = await consenting();
      const form = await browser.form(path, path);
      const sent = await browser.send(path, {
        ...form.fields,
        ...oauth.consentFields,
        scope: 'transcripts',
        [field]: value,
      });
      assert.equal(sent.status, 422);
      assert.match(await sent.text(), new RegExp(`name="${field}"`));
      assert.deepEqual(await core.queries.grants(accountId), []);
    });
  }

  let waiting: { browser: Awaited<ReturnType<typeof oauth.signedInOwner>>['browser']; accountId: string; path: string };
  /** A page of consent that no test answers well. */
  const consenting = async () => {
    if (waiting !== undefined) return waiting;
    const owner = await oauth.signedInOwner(app);
    const clientId = await oauth.registerClient(app.url);
    const asked = oauth.authorizePath(app.url, clientId, { scope: 'transcripts' });
    waiting = { ...owner, path: await oauth.askConsent(owner.browser, asked) };
    return waiting;
  };

  // S94: consent that another site posts, that another browser posts, that is posted twice
  it('is not authorized by a form of another site or of another browser', async () => {
    const { core } = app;
    const { browser, accountId, path } = await consenting();
    const stolen = await browser.ask(path, {
      method: 'POST',
      headers: { Origin: 'https://evil.example' },
      body: new URLSearchParams({ ...oauth.consentFields, scope: 'transcripts' }),
    });
    assert.equal(stolen.status, 403);
    const { browser: stranger } = await oauth.signedInOwner(app);
    const foreign = await stranger.send(path, { ...oauth.consentFields, scope: 'transcripts' });
    assert.equal(foreign.status, 404);
    assert.deepEqual(await core.queries.grants(accountId), []);
  });

  it('is authorized once by a form that is sent twice', async () => {
    const { url, core } = app;
    const { browser, accountId } = await oauth.signedInOwner(app);
    const clientId = await oauth.registerClient(url);
    const path = await oauth.askConsent(browser, oauth.authorizePath(url, clientId));
    const answers = await Promise.all([1, 2].map(() => browser.send(path, oauth.consentFields)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303],
    );
    assert.equal((await core.queries.grants(accountId)).length, 1);
  });

  // S95: a redirect that is not registered, PKCE that is missing or plain, another resource, no known scope
  it('is not sent to an address that it has not registered', async () => {
    const { url } = app;
    const { browser } = await oauth.signedInOwner(app);
    const clientId = await oauth.registerClient(url);
    for (const redirect_uri of [
      'https://evil.example/',
      `${oauth.redirectUri}/more`,
      'http://127.0.0.1.evil.example/callback',
    ]) {
      const refused = await browser.open(oauth.authorizePath(url, clientId, { redirect_uri }));
      assert.equal(refused.status, 400);
      assert.equal(refused.headers.get('Location'), null);
    }
    const unknown = await browser.open(oauth.authorizePath(url, 'nobody'));
    assert.equal(unknown.status, 400);
    const otherPort = oauth.authorizePath(url, clientId, { redirect_uri: 'http://127.0.0.1:50123/callback' });
    assert.match(await oauth.askConsent(browser, otherPort), /^\/oauth\/consent\//);
  });

  it('signs its user in before its own description is fetched', async () => {
    const path = oauth.authorizePath(app.url, 'https://agent.example/client.json');
    const answer = await fetch(app.url + path, { redirect: 'manual' });
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.get('Location'), `/login?next=${encodeURIComponent(path)}`);
  });

  it('has no page at an address that its library does not know', async () => {
    const { browser } = await oauth.signedInOwner(app);
    for (const [path, status] of [
      ['/oauth/authorize/none', 400],
      ['/oauth/authorize/a%2Fb', 400],
      ['/oauth/consent/none', 404],
      ['/oauth/consent/__proto__', 404],
    ] as const) {
      assert.equal((await browser.open(path)).status, status, path);
    }
  });

  for (const [what, more, error] of [
    ['PKCE is missing', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['PKCE is plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['the token is to be for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['no scope of this server is asked for', { scope: 'root webhooks' }, 'invalid_scope'],
    ['consent is not to be asked', { prompt: 'none' }, 'consent_required'],
  ] as const) {
    it(`is told ${error} where ${what}`, async () => {
      const { url } = app;
      const { browser } = await oauth.signedInOwner(app);
      const clientId = await oauth.registerClient(url);
      const answer = await browser.open(oauth.authorizePath(url, clientId, more));
      assert.equal(answer.status, 303);
      const back = new URL(answer.headers.get('Location') ?? '', url);
      assert.equal(back.origin + back.pathname, oauth.redirectUri);
      assert.equal(back.searchParams.get('error'), error);
    });
  }

  // S96: a code used twice, by another application, with another verifier; a refresh token used twice
  it('gets no tokens for a code without its verifier, nor for the code of another application', async () => {
    const { url } = app;
    const { browser } = await oauth.signedInOwner(app);
    const clientId = await oauth.registerClient(url);
    const stranger = await oauth.registerClient(url);
    const back = await oauth.agree(browser, await oauth.askConsent(browser, oauth.authorizePath(url, clientId)));
    const code = back.searchParams.get('code') ?? '';
    const fields = oauth.codeFields(clientId, code);
    for (const wrong of [
      { code_verifier: 'x'.repeat(50) },
      { client_id: stranger },
      { redirect_uri: 'http://127.0.0.1/' },
    ]) {
      const refused = await oauth.askToken(url, { ...fields, ...wrong });
      assert.equal(refused.status, 400);
      assert.equal((await refused.json()).error, 'invalid_grant');
    }
    const { code_verifier: _, ...without } = fields;
    assert.equal((await oauth.askToken(url, without)).status, 400);
    assert.equal((await oauth.askToken(url, fields)).status, 200);
  });

  it('loses its tokens when a code is used twice, one after the other or at once', async () => {
    const { url, core } = app;
    const { browser, accountId } = await oauth.signedInOwner(app);
    const tokens = await oauth.authorized(url, browser);
    const again = await oauth.askToken(url, oauth.codeFields(tokens.clientId, tokens.code));
    assert.equal((await again.json()).error, 'invalid_grant');
    const called = await oauth.callTool(url, tokens.access_token, 'get_video', { video_id: videoId });
    assert.equal(called.status, 401);
    assert.notEqual((await core.queries.grants(accountId))[0]?.endedAt, null);

    const clientId = await oauth.registerClient(url);
    const back = await oauth.agree(browser, await oauth.askConsent(browser, oauth.authorizePath(url, clientId)));
    const fields = oauth.codeFields(clientId, back.searchParams.get('code') ?? '');
    const answers = await Promise.all([1, 2, 3, 4].map(() => oauth.askToken(url, fields)));
    const given = answers.filter(({ status }) => status === 200);
    assert.ok(given.length <= 1, `${given.length} answers gave tokens`);
    assert.equal((await core.queries.grants(accountId)).filter(({ endedAt }) => endedAt === null).length, 0);
  });

  it('renews its tokens, and loses them when a refresh token is used twice', async () => {
    const { url } = app;
    const { browser } = await oauth.signedInOwner(app);
    const { clientId, ...tokens } = await oauth.authorized(url, browser);
    const refresh = (token: string, more = {}) =>
      oauth.askToken(url, { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...more });
    const renewed = await (await refresh(tokens.refresh_token, { scope: 'transcripts' })).json();
    assert.equal(renewed.scope, 'transcripts');
    assert.notEqual(renewed.refresh_token, tokens.refresh_token);
    const called = await oauth.callTool(url, renewed.access_token, 'get_video', { video_id: videoId });
    assert.equal(called.status, 200);
    assert.equal((await (await refresh(tokens.refresh_token)).json()).error, 'invalid_grant');
    assert.equal((await (await refresh(renewed.refresh_token)).json()).error, 'invalid_grant');
    const after = await oauth.callTool(url, renewed.access_token, 'get_video', { video_id: videoId });
    assert.equal(after.status, 401);
    assert.match(after.headers.get('WWW-Authenticate') ?? '', /error="invalid_token"/);
  });

  // S97: a token elsewhere than at /mcp, without the scope, of another account
  it('is answered 403 with the name of a scope that its token does not have', async () => {
    const { url, core } = app;
    const { browser, accountId } = await oauth.signedInOwner(app);
    const tokens = await oauth.authorized(url, browser, { ...oauth.consentFields, scope: 'transcripts' });
    const refused = await oauth.callTool(url, tokens.access_token, 'summarize', { video_id: videoId });
    assert.equal(refused.status, 403);
    const challenge = refused.headers.get('WWW-Authenticate') ?? '';
    assert.match(challenge, /error="insufficient_scope", scope="transcripts ai", resource_metadata="/);
    assert.equal((await core.queries.grants(accountId))[0]?.creditsUsed, 0);
  });

  it('uses its token at /mcp alone', async () => {
    const { url, get } = app;
    const { browser } = await oauth.signedInOwner(app);
    const { access_token: key } = await oauth.authorized(url, browser);
    for (const path of ['/v1/usage', '/v1/ledger', `/v1/transcripts/${videoId}`]) {
      assert.equal((await get(path, { key })).status, 401, path);
    }
    const account = await fetch(`${url}/api/account/grants`, { headers: { Authorization: `Bearer ${key}` } });
    assert.equal(account.status, 401);
  });

  it('is informed when its budget is spent, and charged no more', async () => {
    const { url, core } = app;
    const { browser, accountId } = await oauth.signedInOwner(app);
    const tokens = await oauth.authorized(url, browser, { ...oauth.consentFields, credits_per_day: '2' });
    const call = async () =>
      (await (await oauth.callTool(url, tokens.access_token, 'get_transcript', { video_id: videoId })).json()).result;
    await call();
    await call();
    const refused = await call();
    assert.equal(refused.isError, true);
    assert.equal(refused._meta.error.code, 'BUDGET_EXHAUSTED');
    assert.match(refused.content[0].text, /^BUDGET_EXHAUSTED: .* Nothing was charged\.$/);
    assert.equal((await core.queries.grants(accountId))[0]?.creditsUsed, 2);
  });

  // S98: an authorization that ends during a call, that another account ends
  it('is ended by its owner only, with a click or by the API', async () => {
    const { url, core } = app;
    const { browser, accountId } = await oauth.signedInOwner(app);
    const tokens = await oauth.authorized(url, browser);
    const [grant] = (await (await browser.open('/api/account/grants')).json()).grants;
    const { browser: stranger } = await oauth.signedInOwner(app);
    for (const id of [grant.id, 'aut_none', '__proto__']) {
      const refused = await stranger.ask(`/api/account/grants/${id}`, { method: 'DELETE' });
      assert.equal(refused.status, 404);
    }
    assert.deepEqual((await (await stranger.open('/api/account/grants')).json()).grants, []);
    const page = await (await browser.open('/account/grants')).text();
    assert.match(page, /Test agent/);
    const action = `/account/grants/${grant.id}/end`;
    const form = await browser.form('/account/grants', action);
    assert.equal((await browser.send(action, form.fields)).status, 303);
    const called = await oauth.callTool(url, tokens.access_token, 'get_video', { video_id: videoId });
    assert.equal(called.status, 401);
    const again = await browser.ask(`/api/account/grants/${grant.id}`, { method: 'DELETE' });
    assert.equal(again.status, 204);
    assert.equal((await core.queries.grants(accountId)).length, 1);
  });

  it('asks its user before a price above the one set on the page of applications', async () => {
    const { url } = app;
    const { browser } = await oauth.signedInOwner(app);
    const tokens = await oauth.authorized(url, browser);
    const [path, action] = ['/account/grants', '/account/grants/settings'];
    const call = async () =>
      (await (await oauth.callTool(url, tokens.access_token, 'get_transcript', { video_id: videoId })).json()).result;
    for (const [price, status] of [
      ['-1', 400],
      ['0x64', 400],
      ['0', 303],
    ] as const) {
      const { fields } = await browser.form(path, action);
      const sent = await browser.send(action, { ...fields, ask_above_credits: price });
      assert.equal(sent.status, status, price);
      assert.match((await call()).content[0].text, status === 303 ? /^CONFIRMATION_REQUIRED/ : /^#/);
    }
    assert.match(await (await browser.open(path)).text(), /name="ask_above_credits"[^>]* value="0"/);
  });

  it('is not charged for a call during which it was ended', async () => {
    const { url, core, simulator } = app;
    const { browser, accountId } = await oauth.signedInOwner(app);
    const tokens = await oauth.authorized(url, browser);
    const [grant] = await core.queries.grants(accountId);
    simulator.plan({ videoId: other, endpoint: 'timedtext', does: { kind: 'delay', ms: 600 } });
    const reading = simulator.nextRequest((request) => request.videoId === other);
    const calling = oauth.callTool(url, tokens.access_token, 'get_transcript', { video_id: other });
    await reading;
    await browser.ask(`/api/account/grants/${grant?.authorizationId}`, { method: 'DELETE' });
    const { result } = await (await calling).json();
    assert.equal(result._meta.error.code, 'UNAUTHENTICATED');
    assert.equal((await core.queries.grants(accountId))[0]?.creditsUsed, 0);
  });

  it('ends an access token by revoking it, and its authorization by revoking its refresh token', async () => {
    const { url, core } = app;
    const { browser, accountId } = await oauth.signedInOwner(app);
    const { clientId, ...tokens } = await oauth.authorized(url, browser);
    const revoke = (token: string) =>
      fetch(`${url}/oauth/revoke`, { method: 'POST', body: new URLSearchParams({ client_id: clientId, token }) });
    assert.equal((await revoke(tokens.access_token)).status, 200);
    assert.equal((await oauth.callTool(url, tokens.access_token, 'usage', {})).status, 401);
    const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens.refresh_token };
    const renewed = await (await oauth.askToken(url, fields)).json();
    assert.equal((await oauth.callTool(url, renewed.access_token, 'usage', {})).status, 200);
    assert.equal((await core.queries.grants(accountId))[0]?.endedAt, null);
    assert.equal((await revoke(renewed.refresh_token)).status, 200);
    assert.equal((await oauth.callTool(url, renewed.access_token, 'usage', {})).status, 401);
    assert.notEqual((await core.queries.grants(accountId))[0]?.endedAt, null);
    assert.equal((await revoke('unknown')).status, 200);
  });

  it('ends with the account, and leaves no name behind', async () => {
    const { url, core } = app;
    const { browser, accountId, password } = await oauth.signedInOwner(app);
    const tokens = await oauth.authorized(url, browser);
    assert.equal((await browser.send('/account/security/erase', { password })).status, 303);
    const called = await oauth.callTool(url, tokens.access_token, 'get_video', { video_id: videoId });
    assert.equal(called.status, 401);
    assert.deepEqual(await core.queries.grants(accountId), []);
  });
});

// S99: 10,000 registrations from one address
describe('the registration of applications', () => {
  it('is limited for each address, accepts no secret, and refuses what it cannot store', async () => {
    await using app = await startTestApp({ environment: { OAUTH_REGISTRATIONS_PER_IP_HOUR: '5' } });
    const register = (body: object | string) =>
      fetch(`${app.url}/oauth/register`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    const redirect_uris = [oauth.redirectUri];
    const kept = await register({
      redirect_uris,
      token_endpoint_auth_method: 'client_secret_basic',
      jwks_uri: 'https://x.example/',
    });
    const client = await kept.json();
    assert.equal(client.token_endpoint_auth_method, 'none');
    assert.equal(client.client_secret, undefined);
    assert.equal(client.jwks_uri, undefined);
    for (const [body, error] of [
      [{ redirect_uris: ['http://example.com/callback'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: Array.from({ length: 21 }, (_, n) => `https://example.com/${n}`) }, 'invalid_client_metadata'],
      ['x'.repeat(20_000), 'invalid_request'],
    ] as const) {
      const refused = await register(body);
      assert.equal(refused.status, 400);
      assert.equal((await refused.json()).error, error);
    }
    const limited = await register({ redirect_uris });
    assert.equal(limited.status, 429);
    assert.ok(Number(limited.headers.get('Retry-After')) > 0);
    const { policy, limit, reset } = (await limited.json()).error.details;
    assert.deepEqual([policy, limit], ['oauth_registrations', 5]);
    assert.ok(reset > Date.now() / 1000);
  });
});
