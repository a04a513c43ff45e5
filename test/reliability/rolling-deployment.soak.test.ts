import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { projections } from '#projections/index.ts';
import { event } from '#src/eventlog/event-schema.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { eventSchemas } from '#src/events.ts';
import { newId, uuidOf } from '#src/kernel/ids.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestAccount, type TestApp } from '#test/support/app.ts';
import { jobOf, over } from '#test/support/job-watch.ts';
import { projector } from '#test/support/projector.ts';
import { refusalIn } from '#test/support/response-json.ts';

let app: TestApp;

/** Stores an event as another version of the program does, past the rules of this one. */
const stored = async (stream: string, type: string, version: number, data: object) => {
  await app.core.pool.query('SELECT * FROM es_append($1, $2, $3)', [
    [stream],
    [null],
    JSON.stringify([[{ event_id: uuidOf(newId('req')), type, schema_version: version, data, meta: {} }]]),
  ]);
};

const createJob = async ({ key }: TestAccount): Promise<string> => {
  const answer = await app.post('/v1/jobs', { ids: [generatedId('vid', 77)] }, { key });
  assert.equal(answer.status, 202, await answer.clone().text());
  return ((await answer.json()) as { job_id: string }).job_id;
};

/** Everything an account does on its own streams, as status codes. */
const lifeOf = async ({ key }: TestAccount, jobId: string) => ({
  transcript: (await app.get(`/v1/transcripts/${samples.prose}`, { key })).status,
  cancel: (await app.post(`/v1/jobs/${jobId}/cancel`, {}, { key })).status,
  webhooks: (await app.get('/v1/webhooks', { key })).status,
  job: (await app.get(`/v1/jobs/${jobId}`, { key })).status,
});

const versionsOf = (streams: readonly string[]) => Promise.all(streams.map((stream) => app.core.log.versionOf(stream)));

const isReady = async () => (await app.get('/api/health/ready')).status === 200;
const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  for (let looks = 0; looks < 400; looks += 1) {
    if (await isSo()) return;
    await pause(25);
  }
  assert.fail(what);
};

describe('two versions of the program on one log', () => {
  before(async () => {
    app = await startTestApp({ environment: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  });
  after(() => app[Symbol.asyncDispose]());

  it('answer 503 and write nothing if only the later one knows an event, and serve everything else', async () => {
    const [ahead, other] = [await app.createAccount(), await app.createAccount()];
    const jobs = [await createJob(ahead), await createJob(other)] as const;
    await Promise.all([over(app, ahead.key, jobs[0]), over(app, other.key, jobs[1])]);
    const [book = ''] = await app.core.log.streamsWithPrefix(`ledger-${ahead.accountId}-`);
    const streams = [book, `job-${jobs[0]}`, `webhooks-${ahead.accountId}`];
    const at = '2026-11-21T10:00:00.000Z';
    await stored(streams[0] ?? '', 'CreditsLent', 1, { accountId: ahead.accountId, at });
    await stored(streams[1] ?? '', 'JobPaused', 1, { jobId: jobs[0], at });
    await stored(streams[2] ?? '', 'WebhookPaused', 1, { accountId: ahead.accountId, at });
    const versions = await versionsOf(streams);

    const refused = await app.get(`/v1/transcripts/${samples.prose}`, { key: ahead.key });
    assert.equal(refused.headers.get('Retry-After'), '5');
    assert.deepEqual(await refusalIn(refused), [503, 'SERVICE_UNAVAILABLE', '0']);
    assert.deepEqual(await lifeOf(ahead, jobs[0]), { transcript: 503, cancel: 503, webhooks: 503, job: 503 });
    assert.deepEqual(await versionsOf(streams), versions);
    const after = await createJob(other);
    assert.equal((await over(app, other.key, after)).status, 'completed');
    const own = { transcript: 200, cancel: 200, webhooks: 200, job: 200 };
    assert.deepEqual(await lifeOf(other, after), own);
  });

  it('fold one log: the later one upcasts old shapes, and folds new ones past which the earlier one cannot go', async () => {
    const { pool } = app.core;
    const account = await app.createAccount();
    const jobId = await createJob(account);
    await over(app, account.key, jobId);
    const later = postgresEventLog({
      pool,
      upcasters: { JobStarted: { 1: (data) => ({ ...data, line: 'first' }) } },
      schemas: {
        ...eventSchemas,
        JobPaused: event('An event of a later program', {}),
        CreditsLent: event('An event of a later program', {}),
      },
    });
    const [, started] = await later.read(`job-${jobId}`);
    assert.deepEqual([started?.type, started?.schemaVersion, Object(started?.data).line], ['JobStarted', 2, 'first']);

    await until('it is ready', isReady);
    const data = { jobId: 'job_later', run: 1, line: 'second', at: '2026-11-21T10:00:00.000Z' };
    await stored('job-job_later', 'JobStarted', 2, data);
    await until('the earlier one says that it stands still', async () => !(await isReady()));
    const served = await app.get(`/v1/transcripts/${samples.prose}`, { key: account.key });
    assert.equal(served.status, 200, await served.text());

    await using stack = new AsyncDisposableStack();
    for (const projection of projections) {
      stack.use(projector({ projection, log: later, pool, restMs: 0 })).start();
    }
    await until('the later one takes it along', isReady);
    const next = await createJob(account);
    await over(app, account.key, next);
    assert.equal((await jobOf(app, account.key, next)).status, 'completed');
  });
});
