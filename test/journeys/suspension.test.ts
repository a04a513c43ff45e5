import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { errorOf } from '#test/support/http.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';
import { operate } from '#test/support/run-operator.ts';

let app: TestApp;

const account = (verb: string, ...words: readonly string[]) =>
  operate(app.environment, 'account', verb, ...words, '--json');

/** A key is looked up anew within a second. */
const statusOf = async (key: string, wanted: number): Promise<Response> => {
  let answer = await app.get('/v1/usage', { key });
  for (let looks = 0; looks < 100 && answer.status !== wanted; looks += 1) {
    await pause(50);
    answer = await app.get('/v1/usage', { key });
  }
  assert.equal(answer.status, wanted);
  return answer;
};

describe('an operator who suspends an account', () => {
  before(async () => {
    app = await startTestApp();
  });
  after(() => app[Symbol.asyncDispose]());

  it('makes its keys refused, and can undo it', async () => {
    const { accountId, key } = await app.createAccount();
    await statusOf(key, 200);
    const suspended = await account('suspend', '--account', accountId);
    assert.deepEqual(JSON.parse(suspended.stdout), { account_id: accountId, state: 'suspended' });
    assert.equal((await errorOf(await statusOf(key, 403))).code, 'ACCOUNT_SUSPENDED');

    const listed = await account('list', '--state', 'suspended');
    const [shown] = listed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([shown.account_id, shown.state, shown.plan], [accountId, 'suspended', 'free']);

    assert.equal((await account('resume', '--email', shown.email)).code, 0);
    await statusOf(key, 200);
    const { events } = await app.core.queries.accountEvents(accountId, { limit: 10, before: null });
    const types = events.map(({ type }) => type);
    assert.ok(types.includes('AccountSuspended') && types.includes('AccountResumed'));
  });

  it('prevents the owner from signing in, on the page too, until it is undone', async () => {
    const email = 'held@example.org';
    const password = plantedPassword('held');
    const { createAccount } = app.core.commands;
    const { accountId } = await createAccount({ email, password, name: null, plan: 'free' });
    const logIn = async () => {
      const answer = await app.post('/api/auth/login', { email, password });
      return { answer, cookie: planted(answer.headers.getSetCookie()[0]?.split(';')[0] ?? '') };
    };
    const { cookie } = await logIn();
    const me = () => app.get('/api/account/me', { headers: { Cookie: cookie } });
    assert.equal((await me()).status, 200);
    assert.equal((await account('suspend', '--email', email)).code, 0);
    assert.equal((await me()).status, 401);
    const { answer } = await logIn();
    assert.deepEqual([answer.status, (await errorOf(answer)).code], [403, 'ACCOUNT_SUSPENDED']);
    const body = new URLSearchParams({ email, password });
    const page = await fetch(`${app.url}/login`, { method: 'POST', redirect: 'manual', body });
    assert.match(await page.text(), /This account is suspended/);
    assert.equal((await account('resume', '--account', accountId)).code, 0);
    assert.equal((await logIn()).answer.status, 200);
  });

  it('shows an account, and erases it only with a confirmation', async () => {
    const { accountId } = await app.createAccount();
    const shown = JSON.parse((await account('show', '--account', accountId)).stdout);
    assert.deepEqual(
      [shown.state, shown.plan, shown.credits_remaining, shown.keys_active],
      ['active', 'free', 10_000, 1],
    );
    assert.equal((await account('erase', '--account', accountId)).code, 2);
    assert.equal((await account('erase', '--account', accountId, '--yes')).code, 0);
    assert.equal((await account('show', '--account', accountId)).code, 5);
  });

  it('creates a link by which the owner sets a new password, once', async () => {
    const { accountId } = await app.createAccount();
    const { email } = JSON.parse((await account('show', '--account', accountId)).stdout);
    const linked = await account('password', '--email', email, '--link');
    const { url, expires_at } = JSON.parse(linked.stdout);
    assert.ok(Date.parse(expires_at) > Date.now());
    const link = app.url + new URL(url).pathname + new URL(url).search;
    const token = planted(new URL(url).searchParams.get('token') ?? '');

    const shown = await fetch(link);
    assert.deepEqual([shown.status, shown.headers.get('referrer-policy')], [200, 'same-origin']);
    assert.match(await shown.text(), new RegExp(`<input type="hidden" name="token" value="${token}"`));

    const password = plantedPassword('reset');
    const send = (given: string) =>
      fetch(`${app.url}/reset`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ token, password: given }),
      });
    const weak = await send(email);
    assert.equal(weak.status, 400);
    assert.match(await weak.text(), /Do not use your e-mail address, a part of it, /);
    const done = await send(password);
    assert.deepEqual([done.status, done.headers.get('location')], [303, '/login?told=password']);
    const login = await app.post('/api/auth/login', { email, password });
    planted(login.headers.getSetCookie()[0]?.split(/[=;]/)[1] ?? '');
    assert.equal(login.status, 200);

    assert.equal((await fetch(link)).status, 400);
    const again = await app.post('/api/password/reset', { token, new_password: password });
    const unknown = await app.post('/api/password/reset', { token: 'x', new_password: password });
    const codes = [await errorOf(again), await errorOf(unknown)].map(({ code, message }) => [code, message]);
    assert.deepEqual(codes[0], codes[1]);
    assert.deepEqual([again.status, unknown.status], [400, 400]);
  });

  it('names one account by its id or by the address of its owner', async () => {
    assert.equal((await account('show')).code, 2);
    assert.equal((await account('suspend', '--account', 'acc_nobody')).code, 5);
  });
});
