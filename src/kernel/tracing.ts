import { AsyncLocalStorage } from 'node:async_hooks';

/** W3C Trace Context, version 00. */
const traceparentForm = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The value when it is a `traceparent`, else null. */
export const parseTraceparent = (value: unknown): string | null =>
  typeof value === 'string' && traceparentForm.test(value) ? value : null;

/** The trace id in a `traceparent`. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** How a span ended. `error`: a code or the name of an error, never its message; null: well. */
export type SpanEnd = { readonly name?: string; readonly attributes?: Attributes; readonly error?: string | null };

/** One piece of work within a trace. */
export type Span = {
  /** Names this span to what it causes, here and in other processes. */
  readonly traceparent: string;
  end(end?: SpanEnd): void;
};

export type SpanStart = {
  readonly kind: 'server' | 'client' | 'consumer' | 'internal';
  /** The `traceparent` of the span that caused it; null: the current span, or a new trace. */
  readonly parent?: string | null;
  readonly attributes?: Attributes;
};

/** The port to a tracing library. Where tracing is off there is none: null. */
export type Tracer = { start(name: string, start: SpanStart): Span };

/**
 * The `traceparent` of the span in which code runs. It is ambient, because events are described and lines are logged far
 * from where spans begin. It is never set while tracing is off.
 */
const current = new AsyncLocalStorage<string>();

/** The `traceparent` of the current span; null: none, or tracing is off. */
export const currentTraceparent = (): string | null => current.getStore() ?? null;

/** Runs `work`, and all that it awaits, within a span. */
export const withTraceparent = <Result>(traceparent: string, work: () => Result): Result =>
  current.run(traceparent, work);

/** Runs `work` in a span of its own. `endOf`: what is to be said of its result. */
export const inSpan = async <Result>(
  tracer: Tracer | null,
  name: string,
  start: SpanStart,
  work: () => Promise<Result>,
  endOf: (result: Result) => SpanEnd = () => ({}),
): Promise<Result> => {
  if (tracer === null) return await work();
  const span = tracer.start(name, start);
  try {
    const result = await withTraceparent(span.traceparent, work);
    span.end(endOf(result));
    return result;
  } catch (error) {
    span.end({ error: errorNameOf(error) });
    throw error;
  }
};

/** A refusal has a code; of anything else the class is told. */
const errorNameOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'Error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};
