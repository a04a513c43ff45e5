import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  type Attempt,
  decide,
  decideDisabled,
  deliverWebhook,
  type SendWebhook,
} from '#src/webhooks/deliver-webhook.ts';
import * as delivery from '#src/webhooks/delivery.ts';
import { failDelivery } from '#src/webhooks/fail-delivery.ts';
import type { RunFacts } from '#src/webhooks/payload.ts';
import { manageWebhooks } from '#src/webhooks/register-webhook.ts';
import { replayDeliveries, requestDeliveries } from '#src/webhooks/request-delivery.ts';
import { secretMaker } from '#src/webhooks/signature.ts';
import * as webhook from '#src/webhooks/webhook.ts';
import { webhookStreams } from '#src/webhooks/webhook-streams.ts';
import { callOf } from '#test/support/jobs.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const startMs = Date.parse('2026-11-21T10:00:00.000Z');
const hourMs = 3_600_000;
const scheduleMs = [0, 5_000, 300_000, 1_800_000, 2, 5, 10, 14, 20, 24].map((delay, index) =>
  index < 4 ? delay : delay * hourMs,
);
const facts: RunFacts = {
  jobId: 'job_1',
  kind: 'batch',
  status: 'completed',
  run: 1,
  totalItems: 2,
  completedItems: 2,
  failedItems: 0,
  creditsCharged: 2,
  createdAt: '2026-11-21T09:00:00.000Z',
  updatedAt: '2026-11-21T10:00:00.000Z',
};
const delivered: Attempt = { kind: 'delivered', httpStatus: 204, durationMs: 12 };
const failedWith = (httpStatus: number, retryAfterMs: number | null = null): Attempt => ({
  kind: 'failed',
  why: 'http_status',
  httpStatus,
  retryAfterMs,
  durationMs: 9,
});

/** One account with webhooks over a log in memory; `answers` are what receivers answer, in order. */
const world = (answers: readonly Attempt[] = [], failed: readonly string[] = [], hasJobWithUrl = false) => {
  let nowMs = startMs;
  const clock = () => new Date(nowMs);
  const log = memoryEventLog({ clock });
  const streams = webhookStreams({ log, clock });
  const sent: Parameters<SendWebhook>[0][] = [];
  const left = [...answers];
  let failingSince: string | null = null;
  const make = secretMaker('a service key for tests, long enough');
  const secretOf = async (_: string, ownerId: string, generation: number) => make(ownerId, generation);
  const secrets = { find: secretOf, made: secretOf };
  return {
    log,
    streams,
    sent,
    pass: (ms: number) => {
      nowMs += ms;
    },
    failSince: (at: string) => {
      failingSince = at;
    },
    ...manageWebhooks({
      ...streams,
      secrets,
      maxWebhooks: 10,
      requireReachable: async (url) => new URL(url).href,
      hasJobWithUrl: async () => hasJobWithUrl,
    }),
    ...replayDeliveries({ ...streams, failedSince: async () => failed }),
    request: requestDeliveries(streams),
    deliver: deliverWebhook({
      ...streams,
      secrets,
      publicUrl: async () => 'https://steno.example',
      factsOf: async () => facts,
      failingSince: async () => failingSince,
      random: () => 0.5,
      scheduleMs,
      disableAfterMs: 5 * 24 * hourMs,
      send: async (request) => {
        sent.push(request);
        return left.shift() ?? delivered;
      },
    }),
    giveUp: failDelivery({ ...streams, onFault: () => {} }),
    deliveries: () => log.streamsWithPrefix('delivery-'),
    stateOf: async (stream: string) => streams.deliveries.read(stream),
  };
};

