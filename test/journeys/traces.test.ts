import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { createLogger } from '#src/adapters/telemetry/log.ts';
import { startApp } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { startTestApp } from '#test/support/app.ts';
import { over } from '#test/support/job-watch.ts';
import { planted } from '#test/support/leaks.ts';
import { startReceiver } from '#test/support/receiver.ts';

type SpanJson = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
};
type OtlpTraces = {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly SpanJson[] }[];
  }[];
};

/** A collector that takes OTLP over HTTP in JSON. */
const startCollector = async () => {
  const texts: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    assert.equal(`${request.method} ${request.url}`, 'POST /otlp/v1/traces');
    texts.push(text);
    authorizations.push(request.headers.authorization);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sent = () => texts.flatMap((text) => (JSON.parse(text) as OtlpTraces).resourceSpans);
  return {
    endpoint: `http://127.0.0.1:${port}/otlp`,
    authorizations,
    text: () => texts.join('\n'),
    spans: () => sent().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    /** `service.name` and role of each process that has sent some. */
    services: () =>
      new Set(
        sent().map(({ resource: { attributes } }) =>
          ['service.name', 'steno.role']
            .map((name) => attributes.find(({ key }) => key === name)?.value.stringValue)
            .join(' '),
        ),
      ),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const token = planted('collector-token-8Kx2LpR7tYb1');
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callersSpan = '00f067aa0ba902b7';
const videoId = generatedId('vid', 9);

/** Lines of the log as objects. */
const logLines = () => {
  const lines: Record<string, unknown>[] = [];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, logger: createLogger({ level: 'debug', sink }) };
};

describe('a trace', () => {
  it('goes from a request through the queue and a worker of another process to the webhook', async () => {
    await using collector = await startCollector();
    await using receiver = await startReceiver();
    const { lines, logger } = logLines();
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${token}`,
      OTEL_SERVICE_NAME: 'steno-test',
      OUTBOUND_ALLOW: '127.0.0.0/8',
    };
    let traced: unknown;
    {
      await using app = await startTestApp({ environment: { ...environment, ROLE: 'api' }, logger });
      const config = loadConfig({ ...app.environment, ROLE: 'worker' });
      await using _ = await startApp(config, { logger });
      const { key } = await app.createAccount();
      const body = { ids: [videoId], webhook_url: receiver.url };
      const headers = { traceparent: `00-${traceId}-${callersSpan}-01` };
      const made = await app.post('/v1/jobs', body, { key, headers });
      const { job_id: jobId } = (await made.json()) as { job_id: string };
      await over(app, key, jobId);
      await receiver.count(1);
      const { rows } = await app.core.pool.query<{ type: string; trace_id: string | null }>(
        `SELECT DISTINCT type, substr(meta ->> 'traceparent', 4, 32) AS trace_id FROM es_event
         WHERE stream LIKE '%' || $1 || '%' OR meta ->> 'correlation_id' = $1 OR type LIKE 'Delivery%'
         ORDER BY type`,
        [jobId],
      );
      traced = Object.fromEntries(rows.map(({ type, trace_id: id }) => [type, id]));
    }
    for (const type of ['JobCreated', 'ItemsQueued', 'ItemCompleted', 'JobCompleted', 'DeliveryRequested']) {
      assert.equal((traced as Record<string, unknown>)[type], traceId, type);
    }

    const ours = collector.spans().filter((span) => span.traceId === traceId);
    assert.deepEqual([...new Set(ours.map(({ name }) => name))].toSorted(), [
      'POST /v1/jobs',
      'POST webhook',
      'announce-run',
      'close-job',
      'deliver-webhook',
      'extract transcript',
      'extract-items',
    ]);
    // Every span is below another one, and the first below that of the caller.
    const ids = new Set([callersSpan, ...ours.map(({ spanId }) => spanId)]);
    assert.deepEqual(
      ours.filter(({ parentSpanId = '' }) => !ids.has(parentSpanId)),
      [],
    );
    assert.equal(ours.find(({ name }) => name === 'POST /v1/jobs')?.parentSpanId, callersSpan);
    const sent = ours.find(({ name }) => name === 'POST webhook');
    const delivered = receiver.received[0]?.headers ?? {};
    assert.equal(delivered['traceparent'], `00-${traceId}-${sent?.spanId}-01`);
    const { webhooks } = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
    const { parameters } = webhooks['job.completed'].post;
    const described = parameters.map(({ name }: { name: string }) => name.toLowerCase());
    // Those of the message itself, which a description leaves out.
    const ofHttp = ['connection', 'content-length', 'content-type', 'host'];
    assert.deepEqual(described.concat(ofHttp).toSorted(), Object.keys(delivered).toSorted());

    assert.deepEqual(collector.services(), new Set(['steno-test api', 'steno-test worker']));
    assert.deepEqual(new Set(collector.authorizations), new Set([`Bearer ${token}`]));
    const answered = lines.find(({ message, route }) => message === 'answered' && route === '/v1/jobs');
    assert.equal(answered?.['trace_id'], traceId);
    for (const secret of [token, receiver.url, videoId]) assert.ok(!collector.text().includes(secret));
  });

  it('follows the decision of its caller, and starts anew if the header is invalid', async () => {
    await using collector = await startCollector();
    {
      await using app = await startTestApp({
        environment: { ROLE: 'api', OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_TRACES_SAMPLER_ARG: '0' },
      });
      for (const traceparent of [
        `00-${traceId}-${callersSpan}-00`,
        `00-${traceId}-${callersSpan}-01`,
        `00-${traceId.toUpperCase()}-${callersSpan}-01`,
        'nonsense',
      ]) {
        const answer = await app.get('/api/changelog.json', { headers: { traceparent } });
        assert.equal(answer.status, 200);
        await answer.text();
        // Probes are not traced, whoever asks.
        assert.equal((await app.get('/metrics', { headers: { traceparent } })).status, 200);
      }
    }
    assert.deepEqual(
      collector.spans().map((span) => [span.name, span.traceId, span.parentSpanId]),
      [['GET /api/changelog.json', traceId, callersSpan]],
    );
  });

  it('costs a process one log line, and no failed request, if the collector is unreachable', async () => {
    const { lines, logger } = logLines();
    {
      await using collector = await startCollector();
      const endpoint = collector.endpoint;
      await collector[Symbol.asyncDispose]();
      await using app = await startTestApp({
        environment: { ROLE: 'api', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
        logger,
      });
      assert.equal((await app.get('/api/changelog.json')).status, 200);
    }
    const told = lines.filter(({ message }) => message === 'traces could not be sent');
    assert.equal(told.length, 1);
  });
});
