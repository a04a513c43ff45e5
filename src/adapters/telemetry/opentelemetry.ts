import { setTimeout as pause } from 'node:timers/promises';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { logFirstFailure } from '../../kernel/log-first-failure.ts';
import { currentTraceparent, parseTraceparent, type Span, type Tracer } from '../../kernel/tracing.ts';
import { instance } from './instance.ts';

/** How long the last spans may take at the end of the process. */
const flushTimeoutMs = 1_500;
/** One batch, with its retries. */
const exportTimeoutMs = 5_000;

export type TracesOptions = {
  /** The collector; spans go to `/v1/traces` below it. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly version: string;
  readonly role: string;
  /** Of traces that no caller began, this share is recorded, from 0 to 1. */
  readonly sampledShare: number;
  /** Called for the first of several batches in a row that could not be sent. */
  readonly onFailure: (error: unknown) => void;
};

/** Sends spans by OTLP over HTTP, in JSON, in batches. Disposing sends what is left, for a second and a half at most. */
export const openTelemetryTracer = (options: TracesOptions): Tracer & AsyncDisposable => {
  const failures = logFirstFailure(options.onFailure);
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint}/v1/traces`,
    headers: { ...options.headers },
    timeoutMillis: exportTimeoutMs,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': options.version,
      'service.instance.id': instance,
      'steno.role': options.role,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampledShare) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: reporting(exporter, failures) })],
  });
  const tracer = provider.getTracer('steno', options.version);
  return {
    start(name, { kind, parent = null, attributes = {} }) {
      const context = contextOf(parent ?? currentTraceparent());
      return spanOf(tracer.startSpan(name, { kind: kinds[kind], attributes }, context));
    },
    [Symbol.asyncDispose]: async () => {
      const late = new Error(`the last spans could not be sent within ${flushTimeoutMs} ms`);
      const flushed = provider.shutdown().then(() => null, failures.failed);
      const failure = await Promise.race([flushed, pause(flushTimeoutMs, late, { ref: false })]);
      if (failure) failures.failed(failure);
    },
  };
};

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

const spanOf = (span: ReturnType<ReturnType<TracerProvider['getTracer']>['startSpan']>): Span => {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    end({ name, attributes = {}, error = null } = {}) {
      if (name !== undefined) span.updateName(name);
      span.setAttributes(attributes);
      if (error !== null) {
        span.setAttribute('error.type', error);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
};

const contextOf = (traceparent: string | null) => {
  if (parseTraceparent(traceparent) === null || traceparent === null) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
};

/** The library drops what it cannot send, and says so nowhere. */
const reporting = (exporter: SpanExporter, failures: ReturnType<typeof logFirstFailure>): SpanExporter => ({
  export: (spans, done) =>
    exporter.export(spans, (result) => {
      if (result.error === undefined) failures.succeeded();
      else failures.failed(result.error);
      done(result);
    }),
  shutdown: () => exporter.shutdown(),
  forceFlush: async () => await exporter.forceFlush?.(),
});