const occasion = {
  accountId: 'acc_1',
  kind: 'job.completed',
  causeId: '00000000-0000-5000-8000-000000000001',
  jobId: 'job_1',
  run: 1,
  ownUrl: null,
} as const;
const kinds = ['job.completed', 'job.failed'] as const;
const signal = new AbortController().signal;
const registered = { url: 'https://a.example/in', kinds, description: null } as const;
const turnOf = (deliveryId: string) => ({ deliveryId, expectedAttempt: null });
const idOf = (stream: string) => turnOf(stream.slice('delivery-'.length));
const only = (streams: readonly string[]): string => {
  assert.equal(streams.length, 1);
  return streams[0] ?? '';
};

/** `X-Service-Signature` as one secret makes it. */
const signatureOf = (secret: string, headers: Readonly<Record<string, string>>, body: string): string => {
  const t = headers['webhook-timestamp'] ?? '';
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`;
};

describe('deliveries of one event', () => {
  it('go to each URL once, also if it is both registered and named by the job', async () => {
    const { registerWebhook, request, deliveries, streams } = world();
    await registerWebhook(callOf('1'), registered);
    await registerWebhook(callOf('2'), { ...registered, url: 'https://b.example/in' });
    await request({ ...occasion, ownUrl: registered.url });
    await request({ ...occasion, ownUrl: registered.url });
    const found = await deliveries();
    assert.equal(found.length, 2);
    const ids = new Set<string | undefined>();
    for (const stream of found) {
      const { requested } = await streams.deliveries.read(stream);
      ids.add(requested?.eventId);
      assert.notEqual(requested?.webhookId, null);
    }
    assert.equal(ids.size, 1);
  });

  it('go only to active receivers that subscribed to this type of event', async () => {
    const { registerWebhook, editWebhook, request, deliveries } = world();
    await registerWebhook(callOf('1'), { ...registered, kinds: ['job.failed'] });
    const other = await registerWebhook(callOf('2'), { ...registered, url: 'https://b.example/' });
    const { webhookId } = other.webhook;
    await editWebhook(callOf('3'), { webhookId, changes: { isActive: false } });
    await request(occasion);
    assert.deepEqual(await deliveries(), []);
  });
});

const requested: delivery.DeliveryRequested['data'] = {
  deliveryId: 'dlv_1',
  accountId: 'acc_1',
  webhookId: null,
  url: 'https://a.example/in',
  eventId: 'evt_1',
  kind: 'job.completed',
  jobId: 'job_1',
  run: 1,
  replayOf: null,
  at: facts.updatedAt,
};
const state: delivery.State = { ...delivery.initialState(), requested };

describe('an attempt', () => {
  const recorded = (attempt: number, outcome: Attempt, before: Partial<delivery.State> = {}) => {
    const data = { attempt, outcome, jitter: 0.5 };
    const metadata = { now: new Date(startMs), scheduleMs };
    return decide({ type: 'RecordAttempt', data, metadata }, { ...state, ...before });
  };

  it('is recorded once, in order, while its delivery is pending', () => {
    assert.equal(recorded(2, delivered, { attempts: 1 }).length, 1);
    assert.deepEqual(recorded(1, delivered, { attempts: 1 }), []);
    assert.deepEqual(recorded(3, delivered, { attempts: 1 }), []);
    assert.deepEqual(recorded(1, delivered, { status: 'succeeded' }), []);
    assert.deepEqual(recorded(1, delivered, { status: 'failed' }), []);
    assert.deepEqual(recorded(1, delivered, { requested: null }), []);
  });

  it('is made by the task with the expected attempt number, not by an earlier task that runs again', async () => {
    const { request, deliver, giveUp, deliveries, sent, stateOf } = world([failedWith(500)]);
    await request({ ...occasion, ownUrl: 'https://job.example/in' });
    const stream = only(await deliveries());
    await deliver({ ...idOf(stream), expectedAttempt: 0 }, { signal });
    await deliver({ ...idOf(stream), expectedAttempt: 0 }, { signal });
    await giveUp({ ...idOf(stream), expectedAttempt: 0 }, new Error('its processes died'));
    const { status, attempts } = await stateOf(stream);
    assert.deepEqual([sent.length, status, attempts], [1, 'pending', 1]);
    await deliver({ ...idOf(stream), expectedAttempt: 1 }, { signal });
    assert.equal((await stateOf(stream)).status, 'succeeded');
  });

  it('is the last one if the receiver answers 410 Gone', () => {
    const [failed, over] = recorded(1, failedWith(410));
    assert.deepEqual([failed?.type, over?.type], ['DeliveryAttemptFailed', 'DeliveryGivenUp']);
    assert.equal(failed && 'retryAt' in failed.data ? failed.data.retryAt : '', null);
    assert.equal(over && 'why' in over.data ? over.data.why : '', 'gone');
  });

  it('exhausts the delivery if it is the last one of the schedule', () => {
    const [, over] = recorded(10, failedWith(500), { attempts: 9 });
    assert.equal(over && 'why' in over.data ? over.data.why : '', 'exhausted');
  });

  it('is not recorded if it was aborted: another one is made', async () => {
    const why = { why: 'connection_lost', httpStatus: null, retryAfterMs: null } as const;
    const brokenOff: Attempt = { kind: 'failed', ...why, durationMs: 9 };
    const { request, deliver, deliveries, stateOf } = world([brokenOff]);
    await request({ ...occasion, ownUrl: 'https://job.example/in' });
    const stream = only(await deliveries());
    const stopped = AbortSignal.abort(new Error('stopped'));
    await assert.rejects(deliver(idOf(stream), { signal: stopped }), /stopped/);
    assert.equal((await stateOf(stream)).attempts, 0);
    await deliver(idOf(stream), { signal });
    assert.equal((await stateOf(stream)).status, 'succeeded');
  });

  it('is recorded if it was answered although its worker is stopping: it is not sent again', async () => {
    const { request, deliver, deliveries, stateOf } = world();
    await request({ ...occasion, ownUrl: 'https://job.example/in' });
    const stream = only(await deliveries());
    await deliver(idOf(stream), { signal: AbortSignal.abort(new Error('stopped')) });
    assert.equal((await stateOf(stream)).status, 'succeeded');
  });

  it('is not made for a disabled receiver, and records nothing for a delivery that has ended', () => {
    const now = new Date(startMs);
    assert.deepEqual(
      decideDisabled(state, now).map(({ type }) => type),
      ['DeliveryGivenUp'],
    );
    assert.deepEqual(decideDisabled({ ...state, status: 'succeeded' }, now), []);
    assert.deepEqual(decideDisabled({ ...state, status: 'failed' }, now), []);
    assert.deepEqual(decideDisabled(delivery.initialState(), now), []);
  });

  it('has the time of the attempt in its signature, in seconds', async () => {
    const { request, deliver, deliveries, pass, sent } = world();
    pass(999);
    await request({ ...occasion, ownUrl: 'https://job.example/in' });
    await deliver(idOf(only(await deliveries())), { signal });
    assert.equal(sent[0]?.headers['webhook-timestamp'], String(startMs / 1_000));
  });

  it('disables no receiver if it succeeds, whatever failed before', async () => {
    const { registerWebhook, request, deliver, deliveries, failSince, streams } = world();
    const { webhook: made } = await registerWebhook(callOf('1'), registered);
    failSince('2026-01-01T00:00:00.000Z');
    await request(occasion);
    await deliver(idOf(only(await deliveries())), { signal });
    const account = await streams.webhooks.read(webhook.streamOf('acc_1'));
    assert.equal(account.webhooks.get(made.webhookId)?.isActive, true);
  });
});

describe('delivering a webhook', () => {
  it('keeps id and body across its attempts and succeeds on any 2xx', async () => {
    const failures = [failedWith(500), failedWith(500), failedWith(500)];
    const { registerWebhook, request, deliver, deliveries, sent, stateOf } = world(failures);
    await registerWebhook(callOf('1'), registered);
    await request(occasion);
    const stream = only(await deliveries());
    for (let tries = 0; tries < 6; tries += 1) await deliver(idOf(stream), { signal });
    assert.equal(sent.length, 4);
    assert.equal(new Set(sent.map(({ body }) => body)).size, 1);
    assert.equal(new Set(sent.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.deepEqual(await stateOf(stream).then(({ status, attempts }) => ({ status, attempts })), {
      status: 'succeeded',
      attempts: 4,
    });
    assert.deepEqual(JSON.parse(sent[0]?.body ?? ''), {
      id: sent[0]?.headers['webhook-id'],
      type: 'job.completed',
      timestamp: facts.updatedAt,
      api_version: '1.0.0',
      data: {
        job_id: 'job_1',
        kind: 'batch',
        status: 'completed',
        run: 1,
        total_items: 2,
        completed_items: 2,
        failed_items: 0,
        credits_charged: 2,
        created_at: facts.createdAt,
        updated_at: facts.updatedAt,
        results_url: 'https://steno.example/v1/jobs/job_1/results',
        receipts_url: 'https://steno.example/v1/receipts/job_1',
      },
    });
  });

  it('waits according to the schedule with a jitter of a tenth, and at least as long as Retry-After says', () => {
    const retryAtOf = (outcome: Attempt, jitter: number, attempt = 1) => {
      const data = { attempt, outcome, jitter };
      const metadata = { now: new Date(startMs), scheduleMs };
      const before = { ...state, attempts: attempt - 1 };
      const [first] = decide({ type: 'RecordAttempt', data, metadata }, before);
      assert.equal(first?.type, 'DeliveryAttemptFailed');
      return first.data.retryAt === null ? null : Date.parse(first.data.retryAt) - startMs;
    };
    assert.equal(retryAtOf(failedWith(500), 0), 4_500);
    assert.equal(retryAtOf(failedWith(500), 1), 5_500);
    assert.equal(retryAtOf(failedWith(429, 120_000), 0.5), 120_000);
    assert.equal(retryAtOf(failedWith(503, 90 * hourMs), 0.5), 24 * hourMs);
    assert.equal(retryAtOf(failedWith(500), 0.5, 9), 24 * hourMs);
    assert.equal(retryAtOf(failedWith(500), 0.5, 10), null);
  });

  it('gives up after the last attempt', async () => {
    const world_ = world(Array.from({ length: 10 }, () => failedWith(500)));
    await world_.registerWebhook(callOf('1'), registered);
    await world_.request(occasion);
    const stream = only(await world_.deliveries());
    for (let tries = 0; tries < 12; tries += 1) await world_.deliver(idOf(stream), { signal });
    assert.equal(world_.sent.length, 10);
    assert.equal((await world_.stateOf(stream)).status, 'failed');
  });

  it('is dead-lettered, and can be replayed, if the task throws at every attempt', async () => {
    const { registerWebhook, request, deliver, deliveries, giveUp, ...rest } = world([failedWith(500)]);
    const { webhook: made } = await registerWebhook(callOf('1'), registered);
    await request(occasion);
    const stream = only(await deliveries());
    await deliver(idOf(stream), { signal });
    const fault = new TypeError('it is poison');
    await giveUp(idOf(stream), fault);
    await giveUp(idOf(stream), fault);
    const [last, before] = (await rest.log.read(stream)).toReversed();
    assert.deepEqual(
      [before?.type, before?.data['attempt'], before?.data['why'], before?.data['retryAt']],
      ['DeliveryAttemptFailed', 2, 'internal_error', null],
    );
    assert.deepEqual([last?.type, last?.data['why']], ['DeliveryGivenUp', 'internal_error']);
    await deliver(idOf(stream), { signal });
    assert.equal(rest.sent.length, 1);

    const again = await rest.replayDelivery(callOf('2'), { ...made, ...idOf(stream) });
    await deliver(turnOf(again.deliveryId), { signal });
    assert.equal((await rest.stateOf(`delivery-${again.deliveryId}`)).status, 'succeeded');
    await assert.rejects(giveUp(turnOf('dlv_unknown'), fault), fault);
  });

  it('disables a receiver that answers 410, and delivers again once it is enabled', async () => {
    const { registerWebhook, request, deliver, deliveries, ...rest } = world([failedWith(410)]);
    const { webhook: made } = await registerWebhook(callOf('1'), registered);
    const { webhookId } = made;
    await request(occasion);
    const stream = only(await deliveries());
    await deliver(idOf(stream), { signal });
    const account = await rest.streams.webhooks.read(webhook.streamOf('acc_1'));
    assert.equal(account.webhooks.get(webhookId)?.disabledReason, 'gone');
    await assert.rejects(rest.replayDelivery(callOf('2'), { webhookId, ...idOf(stream) }), { code: 'INVALID_REQUEST' });
    await rest.editWebhook(callOf('3'), { webhookId, changes: { isActive: true } });
    const again = await rest.replayDelivery(callOf('4'), { webhookId, ...idOf(stream) });
    await deliver(turnOf(again.deliveryId), { signal });
    assert.equal(rest.sent[1]?.headers['webhook-id'], rest.sent[0]?.headers['webhook-id']);
    assert.equal((await rest.stateOf(`delivery-${again.deliveryId}`)).status, 'succeeded');
  });

  it('disables a receiver that has failed for five days, counted from when it was enabled', async () => {
    const answers = Array.from({ length: 5 }, () => failedWith(500));
    const { registerWebhook, editWebhook, streams, ...rest } = world(answers);
    const { webhook: made } = await registerWebhook(callOf('1'), registered);
    const { webhookId } = made;
    const isActive = async () =>
      (await streams.webhooks.read(webhook.streamOf('acc_1'))).webhooks.get(webhookId)?.isActive;
    await rest.request(occasion);
    const stream = only(await rest.deliveries());
    rest.failSince(new Date(startMs).toISOString());
    await rest.deliver(idOf(stream), { signal });
    assert.equal(await isActive(), true);
    rest.pass(5 * 24 * hourMs);
    await rest.deliver(idOf(stream), { signal });
    assert.equal(await isActive(), false);
    await editWebhook(callOf('2'), { webhookId, changes: { isActive: true } });
    await rest.deliver(idOf(stream), { signal });
    assert.equal(await isActive(), true);
  });

  it('is not sent to a receiver that was removed meanwhile', async () => {
    const { registerWebhook, removeWebhook, request, deliver, deliveries, ...rest } = world();
    const { webhook: made } = await registerWebhook(callOf('1'), registered);
    await request(occasion);
    await removeWebhook(callOf('2'), { webhookId: made.webhookId });
    const stream = only(await deliveries());
    await deliver(idOf(stream), { signal });
    assert.equal(rest.sent.length, 0);
    assert.equal((await rest.stateOf(stream)).status, 'failed');
  });

  it('signs deliveries to the URL of a job with the secret of the account, which no read changes', async () => {
    const { request, deliver, deliveries, signingSecret, sent, log } = world([], [], true);
    await request({ ...occasion, ownUrl: 'https://job.example/in' });
    await deliver(idOf(only(await deliveries())), { signal });
    const before = await log.readAll({ after: 0n, limit: 100 });
    const { secret, previousUntil } = await signingSecret(callOf('look'));
    assert.ok(secret !== null);
    assert.equal(previousUntil, null);
    const [{ headers, body } = assert.fail('nothing was sent')] = sent;
    assert.equal(headers['x-service-signature'], signatureOf(secret, headers, body));
    assert.deepEqual(await log.readAll({ after: 0n, limit: 100 }), before);
  });

  it('shows no secret of the account before its first webhook, and the signing secret afterwards', async () => {
    const { signingSecret, registerWebhook, removeWebhook } = world();
    const none = { secret: null, previousUntil: null };
    assert.deepEqual(await signingSecret(callOf('look')), none);
    const { webhook: made } = await registerWebhook(callOf('1'), registered);
    const shown = await signingSecret(callOf('look'));
    assert.notEqual(shown.secret, null);
    await removeWebhook(callOf('2'), { webhookId: made.webhookId });
    assert.deepEqual(await signingSecret(callOf('look')), shown);
  });

  it('signs with the first secret of the account beside the next one, for a day', async () => {
    const { request, deliver, deliveries, ...rest } = world([], [], true);
    const { secret: first } = await rest.signingSecret(callOf('look'));
    assert.ok(first !== null);
    const { secret: next } = await rest.rotateSigningSecret(callOf('rotate'));
    await request({ ...occasion, ownUrl: 'https://job.example/in' });
    await deliver(idOf(only(await deliveries())), { signal });
    const [{ headers, body } = assert.fail('nothing was sent')] = rest.sent;
    const [, ofFirst] = signatureOf(first, headers, body).split(',');
    assert.equal(headers['x-service-signature'], `${signatureOf(next, headers, body)},${ofFirst}`);
  });

  it('signs with the secret of the webhook at that URL, although the job named it', async () => {
    for (const change of [{ kinds: ['job.failed'] }, { isActive: false }] as const) {
      const { request, deliver, deliveries, sent, ...rest } = world();
      const { webhook: made, secret } = await rest.registerWebhook(callOf('1'), registered);
      await rest.editWebhook(callOf('2'), { webhookId: made.webhookId, changes: change });
      await request({ ...occasion, ownUrl: registered.url });
      await deliver(idOf(only(await deliveries())), { signal });
      const [{ headers, body } = assert.fail('nothing was sent')] = sent;
      assert.equal(headers['x-service-signature'], signatureOf(secret, headers, body));
    }
  });
});

describe('sending again', () => {
  it('creates a new delivery for each failed one, oldest first, to the current URL of the webhook', async () => {
    const failed: string[] = [];
    const { registerWebhook, editWebhook, request, deliver, deliveries, sent, ...rest } = world(
      [failedWith(410)],
      failed,
    );
    const { webhookId } = (await registerWebhook(callOf('1'), registered)).webhook;
    await request(occasion);
    await request({ ...occasion, causeId: '00000000-0000-5000-8000-000000000002' });
    for (const stream of await deliveries()) {
      await deliver(idOf(stream), { signal });
      failed.push(idOf(stream).deliveryId);
    }
    const url = 'https://moved.example/in';
    await editWebhook(callOf('2'), { webhookId, changes: { url, isActive: true } });
    const recovered = await rest.recoverDeliveries(callOf('3'), { webhookId, since: '' });
    assert.equal(recovered.deliveryIds.length, 2);
    const originals: (string | null | undefined)[] = [];
    for (const deliveryId of recovered.deliveryIds) {
      await deliver(turnOf(deliveryId), { signal });
      originals.push((await rest.stateOf(`delivery-${deliveryId}`)).requested?.replayOf);
    }
    assert.deepEqual(originals, failed);
    assert.deepEqual(
      sent.slice(1).map((one) => one.url),
      [url, url],
    );
  });

  it('finds only the deliveries of this webhook', async () => {
    const { registerWebhook, request, deliveries, replayDelivery } = world();
    await registerWebhook(callOf('1'), registered);
    await request(occasion);
    const other = await registerWebhook(callOf('2'), { ...registered, url: 'https://b.example/' });
    const { webhookId } = other.webhook;
    const replayed = replayDelivery(callOf('3'), { webhookId, ...idOf(only(await deliveries())) });
    await assert.rejects(replayed, { code: 'NOT_FOUND' });
  });
});

describe('managing webhooks', () => {
  // S77: signatures of webhooks
  it('shows a secret once and signs with both while a rotation overlaps', async () => {
    const { registerWebhook, rotateWebhookSecret, request, deliver, deliveries, ...rest } = world();
    const { webhook: made, secret } = await registerWebhook(callOf('1'), registered);
    assert.ok(!JSON.stringify(made).includes('whsec'));
    const { webhookId } = made;
    const rotated = await rotateWebhookSecret(callOf('2'), { webhookId });
    assert.notEqual(rotated.secret, secret);
    await request(occasion);
    await deliver(idOf(only(await deliveries())), { signal });
    assert.equal(rest.sent[0]?.headers['webhook-signature']?.split(' ').length, 2);
    rest.pass(24 * hourMs);
    const { deliveryId } = await rest.testWebhook(callOf('3'), { webhookId });
    await deliver(turnOf(deliveryId), { signal });
    assert.equal(rest.sent[1]?.headers['webhook-signature']?.split(' ').length, 1);
    assert.equal(JSON.parse(rest.sent[1]?.body ?? '').test, true);
  });

  it('allows any number of changes of URL, description and state', async () => {
    const { registerWebhook, editWebhook, streams } = world();
    const { webhookId } = (await registerWebhook(callOf('1'), registered)).webhook;
    for (const turn of [1, 2, 3]) {
      const changes = { url: `https://${turn}.example/in`, description: `the ${turn}. place`, isActive: turn !== 2 };
      await editWebhook(callOf(`edit ${turn}`), { webhookId, changes });
    }
    const account = await streams.webhooks.read(webhook.streamOf('acc_1'));
    const { url, description, isActive } = account.webhooks.get(webhookId) ?? {};
    assert.deepEqual(
      { url, description, isActive },
      { url: 'https://3.example/in', description: 'the 3. place', isActive: true },
    );
  });

  it('allows at most ten webhooks, each URL once, and each operation once', async () => {
    const { registerWebhook } = world();
    const first = await registerWebhook(callOf('0'), registered);
    assert.deepEqual(await registerWebhook(callOf('0'), registered), first);
    await assert.rejects(registerWebhook(callOf('1'), registered), { code: 'INVALID_REQUEST' });
    for (let count = 1; count < 10; count += 1) {
      await registerWebhook(callOf(`${count}`), { ...registered, url: `https://${count}.example/` });
    }
    await assert.rejects(registerWebhook(callOf('10'), { ...registered, url: 'https://10.example/' }), {
      code: 'INVALID_REQUEST',
    });
  });

  // S78: deliveries of another account
  it('finds nothing that belongs to another account', async () => {
    const { registerWebhook, editWebhook, removeWebhook, request, deliveries, ...rest } = world();
    const { webhook: made } = await registerWebhook(callOf('1'), registered);
    const { webhookId } = made;
    await request(occasion);
    const stream = only(await deliveries());
    const stranger = callOf('2', 'acc_2');
    const unknown = { code: 'WEBHOOK_NOT_FOUND' };
    await assert.rejects(editWebhook(stranger, { webhookId, changes: {} }), unknown);
    await assert.rejects(removeWebhook(stranger, { webhookId }), unknown);
    await assert.rejects(rest.replayDelivery(stranger, { webhookId, ...idOf(stream) }), unknown);
    const own = await registerWebhook(stranger, { ...registered, url: 'https://own.example/' });
    await assert.rejects(rest.replayDelivery(stranger, { webhookId: own.webhook.webhookId, ...idOf(stream) }), {
      code: 'NOT_FOUND',
    });
  });

  it('keeps no secret in any event', async () => {
    const { registerWebhook, rotateWebhookSecret, rotateSigningSecret, log } = world();
    const { webhook: made } = await registerWebhook(callOf('1'), registered);
    await rotateWebhookSecret(callOf('2'), made);
    await rotateSigningSecret(callOf('3'));
    const { events } = await log.readAll({ after: 0n, limit: 100 });
    assert.ok(!events.some((event) => JSON.stringify(event.data).includes('whsec')));
  });
});
