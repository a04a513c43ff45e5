import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';
import { pageBrowser } from '#test/support/website.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp({
    environment: { OUTBOUND_ALLOW: '127.0.0.0/8', WEBHOOK_PORTS: '1-65535', WEBHOOK_SCHEDULE: '0s' },
  });
});
after(() => app[Symbol.asyncDispose]());

const email = 'receives@example.org';
const password = plantedPassword('receives');

describe('the page of a webhook', () => {
  it('changes it, and sends failed deliveries again', async () => {
    const { apiKey: key } = await app.core.commands.createAccount({ email, password, name: null, plan: 'free' });
    // Nothing listens there.
    const made = await app.post('/v1/webhooks', { url: 'http://127.0.0.1:9/hook' }, { key });
    const { webhook, secret } = (await made.json()) as { webhook: { id: string }; secret: string };
    planted(secret);
    const owner = pageBrowser(app.url);
    await owner.signIn(email, password);
    const page = `/account/webhooks/${webhook.id}`;
    const send = async (name: string, fields: Readonly<Record<string, string>>) => {
      const form = await owner.form(page, `${page}/${name}`);
      return await owner.send(form.action, { ...form.fields, ...fields });
    };

    await send('test', {});
    while (!/✗ failed/.test(await (await owner.open(page)).text())) await setTimeout(50);
    const { text } = await owner.form(page, `${page}/recover`);
    assert.match(text, /type="date"/);
    assert.match(await (await send('recover', { since: '2026-01-01' })).text(), /1 delivery is being sent again\./);
    assert.match(await (await owner.open(page)).text(), /\/deliveries\/[^"]+\/replay.*\/deliveries\/[^"]+\/replay/s);
    const wrong = await send('recover', { since: 'yesterday' });
    assert.equal(wrong.status, 400);
    assert.match(await wrong.text(), /role="alert"/);

    const changed = { url: 'http://127.0.0.1:9/moved', description: 'moved', events: 'video.failed' };
    assert.equal((await send('edit', changed)).headers.get('Location'), page);
    const read = await app.get(`/v1/webhooks/${webhook.id}`, { key });
    const { url, description, events } = (await read.json()) as { url: string; description: string; events: string[] };
    assert.deepEqual({ url, description, events }, { ...changed, events: ['video.failed'] });
    const refused = await send('edit', { ...changed, url: 'ftp://127.0.0.1/' });
    assert.equal(refused.status, 400);
  });
});
