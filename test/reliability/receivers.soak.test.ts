import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { startReceiver } from '#test/support/receiver.ts';

let app: TestApp;

/** A receiver that answers nothing until it is let go; `most`: requests it held at the same time. */
const holdingReceiver = async () => {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  let held = 0;
  let most = 0;
  const receiver = await startReceiver(async () => {
    held += 1;
    most = Math.max(most, held);
    await promise;
    held -= 1;
    return { status: 204 };
  });
  return { ...receiver, letGo, most: () => most };
};

const register = async (key: string, url: string): Promise<string> => {
  const made = await app.post('/v1/webhooks', { url }, { key });
  assert.equal(made.status, 201, await made.clone().text());
  return ((await made.json()) as { webhook: { id: string } }).webhook.id;
};
const tell = async (key: string, webhookId: string, times: number): Promise<void> => {
  for (let n = 0; n < times; n += 1) {
    assert.equal((await app.post(`/v1/webhooks/${webhookId}/test`, {}, { key })).status, 202);
  }
};

describe('webhook receivers with faults', () => {
  before(async () => {
    app = await startTestApp({ environment: { OUTBOUND_ALLOW: '127.0.0.0/8', WEBHOOK_SCHEDULE: '0s,100ms,100ms' } });
  });
  after(() => app[Symbol.asyncDispose]());

  describe('a receiver whose name does not resolve', () => {
    it('is tried again by the schedule, each attempt with its reason', async () => {
      const { key } = await app.createAccount();
      const webhookId = await register(key, 'https://nobody-is-here.example.com/in');
      await tell(key, webhookId, 1);
      type DeliveryJson = { status: string; attempts: { reason: string | null }[] };
      let [delivery]: DeliveryJson[] = [];
      for (let looks = 0; looks < 400 && delivery?.status !== 'failed'; looks += 1) {
        const page = await app.get(`/v1/webhooks/${webhookId}/deliveries`, { key });
        [delivery] = ((await page.json()) as { deliveries: DeliveryJson[] }).deliveries;
        await pause(50);
      }
      assert.deepEqual(
        delivery?.attempts.map(({ reason }) => reason),
        ['dns_failed', 'dns_failed', 'dns_failed'],
      );
    });
  });

  describe('a receiver that is slow to answer', () => {
    it('delays neither other receivers nor other accounts, and gets everything in the end', async () => {
      await using slow = await holdingReceiver();
      await using alsoSlow = await holdingReceiver();
      await using quick = await startReceiver();
      await using foreign = await startReceiver();
      const [owner, other] = [await app.createAccount(), await app.createAccount()];
      await tell(owner.key, await register(owner.key, slow.url), 24);
      await slow.count(1);
      await tell(owner.key, await register(owner.key, quick.url), 3);
      await quick.count(3);
      await tell(owner.key, await register(owner.key, alsoSlow.url), 24);
      await alsoSlow.count(1);
      await tell(other.key, await register(other.key, foreign.url), 3);
      await foreign.count(3);

      assert.ok(slow.most() + alsoSlow.most() <= 8, 'an account holds half of all attempts at most');
      for (const { most } of [slow, alsoSlow]) assert.ok(most() <= 4, `${most()} at the same time`);
      slow.letGo();
      alsoSlow.letGo();
      await Promise.all([slow.count(24), alsoSlow.count(24)]);
      for (const { received } of [slow, alsoSlow]) {
        assert.equal(new Set(received.map(({ json }) => json.id)).size, 24);
        assert.equal(received.length, 24);
      }
    });
  });
});
