import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { checkSetup } from '#src/app/doctor-checks.ts';
import { systemCall } from '#src/app/open-core.ts';
import { loadConfig } from '#src/config.ts';
import { jobStreams } from '#src/jobs/job-streams.ts';
import { retryJob } from '#src/jobs/retry-job.ts';
import { type Client, silentLogger, type TestApp } from '#test/support/app.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';
import { videos } from '#test/support/job-books.ts';
import { againWhileBusy, over } from '#test/support/job-watch.ts';
import { logWithoutRetries } from '#test/support/jobs.ts';

/** Creates a job over HTTP, again while a busy database refuses it; its id. */
export const createJob = async (app: Client, key: string, body: unknown): Promise<string> => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const answer = await againWhileBusy(() => app.post('/v1/jobs', body, { key, headers }));
  const text = await answer.text();
  if (answer.status !== 202) throw new Error(`${answer.status}: ${text}`);
  return (JSON.parse(text) as { job_id: string }).job_id;
};

/** What the doctor says of the queue. */
export const workCheck = async (app: TestApp): Promise<string | null> => {
  const config = loadConfig(app.environment);
  for await (const { name, status, message } of checkSetup(config, { logger: silentLogger })) {
    if (name === 'work') return `${status}: ${message}`;
  }
  return null;
};

/** A job that failed and is retried: credits are set aside and the job is told, its items are not. */
export const retryHalf = async (app: TestApp, receiver: { readonly url: string }) => {
  const { accountId, key } = await app.createAccount({ credits: 10 });
  const body = { ids: videos(2), webhook_url: receiver.url };
  const jobId = await createJob(app, key, body);
  const { log, clock, ledger } = app.core;
  const fault = new TypeError('it stops here');
  const first = await startWorkerInProcess(loadConfig({ ...app.environment, ROLE: 'worker' }), {
    work: ({ work }) => ({ extractItem: (item) => work.failItem(item, fault) }),
  });
  assert.equal((await over(app, key, jobId)).status, 'failed');
  // It would bring the retry to the items before it has ended.
  await first[Symbol.asyncDispose]();
  const half = { ...jobStreams({ log: logWithoutRetries(log, fault), clock }), ledger };
  const call = { ...systemCall(accountId), deduplicationKey: 'retry' };
  await assert.rejects(retryJob(half)(call, { jobId }), fault);
  return { accountId, key, jobId };
};
