import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook as SvixWebhook } from 'svix';
import { cancelledAmong } from '#projections/job-rows.ts';
import { operatorActionsOn } from '#src/app/operator-actions.ts';
import type { JobRow } from '#src/queries.ts';
import { channels, lists } from '#test/simulator/collections.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { type JobMessage, jobOf, messagesOf, over, type ShownJob } from '#test/support/job-watch.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { jsonIn, type UsageJson } from '#test/support/response-json.ts';

const videos = (count: number, first = 0): string[] =>
  Array.from({ length: count }, (_, index) => generatedId('vid', first + index));

const unstopped = new AbortController().signal;

let app: TestApp;

const create = async (key: string, body: unknown, path = '/v1/jobs') => {
  const answer = await app.post(path, body, { key });
  const json = (await answer.json()) as Record<string, never>;
  return { answer, json, jobId: String(json['job_id']) };
};
const creditsOf = async (key: string) => {
  const usage = (await (await app.get('/v1/usage', { key })).json()) as Record<string, unknown>;
  return { remaining: usage['credits_remaining'], reserved: usage['credits_reserved'] };
};
const codeOf = async (answer: Response): Promise<string> =>
  ((await answer.json()) as { error: { code: string } }).error.code;
const allOf = async (messages: AsyncIterable<JobMessage>): Promise<readonly JobMessage[]> => {
  const all: JobMessage[] = [];
  for await (const message of messages) all.push(message);
  return all;
};
/** What a job reserved comes back right after its end. */
const settled = async (key: string) => {
  for (let looks = 0; looks < 1_200; looks += 1) {
    const credits = await creditsOf(key);
    if (credits.reserved === 0) return credits;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return await creditsOf(key);
};

describe('jobs, lists and webhooks over HTTP', () => {
  before(async () => {
    app = await startTestApp({
      environment: { OUTBOUND_ALLOW: '127.0.0.0/8', WEBHOOK_SCHEDULE: '0s,100ms,100ms,100ms' },
    });
  });
  after(() => app[Symbol.asyncDispose]());

  describe('a process that has just started', () => {
    it('accepts several jobs before anything else', async () => {
      assert.deepEqual(await cancelledAmong(app.core.sql, ['job_1', 'job_2']), []);
    });
  });

  describe('a job', () => {
    it('reads what it can, fails the rest, charges each success once and releases the rest', async () => {
      const { key } = await app.createAccount({ credits: 100 });
      const ids = [...videos(3), generatedId('prv', 1), generatedId('del', 1), 'no video'];
      const { answer, json, jobId } = await create(key, { ids, urls: [videos(1)[0]] });
      assert.equal(answer.status, 202);
      assert.deepEqual(Object.keys(json).sort(), ['job_id', 'status', 'total_items']);
      assert.deepEqual([json['status'], json['total_items']], ['queued', 6]);
      assert.equal(answer.headers.get('x-credits-reserved'), '5');
      assert.equal(answer.headers.get('x-credits-charged'), '0');

      const job = await over(app, key, jobId);
      assert.equal(job.status, 'completed_with_errors');
      assert.deepEqual([job.completed_items, job.failed_items], [3, 3]);
      assert.deepEqual(
        job.items.map(({ status, error_code }) => error_code ?? status),
        ['complete', 'complete', 'complete', 'VIDEO_UNAVAILABLE', 'VIDEO_NOT_FOUND', 'INVALID_VIDEO_ID'],
      );
      assert.deepEqual(await settled(key), { remaining: 97, reserved: 0 });
      const { credits_charged, credits_reserved } = await jobOf(app, key, jobId);
      assert.deepEqual([credits_charged, credits_reserved], [3, 0]);

      const results = (await (await app.get(`/v1/jobs/${jobId}/results`, { key })).json()) as {
        results: {
          status: string;
          credits_charged: number;
          charge_id: string | null;
          reference: string;
          error_details: { reason?: string } | null;
          transcript: { segments: unknown[] } | null;
        }[];
      };
      assert.equal(results.results.length, 6);
      for (const result of results.results) {
        const isComplete = result.status === 'complete';
        assert.equal(result.credits_charged, isComplete ? 1 : 0);
        assert.equal(result.charge_id !== null, isComplete);
        assert.equal((result.transcript?.segments.length ?? 0) > 0, isComplete);
        assert.ok(ids.includes(result.reference));
      }
      const reasons = results.results.flatMap(({ error_details }) => error_details?.reason ?? []);
      assert.deepEqual(reasons.sort(), ['malformed', 'not_found_or_deleted', 'private']);
      const items = await app.core.queries.detailedJobItems(jobId, ids.length);
      assert.deepEqual(items.flatMap(({ errorDetails }) => errorDetails?.['reason'] ?? []).sort(), reasons);
      const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key }));
      assert.equal(usage.failed, 3);
    });

    it('shows results page by page, each item once', async () => {
      const { key } = await app.createAccount();
      const { jobId } = await create(key, { ids: videos(7) });
      await over(app, key, jobId);
      const seen: string[] = [];
      let cursor = '';
      do {
        const page = (await (await app.get(`/v1/jobs/${jobId}/results?limit=3${cursor}`, { key })).json()) as {
          results: { item_id: string }[];
          next_cursor: string | null;
        };
        seen.push(...page.results.map(({ item_id }) => item_id));
        cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
      } while (cursor !== '');
      assert.equal(new Set(seen).size, 7);
      assert.equal(seen.length, 7);
    });

    it('returns all results at once without a page, however many there are', async () => {
      const { key } = await app.createAccount({ credits: 300 });
      const { jobId } = await create(key, { ids: videos(230, 1_000) });
      await over(app, key, jobId);
      const answer = await app.get(`/v1/jobs/${jobId}/results`, { key });
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
      const all = (await answer.json()) as {
        completed_items: number;
        results: { item_id: string; transcript: { segments: unknown[] } | null }[];
        next_cursor: string | null;
      };
      assert.equal(all.completed_items, 230);
      assert.equal(all.next_cursor, null);
      assert.equal(new Set(all.results.map(({ item_id }) => item_id)).size, 230);
      assert.ok(all.results.every(({ transcript }) => (transcript?.segments.length ?? 0) > 0));

      const page = (await (await app.get(`/v1/jobs/${jobId}/results?limit=100`, { key })).json()) as typeof all;
      assert.deepEqual(page.results, all.results.slice(0, 100));
      const rest = (await (
        await app.get(`/v1/jobs/${jobId}/results?cursor=${page.next_cursor}`, { key })
      ).json()) as typeof all;
      assert.deepEqual(rest.results, all.results.slice(100, 200));
    });

    it('streams every event once, also after a reconnection with Last-Event-ID', async () => {
      const { key } = await app.createAccount();
      const { jobId } = await create(key, { ids: videos(4, 50) });
      await over(app, key, jobId);
      const all: string[] = [];
      for await (const { id } of messagesOf(app, key, jobId)) all.push(id);
      assert.deepEqual(
        all,
        [...new Set(all)].sort((a, b) => Number(a) - Number(b)),
      );
      const from = all[3] ?? '';
      const rest: string[] = [];
      for await (const { id } of messagesOf(app, key, jobId, from)) rest.push(id);
      assert.deepEqual(rest, all.slice(4));
      const end = await app.get(`/v1/jobs/${jobId}/events`, { key, headers: { 'Last-Event-ID': all.at(-1) ?? '' } });
      assert.equal(end.status, 204);
    });

    it('is watched by an operator from its first state to its last', async () => {
      const { key } = await app.createAccount();
      const { watchJob } = operatorActionsOn(app.core);
      const { jobId } = await create(key, { ids: videos(30) });
      const seen: JobRow[] = [];
      for await (const job of watchJob({ jobId }, { signal: unstopped })) seen.push(job);
      assert.deepEqual([seen.at(-1)?.status, seen.at(-1)?.completedItems], ['completed', 30]);
      assert.equal(new Set(seen.map((job) => JSON.stringify(job))).size, seen.length);
      const unknown = watchJob({ jobId: 'job_none' }, { signal: unstopped });
      await assert.rejects(unknown[Symbol.asyncIterator]().next(), { code: 'JOB_NOT_FOUND' });
    });

    it('is 503 instead of 404 while the read model lags, and then shown', async () => {
      const { key } = await app.createAccount();
      let isHeld = true;
      const held = app.core.sql.begin(async (transaction) => {
        await transaction`LOCK TABLE jobs IN EXCLUSIVE MODE`;
        while (isHeld) await pause(20);
      });
      const { jobId } = await create(key, { ids: videos(1) });
      const early = await app.get(`/v1/jobs/${jobId}`, { key });
      assert.equal(early.status, 503);
      assert.equal(await codeOf(early), 'SERVICE_UNAVAILABLE');
      assert.equal(early.headers.get('retry-after'), '1');
      isHeld = false;
      await held;
      assert.equal((await over(app, key, jobId)).status, 'completed');
    });

    it('is cancelled at once: open items end, completed items stay, no credits remain reserved', async () => {
      const { key } = await app.createAccount({ credits: 500 });
      app.simulator.plan({ endpoint: 'reel', times: 400, does: { kind: 'delay', ms: 400 } });
      const { jobId } = await create(key, { ids: videos(300, 1_000) });
      const begun = await jobOf(app, key, jobId);
      assert.ok(begun.credits_reserved > 0 && begun.credits_charged + begun.credits_reserved <= 300);
      const [watchedAt, watching] = [performance.now(), allOf(messagesOf(app, key, jobId))];
      const answer = await app.post(`/v1/jobs/${jobId}/cancel`, {}, { key });
      app.simulator.reset();
      assert.equal(answer.status, 200);
      const job = (await answer.json()) as ShownJob;
      assert.equal(job.status, 'cancelled');
      assert.ok(job.items.every(({ status }) => ['cancelled', 'complete'].includes(status)));
      const again = await app.post(`/v1/jobs/${jobId}/cancel`, {}, { key });
      assert.equal(again.status, 200);
      // Whoever watches hears of every item, and then no more is to be heard: the stream does not last its 25 s.
      const told = await watching;
      assert.ok(performance.now() - watchedAt < 20_000);
      assert.equal(told.findLast(({ event }) => event === 'job')?.data['status'], 'cancelled');
      const ended = told.filter(({ data }) => data['status'] === 'cancelled' && 'item_ids' in data);
      const cancelled = ended.flatMap(({ data }) => data['item_ids']);
      const after = { 'Last-Event-ID': told.at(-1)?.id ?? '' };
      const rest = await app.get(`/v1/jobs/${jobId}/events`, { key, headers: after });
      assert.equal(rest.status, 204);

      const { remaining, reserved } = await settled(key);
      const now = await jobOf(app, key, jobId);
      assert.equal(new Set(cancelled).size, 300 - now.completed_items);
      assert.deepEqual({ remaining, reserved }, { remaining: 500 - now.completed_items, reserved: 0 });
    });

    it('shows no transcript of an item whose reservation was released before its charge', async () => {
      const { key } = await app.createAccount({ credits: 10 });
      const { jobId } = await create(key, { ids: videos(1) });
      await over(app, key, jobId);
      const { jobResults, resultTranscript } = app.core.queries;
      const [item] = await jobResults(jobId, { limit: 1, after: null, afterItem: null });
      assert.ok(item);
      assert.notEqual(await resultTranscript(item, unstopped), null);
      assert.equal(await resultTranscript({ ...item, chargeId: null }, unstopped), null);
    });

    it('is retried for its failed items only', async () => {
      const { key } = await app.createAccount({ credits: 10 });
      const ids = [videos(1)[0], generatedId('prv', 7), generatedId('ncp', 7)];
      const { jobId } = await create(key, { ids });
      await over(app, key, jobId);
      await settled(key);
      const answer = await app.post(`/v1/jobs/${jobId}/retry`, {}, { key });
      const retried = (await answer.json()) as ShownJob;
      assert.equal(answer.status, 200);
      const { run, status, completed_items, failed_items } = retried;
      assert.deepEqual([run, status, completed_items, failed_items], [2, 'queued', 1, 0]);
      const job = await over(app, key, jobId);
      assert.deepEqual([job.status, job.completed_items, job.failed_items], ['completed_with_errors', 1, 2]);
      assert.deepEqual(
        job.items.map(({ attempts }) => attempts),
        [1, 2, 2],
      );
      assert.deepEqual(await settled(key), { remaining: 9, reserved: 0 });
    });

    it('is refused and not created when the credits do not cover it', async () => {
      const { key } = await app.createAccount({ credits: 2 });
      const { answer } = await create(key, { ids: videos(3) });
      assert.equal(answer.status, 402);
      const { jobs } = (await (await app.get('/v1/jobs', { key })).json()) as { jobs: unknown[] };
      assert.deepEqual(jobs, []);
    });

    it('is answered with its current state if a cancellation or retry is repeated under its Idempotency-Key', async () => {
      const { accountId, key } = await app.createAccount({ credits: 10 });
      const { jobId } = await create(key, { ids: videos(2) });
      for (const change of ['cancel', 'retry']) {
        const asked = { key, headers: { 'Idempotency-Key': change } };
        const send = () => app.post(`/v1/jobs/${jobId}/${change}`, {}, asked);
        assert.equal((await send()).status, 200);
        const again = await send();
        assert.equal(again.headers.get('Idempotent-Replayed'), 'true');
        const shown = (await again.json()) as { id: string; status: string };
        assert.equal(shown.id, jobId);
        assert.equal(shown.status, (await jobOf(app, key, jobId)).status);
      }
      const { rows } = await app.core.pool.query(
        'SELECT max(octet_length(body)) AS bytes FROM idempotency_keys WHERE account_id = $1',
        [accountId],
      );
      assert.equal(rows[0]?.bytes, 28, 'nonce and tag of an empty body');
    });

    it('is one job for one Idempotency-Key', async () => {
      const { key } = await app.createAccount({ credits: 10 });
      const send = () => app.post('/v1/jobs', { ids: videos(2) }, { key, headers: { 'Idempotency-Key': 'job-1' } });
      const [first, second] = [await (await send()).json(), await (await send()).json()];
      assert.deepEqual(first, second);
      const { jobs } = (await (await app.get('/v1/jobs', { key })).json()) as { jobs: unknown[] };
      assert.equal(jobs.length, 1);
    });

    it('without ids, with too many, or with a bad webhook is refused', async () => {
      const { key } = await app.createAccount();
      for (const [body, field] of [
        [{}, 'ids'],
        [{ ids: [] }, 'ids'],
        [{ ids: videos(1_001) }, 'ids'],
        [{ ids: videos(1), kind: 'mixtape' }, 'kind'],
        [{ ids: videos(1), webhook_url: 'http://10.0.0.1/' }, 'webhook_url'],
        [{ ids: videos(1), webhook_url: 'file:///etc/passwd' }, 'webhook_url'],
        [{ ids: videos(1), webhook_url: 'http://10.0.0.1/', dry_run: true }, 'webhook_url'],
        [{ ids: ['not a playlist!'], kind: 'playlist' }, 'ids'],
        [{ ids: ['not a channel!'], kind: 'channel', dry_run: true }, 'ids'],
      ] as const) {
        const { answer, json } = await create(key, body);
        assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 80));
        const named = JSON.stringify(json).match(/"path":"(\w+)"/)?.[1];
        assert.equal(named, field);
      }
    });

    // S8: jobs of another account
    it('of another account is answered like one that does not exist', async () => {
      const [owner, stranger] = [await app.createAccount(), await app.createAccount()];
      const { jobId } = await create(owner.key, { ids: videos(1) });
      // While the read model lags, no job is said to be unknown.
      await over(app, owner.key, jobId);
      const bodies: unknown[] = [];
      for (const id of [jobId, 'job_00000000000000000000000000000000']) {
        for (const path of [`/v1/jobs/${id}`, `/v1/jobs/${id}/results`, `/v1/jobs/${id}/events`]) {
          const answer = await app.get(path, { key: stranger.key });
          assert.equal(answer.status, 404);
          assert.equal(await codeOf(answer), 'JOB_NOT_FOUND');
        }
        for (const verb of ['cancel', 'retry']) {
          const answer = await app.post(`/v1/jobs/${id}/${verb}`, {}, { key: stranger.key });
          assert.equal(answer.status, 404);
          const { error } = (await answer.json()) as { error: Record<string, unknown> };
          bodies.push({ ...error, request_id: null });
        }
      }
      assert.equal(new Set(bodies.map((body) => JSON.stringify(body))).size, 1);
    });

    // S62: a dry run of a huge job
    it('can be planned first: nothing is read, reserved or charged', async () => {
      const { key } = await app.createAccount({ credits: 5 });
      const { answer, json } = await create(key, { ids: videos(900, 5_000), dry_run: true });
      assert.equal(answer.status, 200);
      assert.deepEqual([json['videos_found'], json['credits_needed']], [900, 900]);
      assert.deepEqual(await creditsOf(key), { remaining: 5, reserved: 0 });
      const planned = new Set<string | null>(videos(900, 5_000));
      assert.ok(!app.simulator.requests.some(({ videoId }) => planned.has(videoId)));
    });
  });

  describe('playlists and channels', () => {
    it('are listed, one credit for each started hundred', async () => {
      const { key } = await app.createAccount({ credits: 100 });
      const answer = await app.get(`/v1/playlists/${lists.threePages}?limit=150`, { key });
      const body = (await answer.json()) as { returned: number; total: number; has_more: boolean };
      assert.equal(answer.status, 200);
      assert.deepEqual([body.returned, body.total, body.has_more], [150, 250, true]);
      assert.equal(answer.headers.get('x-credits-charged'), '2');
      const channel = await app.get('/v1/channels/@marketdays', { key });
      assert.equal(channel.status, 200);
      const listed = (await channel.json()) as { channel_id: string; returned: number };
      assert.deepEqual([listed.channel_id, listed.returned], [channels.market, 3]);
    });

    it('become jobs in which the videos that cannot be read fail', async () => {
      const { key } = await app.createAccount();
      const path = `/v1/playlists/${lists.mixed}/transcripts`;
      const { answer, json, jobId } = await create(key, {}, path);
      assert.equal(answer.status, 202);
      assert.deepEqual(Object.keys(json).sort(), ['job_id', 'playlist_id', 'status', 'videos_found']);
      const job = await over(app, key, jobId);
      assert.equal(job.status, 'completed_with_errors');
      assert.equal(job.completed_items + job.failed_items, json['videos_found']);
      assert.ok(job.failed_items > 0);
    });

    it('become jobs over all of their videos if no limit is given', async () => {
      const { key } = await app.createAccount();
      const path = `/v1/playlists/${lists.threePages}/transcripts`;
      const plan = { dry_run: true };
      for (const [body, found] of [
        [plan, 250],
        [{ ...plan, limit: 120 }, 120],
      ] as const) {
        const answer = await app.post(path, body, { key });
        assert.equal(((await answer.json()) as { videos_found: number }).videos_found, found);
      }
    });

    it('are listed once for a job, however often they are named', async () => {
      const { key } = await app.createAccount();
      const link = `https://www.youtube.com/playlist?list=${lists.small}`;
      const ids = [...Array.from({ length: 30 }, () => lists.small), link];
      const { answer, json, jobId } = await create(key, { ids, kind: 'playlist' });
      assert.deepEqual([answer.status, json['total_items']], [202, 5]);
      assert.equal((await jobOf(app, key, jobId)).source, lists.small);
    });

    it('are read by one job of their kind, each video once', async () => {
      const { key } = await app.createAccount();
      const { answer, json, jobId } = await create(key, { ids: [lists.small, lists.mixed], kind: 'playlist' });
      assert.deepEqual([answer.status, json['total_items']], [202, 11]);
      const { kind, source } = await jobOf(app, key, jobId);
      assert.deepEqual([kind, source], ['playlist', null]);
    });

    it('that do not exist are 404, and no job is created', async () => {
      const { key } = await app.createAccount();
      const answer = await app.post('/v1/playlists/PLnowhere0000000000000000000000000/transcripts', {}, { key });
      assert.equal(answer.status, 404);
      assert.equal(await codeOf(answer), 'PLAYLIST_NOT_FOUND');
      const { jobs } = (await (await app.get('/v1/jobs', { key })).json()) as { jobs: unknown[] };
      assert.deepEqual(jobs, []);
    });

    it('that do not exist are reported, if a list has several', async () => {
      const { key } = await app.createAccount();
      const missing = 'https://www.youtube.com/playlist?list=PLnowhere0000000000000000000000000';
      const there = `https://www.youtube.com/playlist?list=${lists.small}`;
      const answer = await app.post('/v1/jobs', { ids: [there, missing] }, { key });
      const { error } = (await answer.json()) as { error: { code: string; message: string } };
      assert.equal(error.code, 'PLAYLIST_NOT_FOUND');
      assert.ok(error.message.startsWith(`${missing}: `), error.message);
    });

    it('without videos are completed at once', async () => {
      const { key } = await app.createAccount();
      const { json, jobId } = await create(key, { ids: [lists.empty], kind: 'playlist' });
      assert.deepEqual([json['status'], json['total_items']], ['completed', 0]);
      assert.equal((await jobOf(app, key, jobId)).status, 'completed');
    });

    it('refuse limits outside their bounds', async () => {
      const { key } = await app.createAccount();
      for (const limit of ['0', '501', '-1', '1.5', 'x']) {
        const answer = await app.get(`/v1/playlists/${lists.small}?limit=${limit}`, { key });
        assert.equal(answer.status, 400);
      }
      const { answer } = await create(key, { limit: 1_001 }, `/v1/channels/${channels.big}/transcripts`);
      assert.equal(answer.status, 400);
    });
  });

  describe('webhooks', () => {
    it('are sent to each receiver once when a run ends, signed, with the same id in every attempt', async () => {
      const { key } = await app.createAccount();
      await using receiver = await startReceiver((index) => ({ status: index < 2 ? 500 : 204 }));
      const made = await app.post('/v1/webhooks', { url: receiver.url }, { key });
      assert.equal(made.status, 201);
      const { secret, webhook } = (await made.json()) as { secret: string; webhook: { id: string } };
      const { jobId } = await create(key, { ids: videos(2), webhook_url: receiver.url });
      await receiver.count(3);
      assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
      const [last] = receiver.received.slice(-1);
      assert.ok(last !== undefined);
      assert.equal(last.json.type, 'job.completed');
      assert.equal(last.json.data['job_id'], jobId);
      assert.equal(last.json.data['credits_charged'], 2);
      // The port is a free one: the link names that, not the 0 that was asked for.
      assert.equal(last.json.data['results_url'], `${app.url}/v1/jobs/${jobId}/results`);
      new SvixWebhook(secret).verify(last.body, last.headers as Record<string, string>);

      type DeliveryJson = { id: string; status: string; attempts: { http_status: number }[] };
      const shown = async (): Promise<DeliveryJson[]> => {
        const page = await app.get(`/v1/webhooks/${webhook.id}/deliveries`, { key });
        return ((await page.json()) as { deliveries: DeliveryJson[] }).deliveries;
      };
      // The receiver knows of an attempt before it is written down.
      let deliveries = await shown();
      for (let looks = 0; looks < 1_200 && deliveries[0]?.status !== 'succeeded'; looks += 1) {
        await pause(50);
        deliveries = await shown();
      }
      assert.equal(deliveries.length, 1);
      assert.deepEqual(
        deliveries[0]?.attempts.map(({ http_status }) => http_status),
        [500, 500, 204],
      );

      const path = `/v1/webhooks/${webhook.id}/deliveries/${deliveries[0]?.id}/replay`;
      assert.equal((await app.post(path, {}, { key })).status, 202);
      await receiver.count(4);
      assert.equal(receiver.received[3]?.json.id, last.json.id);

      const stranger = await app.createAccount();
      assert.equal((await app.post(path, {}, { key: stranger.key })).status, 404);
      const foreign = await app.get('/v1/webhooks', { key: stranger.key });
      assert.deepEqual(await foreign.json(), { webhooks: [] });
    });

    it('notify the webhook_url of a failed job, are listed with it and sent again, and are not sent for a cancelled one', async () => {
      const { key } = await app.createAccount();
      await using receiver = await startReceiver();
      const failing = await create(key, { ids: ['nothing'], webhook_url: receiver.url });
      await receiver.count(1);
      const path = `/v1/jobs/${failing.jobId}/deliveries`;
      const { deliveries } = (await (await app.get(path, { key })).json()) as {
        deliveries: { id: string; webhook_id: string | null; type: string }[];
      };
      assert.deepEqual(
        deliveries.map(({ webhook_id, type }) => [webhook_id, type]),
        [[null, 'job.failed']],
      );
      const replay = `${path}/${deliveries[0]?.id}/replay`;
      assert.equal((await app.post(replay, {}, { key })).status, 202);
      await receiver.count(2);
      assert.equal(receiver.received[1]?.json.id, receiver.received[0]?.json.id);
      const stranger = await app.createAccount();
      assert.equal((await app.get(path, { key: stranger.key })).status, 404);
      assert.equal((await app.post(replay, {}, { key: stranger.key })).status, 404);
      assert.equal(receiver.received[0]?.json.type, 'job.failed');
      assert.equal(receiver.received[0]?.json.data['job_id'], failing.jobId);
      assert.match(String(receiver.received[0]?.headers['x-service-signature']), /^t=\d+,v1=/);
    });

    it('are disabled by 410 and by their owner, and can be tested', async () => {
      const { key } = await app.createAccount();
      await using receiver = await startReceiver(() => ({ status: 410 }));
      const made = await app.post('/v1/webhooks', { url: receiver.url }, { key });
      const { webhook } = (await made.json()) as { webhook: { id: string } };
      assert.equal((await app.post(`/v1/webhooks/${webhook.id}/test`, {}, { key })).status, 202);
      await receiver.count(1);
      assert.equal(receiver.received[0]?.json.test, true);
      type WebhookList = { webhooks: { active: boolean; disabled_reason: string | null }[] };
      const shown = async () => ((await (await app.get('/v1/webhooks', { key })).json()) as WebhookList).webhooks[0];
      for (let looks = 0; looks < 1_200 && (await shown())?.active; looks += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      assert.equal((await shown())?.disabled_reason, 'gone');
    });
  });
});
