import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { solve } from '#test/support/accounts.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { browser } from '#test/support/journey.ts';
import { plantedPassword } from '#test/support/leaks.ts';

describe('thresholds loosened by an operator', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp({
      environment: {
        CAPTCHA_MIN_SOLVE_MS: '0',
        REGISTRATIONS_PER_IP_HOUR: '10',
        UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000',
        PASSWORD_HASH_MEMORY_KIB: '1024',
        PASSWORD_HASH_PASSES: '3',
        SESSION_RENEW_AFTER: '0s',
      },
    });
  });
  after(() => app[Symbol.asyncDispose]());

  it('set the cost of a password hash, and when a used session is extended', async () => {
    const person = browser([app.url]);
    const account = { email: 'hashed@example.org', password: plantedPassword('hashed') };
    const body = { ...account, ...(await person.solved()) };
    await person.json(201, person.send('POST', '/api/auth/register', { body }));
    await person.json(200, person.send('POST', '/api/auth/login', { body: account }));
    const used = await person.send('GET', '/api/account/me');
    assert.match(used.headers.get('set-cookie') ?? '', /^session=[^;]+;.*Max-Age=604800/);

    const client = new Client(app.databaseUrl);
    await client.connect();
    const { rows } = await client.query('SELECT password_hash FROM account_profiles');
    await client.end();
    assert.match(rows[0].password_hash, /^\$argon2id\$v=19\$m=1024,t=3,p=1\$/);
  });

  it('allow an address more wrong answers, as they allow it more registrations', async () => {
    const captcha = await app.get('/api/auth/captcha');
    const { token, question } = (await captcha.json()) as { token: string; question: string };
    const wrong = {
      email: 'someone@example.org',
      password: plantedPassword('passphrase'),
      captcha_token: token,
      captcha_answer: Number(solve(question)) + 1,
    };
    for (let count = 0; count < 60; count += 1) {
      const answer = await app.post('/api/auth/register', wrong);
      assert.equal(answer.status, 400, `after ${count} wrong answers`);
    }
    const blocked = await app.post('/api/auth/register', wrong);
    assert.equal(blocked.status, 429);
  });

  it('apply to everything that is counted by address', async () => {
    const limitOf = async (path: string) => Number((await app.get(path)).headers.get('x-ratelimit-limit'));
    assert.equal(await limitOf('/v1/usage'), 1_000);
    assert.equal(await limitOf('/api/status'), 1_000);
    assert.equal(await limitOf('/api/auth/me'), 5_000);
  });
});
