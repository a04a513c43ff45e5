import type { Append, NewEvent } from '../event-log.ts';
import { currentSchemaVersion, type Upcasting } from '../upcasting.ts';

/** The longest stream name, in characters; the migration has the same limit. */
const maxStreamLength = 500;
/** Limits of one append: a larger one is a fault of its caller. */
const maxEventsPerAppend = 10_000;
const maxStreamsPerAppend = 1_000;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** The escapes that JSON.stringify writes for NUL and lone surrogates; after an even number of backslashes it is text. */
const unstorable = /(?<!\\)(\\\\)*\\u(0000|d[89a-f])/;

/** Whether this text can be the id of an event. */
export const isUuid = (id: string): boolean => uuid.test(id);

/** An append was refused before it reached the database: its caller is at fault. */
export class InvalidAppendError extends Error {
  override readonly name = 'InvalidAppendError';
}

/** An event as it is stored: `data` and `meta` as JSON text. */
export type SerializedEvent = Pick<NewEvent, 'id' | 'type' | 'schemaVersion'> &
  Readonly<Record<'data' | 'meta', string>>;

export type SerializedAppend = {
  readonly stream: string;
  /** Null: any version. */
  readonly expected: bigint | null;
  readonly events: readonly SerializedEvent[];
};

/** Validates appends, and writes their events as JSON. */
export const serializeAppends = (appends: readonly Append[], upcasting: Upcasting): readonly SerializedAppend[] => {
  const count = appends.reduce((sum, { events }) => sum + events.length, 0);
  if (count > maxEventsPerAppend) {
    throw new InvalidAppendError(`${count} events in one append; ${maxEventsPerAppend} is the most`);
  }
  if (appends.length > maxStreamsPerAppend) {
    throw new InvalidAppendError(`${appends.length} streams in one append; ${maxStreamsPerAppend} is the most`);
  }
  const ids = new Set<string>();
  const streams = new Set<string>();
  return appends.map(({ stream, expected, events }) => {
    checkStream(stream);
    if (streams.has(stream)) {
      throw new InvalidAppendError(`stream ${stream} comes twice in one append`);
    }
    streams.add(stream);
    if (events.length === 0) throw new InvalidAppendError(`nothing to append to ${stream}`);
    if (expected !== 'any' && expected < 0n) {
      throw new InvalidAppendError(`version ${expected} expected of ${stream}`);
    }
    return {
      stream,
      expected: expected === 'any' ? null : expected,
      events: events.map((event) => serializeEvent(event, upcasting, ids)),
    };
  });
};

const checkStream = (stream: string): void => {
  if (stream.length === 0 || stream.length > maxStreamLength) {
    throw new InvalidAppendError(`a stream name has 1 to ${maxStreamLength} characters: "${stream}"`);
  }
  if (!stream.isWellFormed() || stream.includes('\0')) {
    throw new InvalidAppendError(`stream name ${JSON.stringify(stream)} is not storable text`);
  }
};

const serializeEvent = (event: NewEvent, upcasting: Upcasting, ids: Set<string>): SerializedEvent => {
  const { type } = event;
  const id = event.id.toLowerCase();
  if (!isUuid(id)) throw new InvalidAppendError(`id "${event.id}" of ${type} is not a UUID`);
  if (ids.has(id)) throw new InvalidAppendError(`id ${id} of ${type} comes twice in one append`);
  ids.add(id);
  const known = upcasting.versionOf(type);
  if (!isOf(known, event)) {
    const { schemaVersion } = event;
    throw new InvalidAppendError(`${type} has schema version ${schemaVersion}; the current one is ${known}`);
  }
  return {
    id,
    type,
    schemaVersion: known,
    data: serialize(event.data, 'data', type),
    meta: serialize(event.meta, 'meta', type),
  };
};

/** The hash of an event covers its schema version, so a sealed event must state it. */
const isOf = (known: number, { schemaVersion, meta }: NewEvent): boolean =>
  schemaVersion === known || (schemaVersion === currentSchemaVersion && meta.chain === undefined);

const serialize = (value: unknown, what: 'data' | 'meta', type: string): string => {
  const json = JSON.stringify(value);
  if (unstorable.test(json)) {
    throw new InvalidAppendError(`${what} of ${type} holds a NUL character or half a surrogate pair`);
  }
  return json;
};
