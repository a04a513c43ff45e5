import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfig } from '#src/config.ts';
import { testSecret } from '#test/support/app.ts';
import { message, receiver, senderOf } from '#test/support/webhook-receivers.ts';

describe('sending a webhook', () => {
  it('waits 15 s by default: a response after 14 s is a success, one after 16 s comes too late', async () => {
    const { timeoutMs } = loadConfig({ SECRET_KEY: testSecret }).webhooks;
    const answeringAfter = (ms: number) =>
      receiver((_, response) => {
        setTimeout(() => response.writeHead(200).end(), ms);
      });
    await using inTime = await answeringAfter(14_000);
    await using late = await answeringAfter(16_000);
    const send = senderOf({ timeoutMs });
    const [taken, missed] = await Promise.all([
      send({ url: inTime.url, ...message }),
      send({ url: late.url, ...message }),
    ]);
    assert.equal(taken.kind, 'delivered');
    assert.ok(missed.kind === 'failed');
    assert.deepEqual([missed.why, missed.httpStatus], ['timeout', null]);
  });
});
