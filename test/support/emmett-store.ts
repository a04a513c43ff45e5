import {
  type AggregateStreamOptions,
  type AggregateStreamResult,
  type AppendToStreamOptions,
  type AppendToStreamResult,
  assertExpectedVersionMatchesCurrent,
  type Event,
  type EventStore,
  type ExpectedStreamVersion,
  ExpectedVersionConflictError,
  NO_CONCURRENCY_CHECK,
  type ReadEvent,
  type ReadEventMetadataWithGlobalPosition,
  type ReadStreamOptions,
  type ReadStreamResult,
  STREAM_DOES_NOT_EXIST,
  STREAM_EXISTS,
  upcastRecordedMessage,
} from '@event-driven-io/emmett';
import type { EventLog, EventMeta, NewEvent, RecordedEvent } from '#src/eventlog/event-log.ts';
import { currentSchemaVersion } from '#src/eventlog/upcasting.ts';
import { type Clock, systemClock } from '#src/kernel/clock.ts';
import { newUuid } from '#src/kernel/ids.ts';

type Metadata = ReadEventMetadataWithGlobalPosition;

/** The part of Emmett's interface that a log fills; versions and positions are bigints. */
export type EmmettStore = EventStore<Metadata>;

/**
 * Emmett's `EventStore` over a log. An event's `metadata` becomes its `meta`; `metadata.messageId`, a UUID, its
 * id (one is made where there is none), and `occurred_at` is now where there is none. `from` and `to` count
 * as in Emmett's store in memory: from = events to skip, to = last version.
 */
export const emmettStore = (
  log: Pick<EventLog, 'append' | 'read' | 'versionOf'>,
  clock: Clock = systemClock,
): EmmettStore => {
  const readStream = async <E extends Event, Payload extends Event = E>(
    streamName: string,
    options?: ReadStreamOptions<bigint, E, Payload>,
  ): Promise<ReadStreamResult<E, Metadata>> => {
    const from = options?.from ?? 0n;
    const [version, recorded] = await readConsistently(log, streamName, from + 1n, limitOf(options));
    assertExpectedVersionMatchesCurrent(version, options?.expectedStreamVersion, 0n);
    return {
      currentStreamVersion: version,
      events: recorded.map((event) => toReadEvent<E, Payload>(event, options)),
      streamExists: version > 0n,
    };
  };

  return {
    readStream,

    aggregateStream: async <State, E extends Event, Payload extends Event = E>(
      streamName: string,
      { evolve, initialState, read }: AggregateStreamOptions<State, E, Metadata, Payload>,
    ): Promise<AggregateStreamResult<State, bigint>> => {
      const { events, streamExists, ...stream } = await readStream<E, Payload>(streamName, read);
      const skipped = read?.from ?? 0n;
      const before = skipped < stream.currentStreamVersion ? skipped : stream.currentStreamVersion;
      return {
        // The version of the state, not of the stream: an append that expects it conflicts with events not folded.
        currentStreamVersion: events.at(-1)?.metadata.streamPosition ?? before,
        streamExists,
        state: events.reduce<State>((folded, event) => evolve(folded, event), initialState()),
      };
    },

    appendToStream: async <E extends Event, Payload extends Event = E>(
      streamName: string,
      events: E[],
      options?: AppendToStreamOptions<bigint, E, Payload>,
    ): Promise<AppendToStreamResult<bigint>> => {
      const expected = options?.expectedStreamVersion ?? NO_CONCURRENCY_CHECK;
      if (expected === STREAM_EXISTS) {
        assertExpectedVersionMatchesCurrent(await log.versionOf(streamName), expected, 0n);
      }
      const downcast = options?.schema?.versioning?.downcast;
      const [outcome] = await log.append([
        {
          stream: streamName,
          expected: toExpected(expected),
          events: events.map((event) => toNewEvent(downcast?.(event) ?? event, clock)),
        },
      ]);
      if (outcome === undefined || outcome.outcome === 'conflict') {
        throw new ExpectedVersionConflictError(outcome?.version ?? 0n, expected);
      }
      return {
        nextExpectedStreamVersion: outcome.version,
        createdNewStream: outcome.outcome === 'appended' && outcome.version === BigInt(events.length),
      };
    },

    streamExists: async (streamName) => (await log.versionOf(streamName)) > 0n,
  };
};

/** How many events a read returns at most; undefined: all. */
const limitOf = ({
  from = 0n,
  to,
  maxCount,
}: Pick<ReadStreamOptions<bigint>, 'from' | 'to' | 'maxCount'> = {}): bigint | undefined => {
  const limits = [maxCount, to === undefined ? undefined : to - from].filter((limit) => limit !== undefined);
  if (limits.length === 0) return undefined;
  const least = limits.reduce((min, limit) => (limit < min ? limit : min));
  return least < 0n ? 0n : least;
};

/** The version that goes with the events: that of the last one, asked for only when the read may have ended before it. */
const readConsistently = async (
  log: Pick<EventLog, 'read' | 'versionOf'>,
  stream: string,
  from: bigint,
  most: bigint | undefined,
): Promise<readonly [bigint, readonly RecordedEvent[]]> => {
  const events =
    most === undefined ? await log.read(stream, { from }) : await log.read(stream, { from, limit: Number(most) });
  const last = events.at(-1);
  const isWhole = last !== undefined && most === undefined;
  return [isWhole ? last.version : await log.versionOf(stream), events];
};

const toExpected = (expected: ExpectedStreamVersion<bigint>): bigint | 'any' => {
  if (typeof expected === 'bigint') return expected;
  return expected === STREAM_DOES_NOT_EXIST ? 0n : 'any';
};

const toNewEvent = (event: Event, clock: Clock): NewEvent => {
  const { messageId, ...meta }: Partial<EventMeta> & { readonly messageId?: string } =
    'metadata' in event ? { ...Object(event.metadata) } : {};
  return {
    id: messageId ?? newUuid(),
    type: event.type,
    schemaVersion: currentSchemaVersion,
    data: event.data,
    meta: { occurred_at: clock().toISOString(), ...meta },
  };
};

const toReadEvent = <E extends Event, Payload extends Event>(
  recorded: RecordedEvent,
  options: ReadStreamOptions<bigint, E, Payload> | undefined,
): ReadEvent<E, Metadata> => {
  const event: unknown = {
    kind: 'Event',
    type: recorded.type,
    data: recorded.data,
    metadata: {
      ...recorded.meta,
      messageId: recorded.id,
      streamName: recorded.stream,
      streamPosition: recorded.version,
      globalPosition: recorded.position,
    },
  };
  return upcastRecordedMessage(event as ReadEvent<Payload, Metadata>, options?.schema?.versioning);
};
