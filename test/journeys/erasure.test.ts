import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestApp } from '#test/support/app.ts';
import { browser } from '#test/support/journey.ts';

const email = 'jo@example.org';
const password = 'correct horse battery staple';

describe('erasing an account', () => {
  it('ends its keys and webhooks in the same moment', async () => {
    await using app = await startTestApp({
      environment: { CAPTCHA_MIN_SOLVE_MS: '0', OUTBOUND_ALLOW: '127.0.0.0/8' },
    });
    const page = browser([app.url]);
    const post = (path: string, body: object) => page.send('POST', path, { body });
    await page.json(201, post('/api/auth/register', { email, password, ...(await page.solved()) }));
    await page.json(200, post('/api/auth/login', { email, password }));
    const made = post('/api/account/keys', {});
    const { key } = await page.json<{ key: { id: string; fullKey: string } }>(201, made);
    for (const port of [8001, 8002]) {
      const url = `http://127.0.0.1:${port}/hook`;
      assert.equal((await app.post('/v1/webhooks', { url }, { key: key.fullKey })).status, 201);
    }
    await page.json(204, post('/api/account/erase', { password }));

    const { events } = await app.foundation.log.readAll({ after: 0n, limit: 1_000 });
    const erased = events.find(({ type }) => type === 'AccountErased');
    const ends = events.filter(({ meta }) => meta.request_id === erased?.meta.request_id);
    assert.deepEqual(ends.map(({ type }) => type).sort(), [
      ...['AccountErased', 'KeyRevoked', 'SessionEnded', 'WebhookRemoved', 'WebhookRemoved'],
    ]);
    const deadline = performance.now() + 1_500;
    while ((await app.get('/v1/usage', { key: key.fullKey })).status !== 401) {
      assert.ok(performance.now() < deadline, 'the key ends within a second');
    }
  });
});
