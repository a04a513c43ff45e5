import { setTimeout as pause } from 'node:timers/promises';
import { eventStreamLimits } from '../../../contract/jobs.ts';
import type { Call } from '../../../kernel/call.ts';
import { elapsedMs } from '../../../kernel/clock.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import { whileRead } from '../../../kernel/stream-places.ts';
import { type HttpResponse, inPieces, noContent } from './response.ts';

const pageSize = 500;
const lookEveryMs = 300;
/** Shorter than the request timeout; clients reconnect with the last id. */
const streamMs = eventStreamLimits.seconds * 1_000;
const beatMs = 10_000;
/** Open streams of this process; each stream queries three times a second. */
const maxStreams = 500;

/** What happens in one thing, by position in the log. */
export type EventSource<Row extends { readonly position: string }> = {
  read(page: { readonly after: string; readonly limit: number }): Promise<readonly Row[]>;
  /** The name of an event and its data. Called once for each row, in order. */
  tell(row: Row): { readonly name: string; readonly data: unknown };
  /** Whether nothing happens any more that `read` has not; asked after the rows before were told. */
  isOver(): Promise<boolean>;
};

/** Streams what happens after the position in `Last-Event-ID`. */
export type EventStreams = ReturnType<typeof eventStreams>;

/** The streams of this process, counted together whatever they tell of. */
export const eventStreams = () => {
  /** The calls of the open streams. */
  const open = new Set<Call>();
  return async <Row extends { readonly position: string }>(
    call: Call,
    lastEventId: string | string[] | undefined,
    openSource: () => Promise<EventSource<Row>>,
  ): Promise<HttpResponse> => {
    const after = positionOf(lastEventId);
    using place = new DisposableStack();
    place.use(takePlace(open, call));
    const source = await openSource();
    const isOver = await source.isOver();
    const first = await source.read({ after, limit: pageSize });
    if (first.length === 0 && isOver) return noContent();
    return inPieces(
      whileRead(place.move(), (signal) => feed(source, { rows: first, after }, signal)),
      ofEvents,
    );
  };
};

/** The place of one more stream. Throws above the limit of its account, of its key or of the process. */
const takePlace = (open: Set<Call>, call: Call): Disposable => {
  const { accountId, actor } = call;
  const ofAccount = [...open].filter((one) => one.accountId === accountId);
  const ofKey = ofAccount.filter((one) => one.actor.type === actor.type && one.actor.id === actor.id);
  for (const [policy, { length }] of [
    ['account', ofAccount],
    ['key', ofKey],
  ] as const) {
    const limit = eventStreamLimits[policy];
    if (length < limit) continue;
    const message = `This ${policy} has ${limit} event streams open, which is the maximum.`;
    throw new Refusal('RATE_LIMITED', message, { policy: `${policy}_streams`, limit }, 5);
  }
  if (open.size >= maxStreams) {
    throw new Refusal('SERVICE_UNAVAILABLE', 'Too many event streams are open now.', null, 5);
  }
  open.add(call);
  return { [Symbol.dispose]: () => open.delete(call) };
};

const ofEvents = {
  contentType: 'text/event-stream; charset=utf-8',
  headers: { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' },
};

const positionOf = (header: string | string[] | undefined): string => {
  if (header === undefined || header === '') return '0';
  if (typeof header === 'string' && /^[0-9]{1,18}$/.test(header)) return header;
  const message = 'Last-Event-ID must be the id of an event of this stream.';
  throw invalidRequest(message, { path: 'Last-Event-ID', code: 'malformed' });
};

/**
 * What happens, until it is over and there is no more to tell: of a job that was cancelled its items may still end, and what
 * was being charged in that moment completes. What comes before the end goes on in the same stream.
 */
async function* feed<Row extends { readonly position: string }>(
  source: EventSource<Row>,
  opened: { readonly rows: readonly Row[]; readonly after: string },
  signal: AbortSignal,
): AsyncIterable<string> {
  const endsAt = elapsedMs() + streamMs;
  let { rows, after } = opened;
  let saidAt = elapsedMs();
  yield 'retry: 1000\n\n';
  while (!signal.aborted) {
    for (const row of rows) {
      const { name, data } = source.tell(row);
      yield `id: ${row.position}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
      after = row.position;
      saidAt = elapsedMs();
    }
    if (elapsedMs() > endsAt) return;
    if (elapsedMs() - saidAt > beatMs) {
      saidAt = elapsedMs();
      yield ': still here\n\n';
    }
    const isLast = rows.length < pageSize && (await source.isOver());
    if (rows.length < pageSize && !isLast) {
      await pause(lookEveryMs, undefined, { signal }).catch(() => undefined);
    }
    // All events precede the end, so this query returns all of them.
    rows = await source.read({ after, limit: pageSize });
    if (isLast && rows.length === 0) return;
  }
}
