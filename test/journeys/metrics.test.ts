import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operatorActionsOn } from '#src/app/operator-actions.ts';
import { startApp } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { over } from '#test/support/job-watch.ts';
import { logOfRun } from '#test/support/leaks.ts';
import { startReceiver } from '#test/support/receiver.ts';

/** The value of a series as it is written, labels in the order of the text; undefined: there is none. */
const seriesIn = (text: string) => (series: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${series} `))
    ?.slice(series.length + 1);

const scrape = async (url: string) => seriesIn(await (await fetch(`${url}/metrics`)).text());

const transcripts = (more: string): string => `{route="/v1/transcripts/:videoId",${more}}`;

/** Answers what the work was about. */
const workThrough = async (app: TestApp, webhookUrl: string): Promise<readonly string[]> => {
  const { accountId, key } = await app.createAccount();
  const videoId = generatedId('vid', 7);
  for (const _ of ['from the platform', 'from what is kept']) {
    assert.equal((await app.get(`/v1/transcripts/${videoId}`, { key })).status, 200);
  }
  await app.get('/v1/transcripts/short', { key });
  await app.get(`/v1/transcripts/${videoId}`);
  await app.get('/api/health');
  await app.get('/no/such/page');
  const made = await app.post('/v1/jobs', { ids: [videoId], webhook_url: webhookUrl }, { key });
  const { job_id: jobId } = (await made.json()) as { job_id: string };
  await over(app, key, jobId);
  const { email = '' } = (await app.core.commands.findAccount({ accountId })) ?? {};
  return [accountId, key, key.slice(0, 16), email, videoId, jobId, webhookUrl];
};

describe('the metrics of a process', () => {
  // S89: accounts, mail addresses, keys and ids in `/metrics`
  it('report its responses, charges and deliveries, and the state of the installation, without personal data', async () => {
    await using receiver = await startReceiver();
    await using app = await startTestApp({ environment: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
    const about = await workThrough(app, receiver.url);
    await receiver.count(1);
    await app.core.queries.probe();
    await operatorActionsOn(app.core).verify({ accountId: null }, { signal: AbortSignal.timeout(30_000) });

    // Nothing of traces while they are off.
    assert.equal(receiver.received[0]?.headers['traceparent'], undefined);
    const { rows } = await app.core.pool.query(`SELECT type FROM es_event WHERE meta ? 'traceparent'`);
    assert.deepEqual(rows, []);

    const of = await scrape(app.url);
    const seconds = 'http_request_duration_seconds_count';
    assert.deepEqual(
      {
        good: of(`http_requests_total${transcripts('method="GET",code="200"')}`),
        refused: of(`http_requests_total${transcripts('method="GET",code="400"')}`),
        unknown: of(`http_requests_total${transcripts('method="GET",code="401"')}`),
        nowhere: of('http_requests_total{route="unmatched",method="GET",code="404"}'),
        cached: of(`${seconds}${transcripts('class="cached"')}`),
        uncached: of(`${seconds}${transcripts('class="uncached"')}`),
        liveness: of('http_request_duration_seconds_count{route="/api/health",class="other"}'),
        charged: of('credits_charged_total'),
        delivered: of('webhook_attempts_total{result="delivered"}'),
        failures: of('extraction_consecutive_failures'),
        probe: of('egress_probe_success'),
        database: of('database_up'),
        workers: of('workers_alive'),
        problems: of('ledger_verify_problems'),
        mismatches: of('steno_audit_mismatches'),
        stopped: of('projection_stopped{projection="usage"}'),
        parked: of('projection_parked_streams{projection="reactions"}'),
        waiting: of('postgres_pool_waiting{pool="queue"}'),
        circuit: of('ai_circuit_state'),
      },
      {
        ...{ good: '2', refused: '1', unknown: '1', nowhere: '1' },
        ...{ cached: '1', uncached: '1', liveness: '1' },
        ...{ charged: '3', delivered: '1', failures: '0', probe: '1', database: '1' },
        ...{
          workers: '1',
          problems: '0',
          mismatches: '0',
          stopped: '0',
          parked: '0',
          waiting: '0',
          circuit: undefined,
        },
      },
    );
    assert.ok(Number(of('eventlog_head_position')) > 10);
    assert.ok(Number(of('ledger_verify_timestamp_seconds')) > 1_700_000_000);
    assert.ok(Number(of('queue_due_tasks{task="extract-items"}')) >= 0);
    assert.ok(Number(of('nodejs_eventloop_lag_p99_seconds')) >= 0);
    const all = await (await fetch(`${app.url}/metrics`)).text();
    for (const name of about) assert.ok(name.length > 5 && !all.includes(name), name);
    assert.doesNotMatch(all, /@|\b(acc|key|job|dlv|whk|req|evt)_|\bstn_|no\/such/);
  });

  it('are served by a worker on a separate port', async () => {
    await using app = await startTestApp({ environment: { ROLE: 'api' } });
    const config = loadConfig({ ...app.environment, ROLE: 'worker', METRICS_PORT: '0' });
    await using worker = await startApp(config, { logger: logOfRun });
    assert.equal(worker.url, null);
    assert.ok(worker.metricsUrl !== null);
    const of = await scrape(worker.metricsUrl);
    assert.equal(of('workers_alive'), '1');
    assert.match(of(`steno_build_info{version="1.1.0",steno_role="worker",node="${process.version}"}`) ?? '', /1/);
    // A worker does not look at the platform by itself.
    assert.equal(of('egress_probe_success'), undefined);
  });
});
