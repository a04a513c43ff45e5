import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestApp } from '#test/support/app.ts';
import { browser, dumpOf, formsOf } from '#test/support/journey.ts';

const email = 'jo@example.org';
const password = 'correct horse battery staple';

/** Makes what is shown once, twice under one Idempotency-Key, and finds none of it in a dump: all its forms. */
const onlyOnceShown = async (
  page: ReturnType<typeof browser>,
  databaseUrl: string,
): Promise<readonly [string, string][]> => {
  const wanted = [
    ['/api/account/keys', {}],
    ['/api/account/webhooks', { url: 'http://127.0.0.1:8003/hook' }],
    ['/api/account/webhooks/signing-secret/rotate', {}],
  ] as const;
  const forms: [string, string][] = [];
  for (const [path, body] of wanted) {
    const send = () => page.send('POST', path, { body, headers: { 'Idempotency-Key': 'once' } });
    const first = await (await send()).text();
    const again = await send();
    assert.equal(again.headers.get('idempotent-replayed'), 'true', `${path} ${first}`);
    assert.equal(await again.text(), first);
    const secret = /stn_live_\w{38}|whsec_[\w+/=]+/.exec(first)?.[0] ?? assert.fail(first);
    forms.push(...formsOf(secret).map((form): [string, string] => [path, form]));
  }
  const dump = await dumpOf(databaseUrl);
  for (const [path, form] of forms) {
    assert.equal(dump.find(({ text }) => text.includes(form))?.place, undefined, path);
  }
  return forms;
};

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
    const secrets = await onlyOnceShown(page, app.databaseUrl);
    for (const port of [8001, 8002]) {
      const url = `http://127.0.0.1:${port}/hook`;
      assert.equal((await app.post('/v1/webhooks', { url }, { key: key.fullKey })).status, 201);
    }
    await page.json(204, post('/api/account/erase', { password }));

    const left = await dumpOf(app.databaseUrl);
    assert.equal(left.filter(({ place }) => place.endsWith('idempotency_keys')).length, 0);
    for (const [name, form] of secrets) {
      assert.equal(left.find(({ text }) => text.includes(form))?.place, undefined, name);
    }

    const { events } = await app.foundation.log.readAll({ after: 0n, limit: 1_000 });
    const erased = events.find(({ type }) => type === 'AccountErased');
    const ends = events.filter(({ meta }) => meta.request_id === erased?.meta.request_id);
    assert.deepEqual(ends.map(({ type }) => type).sort(), [
      ...['AccountErased', 'KeyRevoked', 'KeyRevoked', 'SessionEnded'],
      ...['WebhookRemoved', 'WebhookRemoved', 'WebhookRemoved'],
    ]);
    const deadline = performance.now() + 1_500;
    while ((await app.get('/v1/usage', { key: key.fullKey })).status !== 401) {
      assert.ok(performance.now() < deadline, 'the key ends within a second');
    }
  });
});
