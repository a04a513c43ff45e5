import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  CommandHandler,
  type Event,
  type EventStore,
  ExpectedVersionConflictError,
  getInMemoryEventStore,
  isExpectedVersionConflictError,
  type ReadEvent,
  type ReadEventMetadataWithGlobalPosition,
  STREAM_DOES_NOT_EXIST,
  STREAM_EXISTS,
} from '@event-driven-io/emmett';
import { emmettStore } from '#test/support/emmett-store.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

type Counted = Event<'Counted', { by: number }>;
type Store = EventStore<ReadEventMetadataWithGlobalPosition>;

const counted = (by: number): Counted => ({ type: 'Counted', data: { by } });
const count = { initialState: () => 0, evolve: (state: number, { data }: Counted) => state + data.by };

const stores: readonly (readonly [string, () => Promise<{ store: Store } & AsyncDisposable>])[] = [
  ['Emmett in memory', async () => ({ store: getInMemoryEventStore(), [Symbol.asyncDispose]: async () => {} })],
  ['the log in memory', async () => ({ store: emmettStore(memoryEventLog()), [Symbol.asyncDispose]: async () => {} })],
  [
    'the log on Postgres',
    async () => {
      const opened = await logOnPostgres();
      return { store: emmettStore(opened.log), [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
    },
  ],
];

for (const [where, open] of stores) {
  describe(`Emmett’s interface of ${where}`, () => {
    it('appends events and reads them back', async () => {
      await using opened = await open();
      const { store } = opened;
      assert.equal(await store.streamExists('s'), false);
      assert.deepEqual(await store.appendToStream<Counted>('s', [counted(1), counted(2)]), {
        nextExpectedStreamVersion: 2n,
        createdNewStream: true,
      });
      assert.deepEqual(await store.appendToStream<Counted>('s', [counted(3)]), {
        nextExpectedStreamVersion: 3n,
        createdNewStream: false,
      });
      assert.equal(await store.streamExists('s'), true);
      const read = await store.readStream<Counted>('s');
      assert.equal(read.currentStreamVersion, 3n);
      assert.equal(read.streamExists, true);
      assert.deepEqual(
        read.events.map(({ type, kind, data, metadata }) => [
          type,
          kind,
          data.by,
          metadata.streamName,
          metadata.streamPosition,
          typeof metadata.globalPosition,
        ]),
        [
          ['Counted', 'Event', 1, 's', 1n, 'bigint'],
          ['Counted', 'Event', 2, 's', 2n, 'bigint'],
          ['Counted', 'Event', 3, 's', 3n, 'bigint'],
        ],
      );
    });

    it('reads a part of a stream with the version of the whole', async () => {
      await using opened = await open();
      const { store } = opened;
      await store.appendToStream<Counted>('s', [1, 2, 3, 4].map(counted));
      const part = async (options: { from?: bigint; to?: bigint; maxCount?: bigint }) => {
        const { events, currentStreamVersion } = await store.readStream<Counted>('s', options);
        assert.equal(currentStreamVersion, 4n);
        return events.map(({ data }) => data.by);
      };
      assert.deepEqual(await part({ from: 2n }), [3, 4]);
      assert.deepEqual(await part({ from: 1n, to: 3n }), [2, 3]);
      assert.deepEqual(await part({ from: 1n, maxCount: 1n }), [2]);
      assert.deepEqual(await part({ to: 2n }), [1, 2]);
      assert.deepEqual(await part({ maxCount: 3n }), [1, 2, 3]);
      assert.deepEqual(await part({ from: 4n }), []);
      assert.deepEqual(await part({ from: 20n }), []);
    });

    it('reports a missing stream', async () => {
      await using opened = await open();
      assert.deepEqual(await opened.store.readStream('missing'), {
        currentStreamVersion: 0n,
        events: [],
        streamExists: false,
      });
      assert.deepEqual(await opened.store.aggregateStream('missing', count), {
        currentStreamVersion: 0n,
        state: 0,
        streamExists: false,
      });
    });

    it('checks every kind of expected version', async () => {
      await using opened = await open();
      const { store } = opened;
      const add = (expectedStreamVersion: bigint | typeof STREAM_EXISTS) =>
        store.appendToStream<Counted>('s', [counted(1)], { expectedStreamVersion });
      await assert.rejects(add(STREAM_EXISTS), isExpectedVersionConflictError);
      await assert.rejects(add(1n), isExpectedVersionConflictError);
      await add(STREAM_DOES_NOT_EXIST);
      await assert.rejects(add(STREAM_DOES_NOT_EXIST), isExpectedVersionConflictError);
      await assert.rejects(add(0n), isExpectedVersionConflictError);
      await add(STREAM_EXISTS);
      await add(2n);
      await assert.rejects(
        async () => store.readStream('s', { expectedStreamVersion: 2n }),
        isExpectedVersionConflictError,
      );
      assert.equal((await store.readStream('s')).events.length, 3);
    });

    it('folds a stream', async () => {
      await using opened = await open();
      const { store } = opened;
      await store.appendToStream<Counted>('s', [counted(1), counted(2)]);
      assert.deepEqual(await store.aggregateStream('s', count), {
        currentStreamVersion: 2n,
        state: 3,
        streamExists: true,
      });
    });

    it('folds a stream as it was at a version, and returns that version', async () => {
      await using opened = await open();
      const { store } = opened;
      await store.appendToStream<Counted>('s', [counted(1), counted(2)]);
      await store.appendToStream<Counted>('s', [counted(4)]);
      for (const [to, state] of [
        [0n, 0],
        [1n, 1],
        [2n, 3],
        [3n, 7],
      ] as const) {
        assert.deepEqual(await store.aggregateStream('s', { ...count, read: { to } }), {
          currentStreamVersion: to,
          state,
          streamExists: true,
        });
      }
    });

    it('refuses an append that expects the version of an earlier state', async () => {
      await using opened = await open();
      const { store } = opened;
      await store.appendToStream<Counted>('s', [counted(1), counted(2)]);
      const { currentStreamVersion: expectedStreamVersion } = await store.aggregateStream('s', {
        ...count,
        read: { to: 1n },
      });
      await assert.rejects(
        store.appendToStream<Counted>('s', [counted(9)], { expectedStreamVersion }),
        isExpectedVersionConflictError,
      );
      assert.equal((await store.aggregateStream('s', count)).state, 3);
    });

    it('passes the metadata of an event to the fold', async () => {
      await using opened = await open();
      const { store } = opened;
      await store.appendToStream<Counted>('s', [counted(5), counted(5)]);
      type ReadCounted = ReadEvent<Counted, ReadEventMetadataWithGlobalPosition>;
      const { state } = await store.aggregateStream('s', {
        initialState: (): readonly bigint[] => [],
        evolve: (positions: readonly bigint[], { metadata }: ReadCounted) => [...positions, metadata.streamPosition],
      });
      assert.deepEqual(state, [1n, 2n]);
    });

    it('distinguishes a stream that exists from one that does not', async () => {
      await using opened = await open();
      const { store } = opened;
      assert.equal(await store.streamExists('a'), false);
      await store.appendToStream<Counted>('a', [counted(1)]);
      assert.deepEqual([await store.streamExists('a'), await store.streamExists('b')], [true, false]);
      await store.appendToStream<Counted>('b', [counted(1)]);
      assert.deepEqual([await store.streamExists('a'), await store.streamExists('b')], [true, true]);
      const missing = await store.readStream('c', { from: 2n, maxCount: 2n });
      assert.deepEqual([missing.events, missing.streamExists], [[], false]);
    });

    it('tries a command once when no retry is wanted', async () => {
      await using opened = await open();
      const { store } = opened;
      const handle = CommandHandler<number, Counted>(count);
      await handle(store, 's', () => counted(1), { expectedStreamVersion: STREAM_DOES_NOT_EXIST });
      let tries = 0;
      const conflicting = handle(store, 's', () => {
        tries += 1;
        throw new ExpectedVersionConflictError(0n, 1n);
      });
      await assert.rejects(conflicting, isExpectedVersionConflictError);
      assert.equal(tries, 1);
    });

    it('upcasts old events with the function of a reader', async () => {
      await using opened = await open();
      const { store } = opened;
      await store.appendToStream('s', [{ type: 'Counted', data: { one: true } }]);
      const upcast = () => counted(1);
      const { state } = await store.aggregateStream<number, Counted>('s', {
        ...count,
        read: { schema: { versioning: { upcast } } },
      });
      assert.equal(state, 1);
    });

    it('handles commands, even when writers race', async () => {
      await using opened = await open();
      const { store } = opened;
      const handle = CommandHandler<number, Counted>({
        ...count,
        retry: { retries: 20, minTimeout: 1, factor: 1, shouldRetryError: isExpectedVersionConflictError },
      });
      const up = () => handle(store, 's', (state) => (state < 5 ? counted(1) : []));
      const results = await Promise.all(Array.from({ length: 8 }, up));
      assert.ok(results.every(({ newState }) => newState <= 5));
      assert.equal((await store.aggregateStream('s', count)).state, 5);
    });
  });
}

describe('Emmett’s interface of a log', () => {
  it('takes the event id and the meta from the metadata', async () => {
    await using opened = await logOnPostgres();
    const { log } = opened;
    const store = emmettStore(log);
    const messageId = '0b6ad0b4-5f63-4a4c-8f4d-5b1f2b0f8a11';
    const event = {
      ...counted(1),
      metadata: { messageId, occurred_at: '2026-01-01T00:00:00.000Z', request_id: 'req_1' },
    };
    await store.appendToStream('s', [event]);
    const again = await store.appendToStream('s', [event]);
    assert.equal(again.nextExpectedStreamVersion, 1n);
    const recorded = await log.readById(messageId);
    assert.deepEqual(recorded?.meta, { occurred_at: '2026-01-01T00:00:00.000Z', request_id: 'req_1' });
  });

  it('applies both bounds of a read', async () => {
    const store = emmettStore(memoryEventLog());
    await store.appendToStream<Counted>('s', [1, 2, 3, 4].map(counted));
    const bounded = async (options: { from: bigint; to: bigint; maxCount?: bigint }) =>
      (await store.readStream<Counted>('s', options)).events.map(({ data }) => data.by);
    assert.deepEqual(await bounded({ from: 1n, to: 4n, maxCount: 2n }), [2, 3]);
    assert.deepEqual(await bounded({ from: 3n, to: 1n }), []);
  });
});
