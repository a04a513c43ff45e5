import type { Event } from '@event-driven-io/emmett';
import { type SerializedAppend, serializeAppends } from '#src/eventlog/append/serialize-appends.ts';
import type {
  Append,
  AppendOutcome,
  EventLog,
  EventMeta,
  LockedOptions,
  ReadOptions,
  RecordedEvent,
  Snapshot,
} from '#src/eventlog/event-log.ts';
import { wakeList } from '#src/eventlog/postgres-event-log.ts';
import { type EventData, type Upcasters, type Upcasting, upcasting } from '#src/eventlog/upcasting.ts';
import { type Clock, systemClock } from '#src/kernel/clock.ts';

type StoredEvent = {
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: string;
  readonly meta: string;
  readonly stream: string;
  readonly version: bigint;
  readonly position: bigint;
  readonly recordedAt: string;
};

/** All events, by stream and by id. */
const storage = (clock: Clock) => {
  const all: StoredEvent[] = [];
  const streams = new Map<string, StoredEvent[]>();
  const byId = new Map<string, StoredEvent>();
  const versionOf = (stream: string): bigint => BigInt(streams.get(stream)?.length ?? 0);

  const write = ({ stream, events }: SerializedAppend): AppendOutcome => {
    const recordedAt = clock().toISOString();
    const inStream = streams.get(stream) ?? [];
    streams.set(stream, inStream);
    for (const event of events) {
      const version = BigInt(inStream.length + 1);
      const stored = { ...event, stream, version, position: BigInt(all.length + 1), recordedAt };
      all.push(stored);
      inStream.push(stored);
      byId.set(event.id, stored);
    }
    const lastPosition = BigInt(all.length);
    return {
      outcome: 'appended',
      version: BigInt(inStream.length),
      firstPosition: lastPosition - BigInt(events.length) + 1n,
      lastPosition,
    };
  };

  const append = (appends: readonly SerializedAppend[]): readonly AppendOutcome[] => {
    const isFree = appends.every(
      ({ stream, expected, events }) =>
        (expected === null || expected === versionOf(stream)) && events.every(({ id }) => !byId.has(id)),
    );
    return appends.map((part) => (isFree ? write(part) : outcomeOf(part, byId, versionOf(part.stream))));
  };

  return { all, streams, byId, versionOf, append };
};

/**
 * The event log in memory, for tests of what stands on it. It keeps events as JSON, so that what comes back
 * is what the database would give; it refuses `within`, having no transaction.
 */
export const memoryEventLog = (deps: { readonly clock?: Clock; readonly upcasters?: Upcasters } = {}): EventLog => {
  const { clock = systemClock } = deps;
  const shapes = upcasting(deps.upcasters ?? {});
  const { all, streams, byId, versionOf, append } = storage(clock);
  const waking = wakeList();

  const store = (appends: readonly Append[]): readonly AppendOutcome[] => {
    const outcomes = append(serializeAppends(appends, shapes));
    if (outcomes.some(({ outcome }) => outcome === 'appended')) waking.wake(BigInt(all.length));
    return outcomes;
  };
  const tailOf = <E extends Event>(stream: string, from: bigint): readonly RecordedEvent<E>[] =>
    (streams.get(stream) ?? []).slice(Number(from) - 1).map((event) => toRecorded<E>(event, shapes));

  return {
    append: async (appends, options) => {
      if (options?.within !== undefined) throw new Error('the log in memory has no transactions');
      return store(appends);
    },
    appendLocked: async <E extends Event = Event>(
      stream: string,
      from: bigint,
      decide: (tail: readonly RecordedEvent<E>[]) => readonly Append[],
      options?: LockedOptions<E>,
    ) => {
      if (options?.reading !== undefined || options?.within !== undefined)
        throw new Error('the log in memory has no transactions');
      return store(decide(tailOf<E>(stream, from)));
    },
    read: async <E extends Event = Event>(stream: string, options?: ReadOptions) =>
      tailOf<E>(stream, options?.from ?? 1n)
        .filter(({ type }) => options?.types?.includes(type) !== false)
        .slice(0, options?.limit),
    versionOf: async (stream) => versionOf(stream),
    readById: async <E extends Event = Event>(id: string) => {
      const stored = byId.get(id.toLowerCase());
      return stored === undefined ? null : toRecorded<E>(stored, shapes);
    },
    streamsWithPrefix: async (prefix, options) => {
      const names = [...streams.keys()]
        .filter((name) => name.startsWith(prefix))
        .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      return (options?.descending ? names.reverse() : names).slice(0, options?.limit ?? 1_000);
    },
    readAll: async ({ after, limit, types }) => {
      const found = all
        .slice(Number(after))
        .filter(({ type }) => types === undefined || types.includes(type))
        .slice(0, limit)
        .map((event) => toRecorded(event, shapes));
      const head = BigInt(all.length);
      const safeUpTo = found.length < limit ? head : (found.at(-1)?.position ?? head);
      return { events: found, safeUpTo: safeUpTo > after ? safeUpTo : after };
    },
    ...snapshotsInMemory(),
    onAppended: waking.onAppended,
  };
};

const snapshotsInMemory = (): Pick<EventLog, 'loadSnapshot' | 'saveSnapshot' | 'forgetSnapshots'> => {
  type Snapshots = Map<number, { readonly version: bigint; readonly state: string }>;
  const snapshots = new Map<string, Snapshots>();
  return {
    loadSnapshot: async <State>(stream: string, foldVersion: number) => {
      const found = snapshots.get(stream)?.get(foldVersion);
      if (found === undefined) return null;
      const state: State = JSON.parse(found.state);
      return { version: found.version, state };
    },
    saveSnapshot: async <State>(stream: string, foldVersion: number, snapshot: Snapshot<State>) => {
      const kept: Snapshots = snapshots.get(stream) ?? new Map();
      if ((kept.get(foldVersion)?.version ?? 0n) >= snapshot.version) return;
      kept.set(foldVersion, { version: snapshot.version, state: JSON.stringify(snapshot.state) });
      snapshots.set(stream, kept);
    },
    forgetSnapshots: async (stream) => void snapshots.delete(stream),
  };
};

/** What the log holds of an append that it does not store. */
const outcomeOf = (
  { stream, events }: SerializedAppend,
  byId: ReadonlyMap<string, StoredEvent>,
  version: bigint,
): AppendOutcome => {
  const existing = events
    .map(({ id }) => byId.get(id))
    .filter((found) => found !== undefined)
    .sort((a, b) => Number(a.position - b.position));
  const here = existing.filter((found) => found.stream === stream);
  const [first, last] = [here.at(0), here.at(-1)];
  if (first !== undefined && last !== undefined && here.length === events.length) {
    return { outcome: 'duplicate', version: last.version, firstPosition: first.position, lastPosition: last.position };
  }
  return { outcome: 'conflict', version, existingIds: existing.map(({ id }) => id) };
};

const toRecorded = <E extends Event>(stored: StoredEvent, shapes: Upcasting): RecordedEvent<E> => {
  const { type, schemaVersion } = stored;
  const shape: EventData = JSON.parse(stored.data);
  const today: unknown = shapes.upcast(type, schemaVersion, shape);
  const meta: EventMeta = JSON.parse(stored.meta);
  return { ...stored, schemaVersion: shapes.versionOf(type), data: today as E['data'], meta };
};
