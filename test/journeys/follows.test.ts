import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemCall } from '#src/app/open-core.ts';
import { createFollow } from '#src/contract/follows.ts';
import { followWanted } from '#src/edges/http/middleware/follow-answers.ts';
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
  it('reads and charges the videos that its channel publishes, and notifies its receiver', async () => {
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
    assert.equal(told.json.data['receipts_url'], `${app.url}/v1/receipts/${video?.charge_id}`);
    assert.ok(told.headers['webhook-signature']);
    type Results = { results: { transcript: { segments: unknown[] } }[] };
    const { results } = await answer<Results>(200, send('GET', `/v1/jobs/${video?.job_id}/results`));
    assert.equal(results[0]?.transcript.segments.length, 8);
    const entry = await answer<{ type: string }>(200, send('GET', `/v1/ledger/${video?.charge_id}`));
    assert.equal(entry.type, 'ReservationSettled');
    const { body } = await send('GET', `/v1/follows/${made.id}/events`);
    assert.ok(body);
    let events = '';
    // The stream goes on after the events so far.
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      events += piece;
      if (events.includes('"status":"complete"')) break;
    }
    assert.deepEqual(
      [...events.matchAll(/"status":"(\w+)"/g)].map(([, status]) => status),
      ['active', 'waiting', 'queued', 'complete'],
    );
  });

  it('of a playlist reads what is added to its end, and as many earlier videos as requested', async () => {
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

  it('does not mistake an old video that moves into the feed for a new one', async () => {
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

  it('uses the list if the feed is unavailable, huge, truncated or has entities', async () => {
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
    const { follow, videos } = await somebody();
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
    // The task of the next try is added after a video is shown as put off: each of these looks hurries what is there.
    const hurried = async () => {
      await app.core.pool.query(
        "UPDATE graphile_worker._private_jobs SET run_at = now() WHERE payload ->> 'followId' = $1 AND locked_by IS NULL",
        [made.id],
      );
      return await videos(made.id);
    };
    const read = await until(hurried, (all) => all.filter(({ status }) => status === 'complete').length === 2);
    assert.ok(read.every(({ credits_charged, status }) => credits_charged === (status === 'complete' ? 1 : 0)));
  });

  it('notifies of changed captions, of the kind that it reads, by the hashes that receipts have', async () => {
    await using receiver = await startReceiver();
    const { follow, answer, send } = await somebody();
    const made = await follow(lists.oldShape, { captions: 'automatic', webhook_url: receiver.url });
    const published = app.simulator.publish({ listId: lists.oldShape, videoId: samples.prose });
    await lookAt(app, made);
    await receiver.count(1);
    const { charge_id, content_hash } = receiver.received[0]?.json.data ?? {};
    const [jws = ''] = (await answer<{ receipts: string[] }>(200, send('GET', `/v1/receipts/${charge_id}`))).receipts;
    const receipt = JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString());
    assert.equal(content_hash, receipt.content_sha256);

    const recheck = () =>
      app.core.work.recheckCaptions(
        { followId: made.id, videoId: samples.prose, since: new Date().toISOString() },
        { signal: AbortSignal.timeout(60_000) },
      );
    await recheck();
    const tracks = published.tracks.map((track) =>
      track.kind === 'asr' ? { ...track, lines: track.lines.slice(1) } : track,
    );
    app.simulator.setVideo({ ...published, tracks });
    await recheck();
    app.simulator.setVideo(published);
    await receiver.count(2);
    const { type, data } = receiver.received[1]?.json ?? {};
    assert.deepEqual([type, data?.['previous_content_hash']], ['captions.changed', content_hash]);
  });

  it('fails an announcement whose event the log does not have, so that the queue tries again', async () => {
    const eventId = 'evt_0';
    const announced = app.core.work.announceEvent({ eventId }, { signal: AbortSignal.timeout(60_000) });
    await assert.rejects(announced, { message: `${eventId} is not in the log` });
  });

  it('waits above its budget, and continues with a higher one', async () => {
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

  it('finds nothing while it is paused, and finds the videos published meanwhile when it resumes', async () => {
    const { follow, videos, count, answer, send } = await somebody();
    const made = await follow(lists.oldShape);
    await answer(200, send('POST', `/v1/follows/${made.id}/pause`));
    const { videoId } = app.simulator.publish({ listId: lists.oldShape });
    await lookAt(app, made);
    assert.deepEqual(await videos(made.id), []);
    await answer(200, send('POST', `/v1/follows/${made.id}/resume`));
    await lookAt(app, made);
    assert.equal((await count(made.id, 1, 'complete'))[0]?.video_id, videoId);
  });

  it('pauses when the key that created it is revoked, and when the platform refuses its source for long', async () => {
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

  it('of an application spends its budget, notifies the owner, and pauses when its authorization ends', async () => {
    await using receiver = await startReceiver();
    const { accountId, read, count, answer, send } = await somebody();
    const events = ['budget.warning', 'budget.exhausted', 'follow.paused'];
    await answer(201, send('POST', '/v1/webhooks', { url: receiver.url, events }));
    const { commands, queries } = app.core;
    const budget = { creditsPerDay: 2, creditsTotal: 10 };
    const authorizationId = await commands.grantAuthorization(systemCall(accountId), {
      ...{ clientId: 'https://agent.example/client.json', clientName: 'Example agent', scopes: ['jobs'] },
      ...{ ...budget, expiresAt: '2099-01-01T00:00:00.000Z' },
    });
    const actor = { type: 'authorization', id: authorizationId } as const;
    const call = { ...systemCall(accountId), actor, authorizationId, budget };
    const wanted = createFollow.body.parse({ source: channels.harbour, max_credits_per_period: 50 });
    const { followId } = await commands.startFollow(call, followWanted(wanted));
    for (let number = 0; number < 3; number += 1) app.simulator.publish({ listId: channels.harbour });
    await lookAt(app, await read(followId));
    await count(followId, 2, 'complete');
    const waiting = await until(
      () => read(followId),
      ({ status }) => status === 'waiting',
    );
    assert.equal(waiting.waiting_for, 'grant_budget');
    const [grant] = await queries.grants(accountId);
    assert.deepEqual([grant?.creditsUsed, grant?.creditsUsedToday], [2, 2]);
    await receiver.count(4);
    await commands.endAuthorization(systemCall(accountId), { authorizationId });
    await receiver.count(5);
    const told = receiver.received.map(({ json: { type, data } }) => [
      type,
      data['grant_id'],
      data['share'] ?? data['reason'],
    ]);
    const expected = [50, 80, 95].map((share) => ['budget.warning', authorizationId, share]);
    assert.deepEqual(
      new Set(told.map((one) => JSON.stringify(one))),
      new Set(
        [...expected, ['budget.exhausted', authorizationId, 100], ['follow.paused', undefined, 'grant_ended']].map(
          (one) => JSON.stringify(one),
        ),
      ),
    );
  });

  it('is checked once, by one request, for a source that many follow', async () => {
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
