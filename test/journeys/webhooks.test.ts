import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { browser } from '#test/support/journey.ts';
import { plantedPassword } from '#test/support/leaks.ts';

const password = plantedPassword('owner');

type Page = ReturnType<typeof browser>;
type Webhook = { id: string; url: string; events: string[]; active: boolean; created_at: string };
type CreatedWebhook = { webhook: Webhook; secret: string };

let app: TestApp;

/** Somebody with an account, who is signed in. */
const owner = async (): Promise<Page> => {
  const page = browser([app.url]);
  const email = `${randomUUID()}@example.org`;
  const body = { email, password, ...(await page.solved()) };
  await page.json(201, page.send('POST', '/api/auth/register', { body }));
  await page.json(200, page.send('POST', '/api/auth/login', { body: { email, password } }));
  return page;
};

const registered = (page: Page, body: object): Promise<CreatedWebhook> =>
  page.json<CreatedWebhook>(201, page.send('POST', '/api/account/webhooks', { body }));

const refusal = async (answer: Promise<Response>): Promise<string> => {
  const got = await answer;
  const { error } = (await got.json()) as { error: { code: string } };
  return `${got.status} ${error.code}`;
};

// Documentation addresses are no receivers; the other one is public and never asked here.
const url = 'https://192.0.2.1/hooks';
const publicUrl = 'https://93.184.215.14/hooks';

describe('webhooks of a signed-in owner', () => {
  before(async () => {
    const environment = { CAPTCHA_MIN_SOLVE_MS: '0', REGISTRATIONS_PER_IP_HOUR: '100' };
    app = await startTestApp({ environment });
  });
  after(() => app[Symbol.asyncDispose]());

  it('are registered with both kinds and a secret that is shown once', async () => {
    const page = await owner();
    const { webhook, secret } = await registered(page, { url: publicUrl });
    assert.match(secret, /^whsec_/);
    assert.deepEqual([webhook.url, webhook.active], [publicUrl, true]);
    assert.deepEqual(webhook.events.toSorted(), ['job.completed', 'job.failed']);
    const { webhooks } = await page.json<{ webhooks: Webhook[] }>(200, page.send('GET', '/api/account/webhooks'));
    assert.deepEqual(
      webhooks.map(({ id }) => id),
      [webhook.id],
    );
    assert.ok(!JSON.stringify(webhooks).includes(secret));
  });

  it('can be changed, tested, given another secret and removed', async () => {
    const page = await owner();
    const { webhook, secret } = await registered(page, { url: publicUrl, events: ['job.failed'] });
    const path = `/api/account/webhooks/${webhook.id}`;
    const edited = await page.json<Webhook>(200, page.send('PATCH', path, { body: { active: false } }));
    assert.equal(edited.active, false);
    const next = await page.json<{ secret: string }>(200, page.send('POST', `${path}/rotate-secret`, { body: {} }));
    assert.notEqual(next.secret, secret);
    assert.equal((await page.send('DELETE', path)).status, 204);
    assert.equal(await refusal(page.send('PATCH', path, { body: {} })), '404 WEBHOOK_NOT_FOUND');
  });

  // S9: every operation on a webhook of another account
  it('of another account are answered like ones that do not exist, in every operation', async () => {
    const page = await owner();
    const stranger = await owner();
    const { webhook } = await registered(page, { url: publicUrl });
    for (const id of [webhook.id, 'whk_nobody']) {
      for (const [method, rest, body] of [
        ['PATCH', '', {}],
        ['DELETE', '', undefined],
        ['GET', '/deliveries', undefined],
        ['POST', '/rotate-secret', {}],
        ['POST', '/test', {}],
        ['POST', '/recover', { since: '2026-01-01T00:00:00Z' }],
        ['POST', '/deliveries/dlv_nobody/replay', {}],
      ] as const) {
        const asked = stranger.send(method, `/api/account/webhooks/${id}${rest}`, body === undefined ? {} : { body });
        assert.equal(await refusal(asked), '404 WEBHOOK_NOT_FOUND', `${method} ${rest}`);
      }
    }
    const deliveries = page.send('GET', `/api/account/webhooks/${webhook.id}/deliveries`);
    assert.deepEqual(await page.json(200, deliveries), { deliveries: [], next_before: null });
  });

  // S9: keys and webhooks of another account
  it('require a session: a key, another site and another account are refused', async () => {
    const { key } = await app.createAccount();
    const byKey = await app.get('/api/account/webhooks', { key });
    assert.equal(byKey.status, 401);
    const page = await owner();
    const forged = page.send('POST', '/api/account/webhooks', {
      body: { url: publicUrl },
      headers: { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    });
    assert.equal(await refusal(forged), '403 FORBIDDEN');
    const other = await owner();
    const { webhook } = await registered(page, { url: publicUrl });
    const path = `/api/account/webhooks/${webhook.id}`;
    assert.equal(await refusal(other.send('DELETE', path)), '404 WEBHOOK_NOT_FOUND');
    const { webhooks } = await page.json<{ webhooks: Webhook[] }>(200, page.send('GET', '/api/account/webhooks'));
    assert.equal(webhooks.length, 1);
  });

  // S14: fields that a webhook does not have
  it('accept no field that an owner may not set', async () => {
    const page = await owner();
    for (const extra of [{ secret: 'a' }, { account_id: 'acc_1' }]) {
      const sent = page.send('POST', '/api/account/webhooks', { body: { url: publicUrl, ...extra } });
      assert.equal(await refusal(sent), '400 INVALID_REQUEST');
    }
  });

  // S39: receivers on this machine, in every notation
  // S40: receivers on private networks
  // S43: other schemes, credentials, ports and lengths
  it('refuse addresses that are not public', async () => {
    const page = await owner();
    const addresses = [
      url,
      'https://[::ffff:127.0.0.1]/',
      'https://10.0.0.1/',
      'ftp://93.184.215.14/',
      'https://93.184.215.14:22/',
    ];
    for (const address of addresses) {
      const sent = page.send('POST', '/api/account/webhooks', { body: { url: address } });
      assert.equal(await refusal(sent), '400 INVALID_REQUEST', address);
    }
  });
});
