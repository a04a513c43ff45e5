import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';
import { formsIn, pageBrowser, websiteEndpoints } from '#test/support/website.ts';

const password = plantedPassword('asked');

let app: TestApp;
before(async () => {
  app = await startTestApp({ environment: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
});
after(() => app[Symbol.asyncDispose]());

const owner = async () => {
  const email = `${randomUUID()}@example.org`;
  const { commands, queries } = app.core;
  const { accountId, apiKey: key } = await commands.createAccount({ ...{ email, password, name: null, plan: 'pro' } });
  planted(key);
  const browser = pageBrowser(app.url);
  await browser.signIn(email, password);
  await pageBrowser(app.url).signIn(email, password);
  const post = async (path: string, body: object) =>
    (await app.post(path, body, { key })).json() as Promise<{
      readonly id: string;
      readonly job_id: string;
      readonly webhook: { readonly id: string };
      readonly secret: string;
    }>;
  const { job_id: jobId } = await post('/v1/jobs', { ids: [samples.prose] });
  const { webhook, secret } = await post('/v1/webhooks', { url: 'http://127.0.0.1:9/hook' });
  planted(secret);
  const [one] = await queries.keys(accountId);
  const { id: followId } = await post('/v1/follows', { source: '@marketdays', max_credits_per_period: 5 });
  return { browser, email, key: one, jobId, webhookId: webhook.id, followId };
};

describe('a form that ends something permanently', () => {
  it('asks first: only the page of its question has its button, and the question names what ends', async () => {
    const { browser, email, key, jobId, webhookId, followId } = await owner();
    const sessions = await (await browser.open('/account/security')).text();
    const questions: Readonly<Record<string, readonly [address: string, named: string]>> = {
      '/account/keys/:id/roll': [`/account/keys/${key?.keyId}/roll`, key?.prefix ?? '?'],
      '/account/keys/:id/revoke': [`/account/keys/${key?.keyId}/revoke`, key?.prefix ?? '?'],
      '/account/webhooks/secret': ['/account/webhooks/secret', 'Signing secret for the webhook_url'],
      '/account/webhooks/:webhookId/rotate': [`/account/webhooks/${webhookId}/rotate`, 'http://127.0.0.1:9/hook'],
      '/account/webhooks/:webhookId/remove': [`/account/webhooks/${webhookId}/remove`, 'http://127.0.0.1:9/hook'],
      '/account/follows/:followId/feed': [`/account/follows/${followId}/feed`, 'Market Days'],
      '/account/follows/:followId/end': [`/account/follows/${followId}/end`, 'Market Days'],
      '/account/security/sessions': [/href="([^"]+sessions\?id=[^"]+)"/.exec(sessions)?.[1] ?? '?', '127.0.0.1'],
      '/account/security/erase': ['/account/security/erase', email],
      '/jobs/:jobId/cancel': [`/jobs/${jobId}/cancel`, 'List of'],
    };
    const gets = new Set(websiteEndpoints(app).flatMap(({ method, path }) => (method === 'GET' ? [path] : [])));
    const asking = websiteEndpoints(app).filter(
      ({ method, path }) => method === 'POST' && gets.has(path) && path.split('/').length > 3,
    );
    const plain = ['/account/webhooks/check', '/oauth/consent/:uid', '/t/:id/:tab'];
    assert.deepEqual(asking.map(({ path }) => path).sort(), [...Object.keys(questions), ...plain].sort());
    for (const [address, named] of Object.values(questions)) {
      const page = await (await browser.open(`${address}`)).text();
      assert.ok(page.includes(named), `${address} names ${named}`);
      const action = address.split('?')[0];
      const form = formsIn(page).find((one) => one.action === action);
      assert.match(form?.text ?? '', /<button type="submit" class="bad">[^<]+<\/button>/);
    }
    const pages = ['', '/keys', '/webhooks', `/webhooks/${webhookId}`, '/security', '/plans'];
    for (const path of [...pages.map((one) => `/account${one}`), '/jobs', `/jobs/${jobId}`]) {
      const page = await (await browser.open(path)).text();
      const actions = formsIn(page).map(({ action, text }) => `${action} ${text}`);
      assert.deepEqual(
        actions.filter((one) => /class="bad"|(roll|revoke|rotate|remove|erase|cancel) /.test(one)),
        [],
        path,
      );
    }
    assert.equal((await app.core.queries.keys(await idOf(email))).length, 1);
  });

  it('says for how long the key or the secret that it replaces works on, as each language writes hours', async () => {
    const { browser, key, webhookId } = await owner();
    const rotate = `/account/webhooks/${webhookId}/rotate`;
    for (const [address, text] of [
      [`/account/keys/${key?.keyId}/roll?ui=ro`, 'Cea veche rămâne valabilă 24 de ore.'],
      ['/account/keys?ui=ja', 'title="新しいキーを作成します。古いキーは 24 時間有効です。"'],
      ['/account/webhooks/secret?ui=de', '24 Stunden lang werden Zustellungen auch mit dem alten signiert;'],
      [`${rotate}?ui=zh`, '仅显示一次。24小时内，投递'],
      [`/account/webhooks/${webhookId}?ui=en`, 'title="For 24 hours, deliveries are also signed'],
    ] as const) {
      assert.ok((await (await browser.open(address)).text()).includes(text), address);
    }
  });

  it('is a question only about what belongs to the account', async () => {
    const [{ browser }, other] = [await owner(), await owner()];
    for (const address of [
      `/account/keys/${other.key?.keyId}/revoke`,
      `/account/webhooks/${other.webhookId}/remove`,
      `/jobs/${other.jobId}/cancel`,
      '/account/security/sessions?id=ses_1',
    ]) {
      assert.equal((await browser.open(address)).status, 404, address);
    }
  });
});

const idOf = async (email: string): Promise<string> =>
  (await app.core.commands.findAccount({ email }))?.accountId ?? '';
