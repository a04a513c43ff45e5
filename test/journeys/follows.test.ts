import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemCall } from '#src/app/open-core.ts';
import { channels, lists } from '#test/simulator/collections.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { follower, lookAt, until } from '#test/support/follows.ts';
import { startReceiver } from '#test/support/receiver.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp({
    environment: { OUTBOUND_ALLOW: '127.0.0.0/8', WEBHOOK_PORTS: '1-65535', LISTINGS_PER_MINUTE: '1000' },
  });
});
after(() => app[Symbol.asyncDispose]());

const somebody = async (options: Parameters<TestApp['createAccount']>[0] = {}) => {
  const account = await app.createAccount({ plan: 'pro', ...options });
  return { ...account, ...follower(app, account) };
};

const entities = '<!DOCTYPE feed [<!ENTITY a "aaaa">]><feed xmlns="http://www.w3.org/2005/Atom"></feed>';

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
    assert.deepEqual([video?.video_id, video?.title, video?.credits_charged], [videoId, 'Soup & <bread>', 1]);
    assert.equal((await read(made.id)).credits_used, 1);
    await receiver.count(1);
    const [told] = receiver.received;
    assert.equal(told?.json.type, 'video.transcribed');
    assert.equal(told.json.data['video_id'], videoId);
    assert.ok(told.headers['webhook-signature']);
    type Results = { results: { transcript: { segments: unknown[] } }[] };
    const { results } = await answer<Results>(200, send('GET', `/v1/jobs/${video?.job_id}/results`));
    assert.equal(results[0]?.transcript.segments.length, 8);
    const entry = await answer<{ type: string }>(200, send('GET', `/v1/ledger/${video?.charge_id}`));
    assert.equal(entry.type, 'ReservationSettled');
    const events = await (await send('GET', `/v1/follows/${made.id}/events`)).text();
    assert.deepEqual(
      [...events.matchAll(/"status":"(\w+)"/g)].map(([, status]) => status),
      ['active', 'waiting', 'queued', 'complete'],
    );
  });

  it('of a playlist reads what is added to its end, and what was there of it as far as wanted', async () => {
    const { follow, count, videos } = await somebody();
    const made = await follow(lists.small, { backfill: 2 });
    await count(made.id, 2, 'complete');
    const { videoId } = app.simulator.publish({ listId: lists.small });
    await lookAt(app, made);
    assert.equal((await count(made.id, 3, 'complete'))[0]?.video_id, videoId);
    app.simulator.remove(lists.small, videoId);
    await lookAt(app, made);
    app.simulator.publish({ listId: lists.small, videoId });
    await lookAt(app, made);
    assert.equal((await videos(made.id)).length, 3);
  });

  it('does not take an old video for a new one that moves into the feed', async () => {
    const { follow, videos, count } = await somebody();
    const made = await follow(channels.big);
    for (const gone of [10_001, 10_002, 10_003]) app.simulator.remove(channels.big, `vid-00${gone}`);
    await lookAt(app, made);
    assert.deepEqual(await videos(made.id), []);
    const published = Array.from({ length: 20 }, () => app.simulator.publish({ listId: channels.big }).videoId);
    await lookAt(app, made);
    const found = await count(made.id, 20, 'complete', 'queued', 'waiting', 'processing');
    assert.deepEqual(found.map(({ video_id }) => video_id).toSorted(), published.toSorted());
  });

  it('goes by the list where the feed is away, huge, cut or has entities', async () => {
    const { follow, count } = await somebody();
    const made = await follow(channels.oldShape);
    const away = [
      { kind: 'status', status: 404 },
      { kind: 'huge' },
      { kind: 'truncated', bytes: 700 },
      { kind: 'status', status: 200, body: entities },
    ] as const;
    for (const [index, does] of away.entries()) {
      app.simulator.plan({ endpoint: 'feed', does });
      app.simulator.publish({ listId: channels.oldShape });
      await lookAt(app, made);
      await count(made.id, index + 1, 'waiting', 'queued', 'processing', 'complete');
    }
  });

  it('waits for a premiere, and for captions, and reads both once', async () => {
    const { follow, count, videos } = await somebody();
    const made = await follow(lists.empty);
    const premiere = app.simulator.publish({ listId: lists.empty, state: 'upcoming' });
    const silent = app.simulator.publish({ listId: lists.empty, hasCaptions: false });
    const { videoId: gone } = app.simulator.publish({ listId: lists.empty, videoId: samples.private });
    await lookAt(app, made);
    const waiting = (all: Awaited<ReturnType<typeof videos>>) =>
      all.filter(({ status, due_at }) => status === 'waiting' && due_at !== null);
    await until(
      () => videos(made.id),
      (all) =>
        waiting(all).length === 2 && all.some(({ video_id, status }) => video_id === gone && status === 'failed'),
    );
    const [{ tracks } = { tracks: [] }] = [app.simulator.publish({ listId: lists.mixed })];
    app.simulator.setVideo({ ...premiere, state: 'ok' });
    app.simulator.setVideo({ ...silent, tracks });
    await app.core.pool.query(
      "UPDATE graphile_worker._private_jobs SET run_at = now() WHERE payload ->> 'followId' = $1",
      [made.id],
    );
    const read = await count(made.id, 2, 'complete');
    assert.ok(read.every(({ credits_charged, status }) => credits_charged === (status === 'complete' ? 1 : 0)));
  });

  it('waits above its budget, and goes on with a higher one', async () => {
    const { follow, count, read, answer, send } = await somebody();
    const made = await follow(lists.uselessLast, { max_credits_per_period: 1 });
    for (let number = 0; number < 3; number += 1) app.simulator.publish({ listId: lists.uselessLast });
    await lookAt(app, made);
    await count(made.id, 1, 'complete');
    const waiting = await until(
      () => read(made.id),
      ({ status }) => status === 'waiting',
    );
    assert.deepEqual([waiting.waiting_for, waiting.credits_used], ['budget', 1]);
    await answer(200, send('PATCH', `/v1/follows/${made.id}`, { max_credits_per_period: 3 }));
    await count(made.id, 3, 'complete');
    assert.deepEqual([(await read(made.id)).status, (await read(made.id)).credits_used], ['active', 3]);
  });

  it('waits for credits of its account', async () => {
    const { follow, read } = await somebody({ plan: 'free', credits: 0 });
    const made = await follow(channels.empty);
    app.simulator.publish({ listId: channels.empty });
    await lookAt(app, made);
    const waiting = await until(
      () => read(made.id),
      ({ status }) => status === 'waiting',
    );
    assert.deepEqual([waiting.waiting_for, waiting.credits_used], ['credits', 0]);
  });

  it('finds nothing while it is paused, and what appeared meanwhile when it goes on', async () => {
    const { follow, videos, count, answer, send } = await somebody();
    const made = await follow(lists.oldShape);
    await answer(200, send('POST', `/v1/follows/${made.id}/pause`));
    const { videoId } = app.simulator.publish({ listId: lists.oldShape });
    await lookAt(app, made);
    assert.deepEqual(await videos(made.id), []);
    await answer(200, send('POST', `/v1/follows/${made.id}/resume`));
    await app.core.work.tellFollows({ source: `playlist:${lists.oldShape}` });
    assert.equal((await count(made.id, 1, 'complete'))[0]?.video_id, videoId);
  });

  it('pauses when the key is revoked that made it, and when the platform refuses its source for long', async () => {
    await using receiver = await startReceiver();
    const { accountId, follow } = await somebody();
    const other = follower(app, await app.createAccount({ plan: 'pro' }));
    const [own] = await app.core.queries.keys(accountId);
    const mine = await follow(lists.threePages, { webhook_url: receiver.url });
    const theirs = await other.follow(lists.threePages);
    await app.core.commands.revokeKey(systemCall(accountId), { keyId: own?.keyId ?? '' });
    await receiver.count(1);
    assert.deepEqual(receiver.received[0]?.json.data, { follow_id: mine.id, reason: 'key_revoked' });
    await app.core.pool.query("UPDATE followed_sources SET refused_since = now() - interval '73 hours'");
    app.simulator.plan({ endpoint: 'browse', does: { kind: 'status', status: 404, body: notFound } });
    await lookAt(app, theirs);
    const paused = await other.read(theirs.id);
    assert.deepEqual([paused.status, paused.reason], ['paused', 'source_gone']);
  });

  it('is told once for a source that many follow, and by one request', async () => {
    const many = await Promise.all(Array.from({ length: 12 }, () => somebody()));
    const follows: Awaited<ReturnType<(typeof many)[number]['follow']>>[] = [];
    app.simulator.reset();
    for (const one of many) follows.push(await one.follow(channels.ageGated));
    const browsed = app.simulator.requests.filter(
      ({ endpoint }) => endpoint === 'browse' || endpoint === 'resolve_url',
    );
    assert.ok(browsed.length <= 4, `${browsed.length} requests for the first look`);
    app.simulator.reset();
    app.simulator.publish({ listId: channels.ageGated });
    const [first] = follows;
    assert.ok(first !== undefined);
    await lookAt(app, first);
    await Promise.all(many.map((one, index) => one.count(follows[index]?.id ?? '', 1, 'complete')));
    const asked = Map.groupBy(app.simulator.requests, ({ endpoint }) => endpoint);
    assert.equal(asked.get('feed')?.length, 1);
    assert.equal(asked.get('timedtext')?.length, 1);
  });
});

const notFound = JSON.stringify({
  error: { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' },
});
