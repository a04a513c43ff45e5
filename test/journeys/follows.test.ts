import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { channels, lists } from '#test/simulator/collections.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { follower, lookAt } from '#test/support/follows.ts';
import { startReceiver } from '#test/support/receiver.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp({ environment: { OUTBOUND_ALLOW: '127.0.0.0/8', WEBHOOK_PORTS: '1-65535' } });
});
after(() => app[Symbol.asyncDispose]());

const somebody = async (options: Parameters<TestApp['createAccount']>[0] = {}) => {
  const account = await app.createAccount({ plan: 'pro', ...options });
  return { ...account, ...follower(app, account) };
};

describe('a follow', () => {
  it('reads what its channel publishes, charges it, and tells its receiver', async () => {
    await using receiver = await startReceiver();
    const { follow, count, read, answer, send } = await somebody();
    const made = await follow('@marketdays', { webhook_url: receiver.url });
    assert.deepEqual(made.source, { kind: 'channel', id: channels.market, title: 'Market Days' });
    assert.equal(made.status, 'active');
    const { videoId } = app.simulator.publish({ listId: channels.market, title: 'Soup & <bread>' });
    await lookAt(app, made);
    const [video] = await count(made.id, 1, 'complete');
    assert.equal(video?.video_id, videoId);
    assert.equal(video.title, 'Soup & <bread>');
    assert.equal(video.credits_charged, 1);
    assert.equal((await read(made.id)).credits_used, 1);
    await receiver.count(1);
    const [told] = receiver.received;
    assert.equal(told?.json.type, 'video.transcribed');
    assert.equal(told.json.data['video_id'], videoId);
    assert.ok(told.headers['webhook-signature']);
    const { results } = await answer<{ results: { transcript: { segments: unknown[] } }[] }>(
      200,
      send('GET', `/v1/jobs/${video.job_id}/results`),
    );
    assert.equal(results[0]?.transcript.segments.length, 8);
    const entry = await answer<{ type: string }>(200, send('GET', `/v1/ledger/${video.charge_id}`));
    assert.equal(entry.type, 'ReservationSettled');
  });

  it('of a playlist reads what is added to its end, and what was there of it as far as wanted', async () => {
    const { follow, count, videos } = await somebody();
    const made = await follow(lists.small, { backfill: 2 });
    await count(made.id, 2, 'complete');
    const { videoId } = app.simulator.publish({ listId: lists.small });
    await lookAt(app, made);
    const found = await count(made.id, 3, 'complete');
    assert.equal(found[0]?.video_id, videoId);
    await lookAt(app, made);
    assert.equal((await videos(made.id)).length, 3);
  });
});
