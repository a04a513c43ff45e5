import { createRequire } from 'node:module';
import { styleText } from 'node:util';
import type { pino } from 'pino';
import { isUnavailable } from '../../eventlog/unavailable-error.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { LogFields, Logger } from '../../kernel/logger.ts';
import { currentTraceparent, traceIdOf } from '../../kernel/tracing.ts';
import { instance } from './instance.ts';

// Loaded with the first line: a command that logs nothing starts 60 ms sooner.
const load = createRequire(import.meta.url);

const levels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof levels)[number];

/** The part of a stream that the log uses; `process.stderr` is one. `isTalk`: it takes sentences for people, without an end. */
export type LogSink = { readonly isTTY?: boolean; readonly isTalk?: boolean; write(line: string): unknown };

/** Names of members whose values are redacted at every depth. */
const secretName =
  /authorization|x[-_]?api[-_]?key|api[-_]?key|cookie|password|passphrase|secret|token|full[-_]?key|signature|private[-_]?key/i;
/** Values that are redacted under any name: keys, signing secrets, bearer credentials, passwords in URLs. */
const secretValues: readonly [RegExp, string][] = [
  [/\bwhsec_[\w+/=-]{4,}/g, 'whsec_[redacted]'],
  [/\b(stn|sk|pk)_(live|test)_[A-Za-z0-9]{8,}/g, '$1_$2_[redacted]'],
  [/\bsk-[\w-]{16,}/g, 'sk-[redacted]'],
  [/\b(Bearer|Basic)\s+[\w+/=.~-]{8,}/gi, '$1 [redacted]'],
  [/(\/\/[^\s/:@]*:)[^\s/@]+@/g, '$1[redacted]@'],
];
const maxDepth = 6;
const maxText = 8_000;
const maxEntries = 100;

/** A log of JSON lines; on a terminal, and as talk, readable lines. */
export const createLogger = (options: {
  readonly level: LogLevel;
  /** The name of the service, as in traces. */
  readonly service?: string;
  readonly sink?: LogSink;
  readonly clock?: Clock;
}): Logger => {
  const { level, service = 'steno', clock = systemClock } = options;
  const sink: LogSink = options.sink ?? process.stderr;
  const form = sink.isTalk === true ? talk : sink.isTTY === true ? pretty : null;
  const destination = form === null ? sink : { write: (line: string) => sink.write(form(JSON.parse(line))) };
  let root: pino.Logger | undefined;
  const start = (): pino.Logger => {
    const library: typeof import('pino') = load('pino');
    return library.pino(
      {
        level,
        base: form === null ? { service, instance } : null,
        timestamp: () => `,"time":"${clock().toISOString()}"`,
        formatters: { level: (label) => ({ level: label }) },
      },
      destination,
    );
  };
  const write: Write = (lineLevel, line) => {
    if (levels.indexOf(lineLevel) < levels.indexOf(level)) return;
    root ??= start();
    root[lineLevel](line());
  };
  return loggerOn(write, {});
};

type Write = (level: LogLevel, line: () => object) => void;

const loggerOn = (write: Write, fields: LogFields): Logger => {
  const log =
    (level: LogLevel) =>
    (message: string, more: LogFields = {}): void =>
      write(level, () => ({
        message: redactText(message),
        ...traceFields(),
        ...(redact({ ...fields, ...more }) as object),
      }));
  return {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    child: (more) => loggerOn(write, { ...fields, ...more }),
  };
};

/** The trace that a line belongs to; nothing while tracing is off. */
const traceFields = (): LogFields => {
  const traceparent = currentTraceparent();
  return traceparent === null ? {} : { trace_id: traceIdOf(traceparent) };
};

/** A copy for JSON without secrets; deep, long and circular values are cut. */
const redact = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  if (depth >= maxDepth) return '[deeper]';
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) return value.slice(0, maxEntries).map((one) => redact(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, maxEntries)
      .map(([name, one]) => [name, isSecret(name, one) ? '[redacted]' : redact(one, depth + 1)]),
  );
};

const isSecret = (name: string, value: unknown): boolean =>
  secretName.test(name) && value !== null && typeof value !== 'boolean' && typeof value !== 'number';

/** A database that is away is nobody's bug: its errors have no stack trace. */
const redactError = (error: Error, depth: number): unknown => ({
  name: error.name,
  message: redactText(error.message),
  ...('code' in error ? { code: redact(error.code, depth + 1) } : {}),
  ...(isUnavailable(error) ? {} : { stack: redactText(error.stack ?? '') }),
  ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
});

const redactText = (text: string): string => {
  const short = text.length > maxText ? `${text.slice(0, maxText)}…` : text;
  return secretValues.reduce((now, [pattern, instead]) => now.replace(pattern, instead), short);
};

const colorOf = (level: string) => (level === 'error' ? 'red' : level === 'warn' ? 'yellow' : 'gray');

type Line = Readonly<Record<string, unknown>>;

const namedValues = (fields: Line): string =>
  Object.entries(fields)
    .map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
    .join('');

const pretty = ({ time, level, message, error, ...fields }: Line): string => {
  const stack = typeof error === 'object' && error !== null && 'stack' in error ? `\n${error.stack}` : '';
  const why = stack === '' ? reasonOf(error) : '';
  const head = `${String(time).slice(11, 23)} ${String(level).padEnd(5)}`;
  return `${styleText(colorOf(String(level)), head)} ${message}${why}${styleText('gray', namedValues(fields))}${stack}\n`;
};

/** The message of a logged error after a colon, or its code where it has none. */
const reasonOf = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return '';
  const { message = '', code = '' }: { readonly message?: unknown; readonly code?: unknown } = error;
  const reason = message === '' ? code : message;
  return reason === '' ? '' : `: ${reason}`;
};

/** What the talk of a command says of a line: no time, and of an error its message. */
const talk = ({ time: _, level, message, error, ...fields }: Line): string => {
  const named = level === 'warn' ? 'Warning' : String(level);
  return `${named}: ${message}${reasonOf(error)}${namedValues(fields)}`;
};
