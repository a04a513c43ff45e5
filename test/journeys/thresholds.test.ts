import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { solve } from '#test/support/accounts.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { plantedPassword } from '#test/support/leaks.ts';

describe('thresholds that an operator loosened', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp({
      environment: {
        CAPTCHA_MIN_SOLVE_MS: '0',
        REGISTRATIONS_PER_IP_HOUR: '10',
        UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000',
      },
    });
  });
  after(() => app[Symbol.asyncDispose]());

  it('let an address answer wrongly more often, as they let it register more often', async () => {
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

  it('hold for everything that is counted by address', async () => {
    const limitOf = async (path: string) =>
      Number((await app.get(path)).headers.get('x-ratelimit-limit'));
    assert.equal(await limitOf('/v1/usage'), 1_000);
    assert.equal(await limitOf('/api/status'), 1_000);
    assert.equal(await limitOf('/api/auth/me'), 5_000);
  });
});
