import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import type { EventLog } from '#src/eventlog/event-log.ts';
import { event as declareEvent } from '#src/eventlog/event-schema.ts';
import { genesisHash, sealed } from '#src/eventlog/hash-chain.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { currentSchemaVersion, NewerSchemaVersionError, type Upcasters } from '#src/eventlog/upcasting.ts';
import { event, idOf, logOnPostgres } from '#test/support/eventlog.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

type TestLog = { readonly log: EventLog } & AsyncDisposable;
type OpenLog = (options?: { upcasters?: Upcasters }) => Promise<TestLog>;

const inMemory: OpenLog = async (options = {}) => ({
  log: memoryEventLog(options),
  [Symbol.asyncDispose]: async () => {},
});

const append = async (log: EventLog, stream: string, names: string[], expected?: bigint) => {
  const events = names.map((name) => event(name));
  return (await log.append([{ stream, expected: expected ?? 'any', events }]))[0];
};

const namesOf = (events: Awaited<ReturnType<EventLog['read']>>) => events.map(({ data }) => data['name']);

const logs: readonly (readonly [string, OpenLog])[] = [
  ['in memory', inMemory],
  ['on Postgres', logOnPostgres],
];

for (const [where, open] of logs) {
  describe(`the event log ${where}`, () => {
    it('returns events as they were appended, with versions from 1 and increasing positions', async () => {
      await using opened = await open();
      const { log } = opened;
      const data = { text: 'Grüße, 日本, 🎬 "quoted" \\u0000', n: 9007199254740991, list: [1, { a: null }] };
      const meta = {
        occurred_at: '2026-11-21T10:00:00.000Z',
        correlation_id: 'req_1',
        actor: { type: 'key', id: 'key_1' },
      };
      const outcome = await log.append([
        { stream: 'notes-1', expected: 0n, events: [{ ...event('a', data), meta }, event('b')] },
      ]);
      const [first, second] = await log.read('notes-1');
      assert.ok(first && second);
      const { position, recordedAt, ...rest } = first;
      assert.deepEqual(rest, {
        id: idOf('a'),
        type: 'Noted',
        schemaVersion: 1,
        data,
        meta,
        stream: 'notes-1',
        version: 1n,
      });
      assert.match(recordedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(second.version, 2n);
      assert.ok(second.position > position);
      assert.deepEqual(outcome, [
        { outcome: 'appended', version: 2n, firstPosition: position, lastPosition: second.position },
      ]);
    });

    it('refuses a wrong expected version, lower or higher, and stores nothing', async () => {
      await using opened = await open();
      const { log } = opened;
      await append(log, 's', ['a', 'b']);
      for (const expected of [0n, 1n, 3n]) {
        assert.deepEqual(await append(log, 's', ['c'], expected), {
          outcome: 'conflict',
          version: 2n,
          existingIds: [],
        });
      }
      assert.deepEqual(await append(log, 'missing', ['c'], 1n), { outcome: 'conflict', version: 0n, existingIds: [] });
      assert.deepEqual(namesOf(await log.read('s')), ['a', 'b']);
      assert.equal(await log.versionOf('missing'), 0n);
      assert.equal((await append(log, 's', ['c'], 2n))?.outcome, 'appended');
    });

    for (const expected of [undefined, 0n, 1n, 2n]) {
      it(`returns the positions of the first append for a repeat (expecting ${expected ?? 'any'})`, async () => {
        await using opened = await open();
        const { log } = opened;
        const first = await append(log, 's', ['a', 'b'], 0n);
        await append(log, 'other', ['x']);
        const again = await append(log, 's', ['a', 'b'], expected);
        assert.deepEqual(again, { ...first, outcome: 'duplicate' });
        assert.equal(await log.versionOf('s'), 2n);
      });

      it(`returns the ids that exist when only some do (expecting ${expected ?? 'any'})`, async () => {
        await using opened = await open();
        const { log } = opened;
        await append(log, 's', ['a', 'b'], 0n);
        assert.deepEqual(await append(log, 's', ['b', 'c'], expected), {
          outcome: 'conflict',
          version: 2n,
          existingIds: [idOf('b')],
        });
        assert.deepEqual(namesOf(await log.read('s')), ['a', 'b']);
      });
    }

    it('keeps event ids unique across all streams', async () => {
      await using opened = await open();
      const { log } = opened;
      await append(log, 's', ['a']);
      assert.deepEqual(await append(log, 'other', ['a'], 0n), {
        outcome: 'conflict',
        version: 0n,
        existingIds: [idOf('a')],
      });
      assert.equal(await log.versionOf('other'), 0n);
    });

    it('appends to many streams together or to none, with the outcome of each', async () => {
      await using opened = await open();
      const { log } = opened;
      const streams = Array.from({ length: 20 }, (_, n) => `s${(n * 7) % 20}`);
      const appends = (round: number, sizeOf: (n: number) => number, expected: bigint) =>
        streams.map((stream, n) => ({
          stream,
          expected,
          events: Array.from({ length: sizeOf(n) }, (_, at) => event(`${stream} ${round} ${at}`)),
        }));
      await log.append(appends(1, () => 1, 0n));
      const together = appends(2, (n) => 1 + (n % 3), 1n);
      const outcomes = await log.append(together);
      for (const [n, stream] of streams.entries()) {
        const [, ...added] = await log.read(stream);
        assert.deepEqual(
          added.map(({ data, version }) => [data['name'], version]),
          together[n]?.events.map(({ data }, at) => [data['name'], BigInt(2 + at)]),
        );
        assert.deepEqual(outcomes[n], {
          outcome: 'appended',
          version: added.at(-1)?.version,
          firstPosition: added[0]?.position,
          lastPosition: added.at(-1)?.position,
        });
      }
      assert.deepEqual(
        await log.append(together),
        outcomes.map((one) => ({ ...one, outcome: 'duplicate' })),
      );
      // Every third stream is at another version than the rest.
      const refused = await log.append(appends(3, () => 1, 2n));
      const versions = streams.map((_, n) => BigInt(2 + (n % 3)));
      assert.deepEqual(
        refused,
        versions.map((version) => ({ outcome: 'conflict', version, existingIds: [] })),
      );
      assert.deepEqual(await Promise.all(streams.map((one) => log.versionOf(one))), versions);
    });

    it('appends to several streams together, with outcomes in the order given', async () => {
      await using opened = await open();
      const { log } = opened;
      await append(log, 'm', ['m1']);
      const appends = [
        { stream: 'z', expected: 0n, events: [event('z1')] },
        { stream: 'm', expected: 1n, events: [event('m2'), event('m3')] },
        { stream: 'a', expected: 'any' as const, events: [event('a1')] },
      ];
      const outcomes = await log.append(appends);
      assert.deepEqual(
        outcomes.map(({ outcome, version }) => [outcome, version]),
        [
          ['appended', 1n],
          ['appended', 3n],
          ['appended', 1n],
        ],
      );
      assert.deepEqual(
        await log.append(appends),
        outcomes.map((outcome) => ({ ...outcome, outcome: 'duplicate' })),
      );
    });

    for (const [why, last] of [
      ['another version', { stream: 'z', expected: 7n, events: [event('z1')] }],
      ['an id that exists', { stream: 'z', expected: 0n, events: [event('m1')] }],
    ] as const) {
      it(`stores nothing in any stream when one has ${why}`, async () => {
        await using opened = await open();
        const { log } = opened;
        await append(log, 'm', ['m1']);
        const outcomes = await log.append([
          { stream: 'm', expected: 1n, events: [event('m2')] },
          { stream: 'fresh', expected: 0n, events: [event('f1')] },
          { stream: 'also', expected: 'any', events: [event('f2')] },
          last,
        ]);
        assert.deepEqual(
          outcomes.map(({ outcome, version }) => [outcome, version]),
          [
            ['conflict', 1n],
            ['conflict', 0n],
            ['conflict', 0n],
            ['conflict', 0n],
          ],
        );
        assert.deepEqual(await log.streamsWithPrefix(''), ['m']);
        assert.deepEqual(namesOf(await log.read('m')), ['m1']);
        assert.equal((await append(log, 'm', ['m2'], 1n))?.outcome, 'appended');
        assert.equal((await append(log, 'fresh', ['f1'], 0n))?.outcome, 'appended');
      });
    }

    it('stores nothing when a part is a repeat and a part is not', async () => {
      await using opened = await open();
      const { log } = opened;
      await append(log, 'a', ['a1']);
      const outcomes = await log.append([
        { stream: 'a', expected: 0n, events: [event('a1')] },
        { stream: 'b', expected: 0n, events: [event('b1')] },
      ]);
      assert.deepEqual(
        outcomes.map(({ outcome }) => outcome),
        ['duplicate', 'conflict'],
      );
      assert.equal(await log.versionOf('b'), 0n);
    });

    it('refuses invalid appends before it stores anything', async () => {
      await using opened = await open();
      const { log } = opened;
      const refused = async (message: RegExp, ...appends: Parameters<EventLog['append']>[0]) =>
        assert.rejects(log.append(appends), { name: 'InvalidAppendError', message });
      const to = (stream: string, ...events: ReturnType<typeof event>[]) => ({
        stream,
        expected: 'any' as const,
        events,
      });
      await refused(/data of Noted holds a NUL/, to('s', event('a', { name: 'a\0b' })));
      await refused(/half a surrogate/, to('s', event('a', { deep: [{ text: '\ud83c' }] })));
      await refused(/data of Noted holds a NUL/, to('s', event('a', { 'a\0': 1 })));
      await refused(/is not a UUID/, to('s', { ...event('a'), id: 'evt_1' }));
      await refused(/comes twice/, to('s', event('a'), event('a')));
      await refused(/stream s comes twice/, to('s', event('a')), to('s', event('b')));
      await refused(/nothing to append/, to('s'));
      await refused(/1 to 500 characters/, to('', event('a')));
      await refused(/not storable text/, to('s\0', event('a')));
      await refused(/schema version 2; the current one is 1/, to('s', { ...event('a'), schemaVersion: 2 }));
      assert.deepEqual(await log.append([]), []);
      assert.deepEqual(await log.streamsWithPrefix(''), []);
    });

    it('reads a stream from a version, up to a limit', async () => {
      await using opened = await open();
      const { log } = opened;
      await append(log, 's', ['a', 'b', 'c', 'd']);
      const read = await log.read('s', { from: 2n, limit: 2 });
      assert.deepEqual(
        read.map(({ data, version }) => [data['name'], version]),
        [
          ['b', 2n],
          ['c', 3n],
        ],
      );
      assert.deepEqual(await log.read('s', { from: 9n }), []);
      assert.deepEqual(await log.read('missing'), []);
    });

    it('reads the events of some types from a stream, from a version, up to a limit', async () => {
      await using opened = await open();
      const { log } = opened;
      const events = ['a', 'b', 'c', 'd', 'e'].map((name, n) => event(name, { name }, n % 2 === 0 ? 'Noted' : 'Other'));
      await log.append([{ stream: 's', expected: 0n, events }]);
      const types = ['Noted', 'Unheard'];
      assert.deepEqual(namesOf(await log.read('s', { types })), ['a', 'c', 'e']);
      const page = await log.read('s', { types, from: 2n, limit: 1 });
      assert.deepEqual(
        page.map(({ data, version }) => [data['name'], version]),
        [['c', 3n]],
      );
      assert.deepEqual(await log.read('s', { types: [] }), []);
    });

    it('finds an event by its id', async () => {
      await using opened = await open();
      const { log } = opened;
      await append(log, 's', ['a', 'b']);
      assert.equal((await log.readById(idOf('b')))?.version, 2n);
      assert.equal((await log.readById(idOf('b').toUpperCase()))?.version, 2n);
      assert.equal(await log.readById(idOf('c')), null);
      assert.equal(await log.readById('evt_not_a_uuid'), null);
    });

    it('lists streams with a prefix in the order of their bytes', async () => {
      await using opened = await open();
      const { log } = opened;
      const streams = ['b-1', 'a-%2', 'a-10', 'a-_', 'a-9', 'a-ä', 'a-Z', 'a-😀', 'a-￿', 'a'];
      for (const stream of streams) await append(log, stream, [stream]);
      const ordered = ['a-%2', 'a-10', 'a-9', 'a-Z', 'a-_', 'a-ä', 'a-￿', 'a-😀'];
      assert.deepEqual(await log.streamsWithPrefix('a-'), ordered);
      assert.deepEqual(await log.streamsWithPrefix('a-', { limit: 2, descending: true }), ['a-😀', 'a-￿']);
      assert.deepEqual(await log.streamsWithPrefix('a-_'), ['a-_']);
      assert.deepEqual(await log.streamsWithPrefix('c'), []);
    });

    it('reads all streams in one order, page by page, with or without types', async () => {
      await using opened = await open();
      const { log } = opened;
      const other = event('b1', { name: 'b1' }, 'Other');
      await append(log, 'a', ['a1', 'a2']);
      await log.append([{ stream: 'b', expected: 0n, events: [other] }]);
      await append(log, 'a', ['a3']);
      const all = await log.readAll({ after: 0n, limit: 100 });
      assert.deepEqual(namesOf(all.events), ['a1', 'a2', 'b1', 'a3']);
      assert.equal(all.safeUpTo, all.events.at(-1)?.position);

      const page = await log.readAll({ after: 0n, limit: 2 });
      assert.equal(page.safeUpTo, page.events[1]?.position);
      const rest = await log.readAll({ after: page.safeUpTo, limit: 2 });
      assert.deepEqual(namesOf(rest.events), ['b1', 'a3']);

      const others = await log.readAll({ after: 0n, limit: 100, types: ['Other'] });
      assert.deepEqual(namesOf(others.events), ['b1']);
      assert.equal(others.safeUpTo, all.safeUpTo);
      assert.deepEqual(await log.readAll({ after: all.safeUpTo, limit: 1 }), { events: [], safeUpTo: all.safeUpTo });
    });

    it('decides on the newest events under the lock of a stream', async () => {
      await using opened = await open();
      const { log } = opened;
      await append(log, 's', ['a', 'b']);
      const outcomes = await log.appendLocked('s', 2n, (tail) => {
        assert.deepEqual(namesOf(tail), ['b']);
        return [{ stream: 's', expected: 2n, events: [event('c')] }];
      });
      assert.equal(outcomes[0]?.outcome, 'appended');
      assert.deepEqual(await log.appendLocked('s', 1n, () => []), []);
      const again = await log.appendLocked('s', 1n, () => [{ stream: 's', expected: 3n, events: [event('c')] }]);
      assert.equal(again[0]?.outcome, 'duplicate');
      const undecided = log.appendLocked('s', 1n, () => {
        throw new Error('cannot decide');
      });
      await assert.rejects(undecided, /cannot decide/);
      assert.equal((await append(log, 's', ['d'], 3n))?.outcome, 'appended');
    });

    it('keeps the newest snapshot of a fold version until it is removed', async () => {
      await using opened = await open();
      const { log } = opened;
      assert.equal(await log.loadSnapshot('s', 1), null);
      await log.saveSnapshot('s', 1, { version: 5n, state: { sum: 5 } });
      await log.saveSnapshot('s', 1, { version: 3n, state: { sum: 3 } });
      await log.saveSnapshot('s', 2, { version: 1n, state: { total: 1 } });
      assert.deepEqual(await log.loadSnapshot('s', 1), { version: 5n, state: { sum: 5 } });
      assert.deepEqual(await log.loadSnapshot('s', 2), { version: 1n, state: { total: 1 } });
      await log.saveSnapshot('other', 1, { version: 1n, state: {} });
      await log.forgetSnapshots('s');
      assert.equal(await log.loadSnapshot('s', 1), null);
      assert.equal(await log.loadSnapshot('s', 2), null);
      assert.deepEqual(await log.loadSnapshot('other', 1), { version: 1n, state: {} });
    });

    it('calls listeners once for each stored append, and not for others', async () => {
      await using opened = await open();
      const { log } = opened;
      const heard: bigint[] = [];
      const stop = log.onAppended((position) => heard.push(position));
      const first = await append(log, 's', ['a']);
      await append(log, 's', ['a']);
      await append(log, 's', ['b'], 0n);
      stop();
      await append(log, 's', ['c']);
      assert.deepEqual(heard, [first?.outcome === 'appended' ? first.lastPosition : null]);
    });

    it('stores one of twenty concurrent appends at the same version', async () => {
      await using opened = await open();
      const { log } = opened;
      const writers = Array.from({ length: 20 }, (_, n) => append(log, 's', [`w${n}`], 0n));
      const outcomes = (await Promise.all(writers)).map((outcome) => outcome?.outcome);
      assert.equal(outcomes.filter((outcome) => outcome === 'appended').length, 1);
      assert.equal(outcomes.filter((outcome) => outcome === 'conflict').length, 19);
      assert.equal((await log.read('s')).length, 1);
    });

    it('accepts events only in their current schema version', async () => {
      const upcasters: Upcasters = {
        Noted: { 1: ({ name }) => ({ title: name }), 2: ({ title }) => ({ title, language: 'en' }) },
      };
      await using opened = await open({ upcasters });
      const { log } = opened;
      const noted = { ...event('a', { title: 'A', language: 'de' }), schemaVersion: 3 };
      await log.append([{ stream: 's', expected: 0n, events: [noted] }]);
      const [read] = await log.read('s');
      assert.deepEqual(read?.data, { title: 'A', language: 'de' });
      const old = log.append([{ stream: 's', expected: 1n, events: [event('b')] }]);
      await assert.rejects(old, { name: 'InvalidAppendError' });
    });

    it('sets the current schema version on events that leave it to the log, unless they are hashed', async () => {
      const upcasters: Upcasters = { Noted: { 1: ({ name }) => ({ title: name }) } };
      await using opened = await open({ upcasters });
      const { log } = opened;
      const noted = { ...event('a', { title: 'A' }), schemaVersion: currentSchemaVersion };
      await log.append([{ stream: 's', expected: 0n, events: [noted] }]);
      const [read] = await log.read('s');
      assert.deepEqual([read?.data, read?.schemaVersion], [{ title: 'A' }, 2]);
      const { event: sealedOne } = sealed(
        { ...noted, id: idOf('b') },
        { stream: 's', version: 2n, prevHash: genesisHash },
      );
      const hashed = log.append([{ stream: 's', expected: 1n, events: [sealedOne] }]);
      await assert.rejects(hashed, { name: 'InvalidAppendError', message: /schema version 0/ });
    });
  });
}

const schemas = { Noted: declareEvent('A note.', {}) };

describe('upcasters', () => {
  it('with a gap are refused at start-up', () => {
    assert.throws(() => memoryEventLog({ upcasters: { Noted: { 2: (data) => data } } }), /gap/);
  });

  it('upcast events of older versions, and stop at events of newer ones', async () => {
    await using opened = await logOnPostgres({
      upcasters: { Noted: { 1: ({ name }) => ({ title: name }), 2: (d) => ({ ...d, to: 'all' }) } },
    });
    const { log, pool } = opened;
    const store = (schema_version: number, id: string, data: object) =>
      pool.query('SELECT * FROM es_append($1, $2, $3)', [
        ['s'],
        [null],
        JSON.stringify([[{ event_id: idOf(id), type: 'Noted', schema_version, data, meta: {} }]]),
      ]);
    await store(1, 'a', { name: 'A' });
    await store(2, 'b', { title: 'B' });
    const read = await log.read('s');
    assert.deepEqual(
      read.map(({ data, schemaVersion }) => [data, schemaVersion]),
      [
        [{ title: 'A', to: 'all' }, 3],
        [{ title: 'B', to: 'all' }, 3],
      ],
    );
    await store(4, 'c', { who: 'knows' });
    await assert.rejects(log.read('s'), NewerSchemaVersionError);
    await assert.rejects(log.readAll({ after: 0n, limit: 10 }), /Noted has schema version 4/);
  });

  it('return data that fit the schema of the type, or throw', async () => {
    await using opened = await logOnPostgres();
    const upcasters: Upcasters = { Noted: { 1: ({ name }) => ({ title: name }) } };
    const log = postgresEventLog({
      pool: opened.pool,
      upcasters,
      schemas: { Noted: declareEvent('A note.', { title: z.string() }) },
    });
    for (const [stream, name] of [
      ['good', 'A'],
      ['bad', 7],
    ] as const) {
      await opened.log.append([{ stream, expected: 0n, events: [{ ...event(stream, { name }), schemaVersion: 1 }] }]);
    }
    const [noted] = await log.read('good');
    assert.deepEqual(noted?.data, { title: 'A' });
    await assert.rejects(log.read('bad'), /upcasting Noted from version 1: .*title/s);
  });

  it('stop at unknown types if the known ones are given', async () => {
    await using opened = await logOnPostgres();
    const told = postgresEventLog({ pool: opened.pool, schemas });
    await told.append([{ stream: 's', expected: 0n, events: [event('a')] }]);
    assert.equal((await told.read('s')).length, 1);
    await opened.log.append([{ stream: 's', expected: 1n, events: [event('b', { name: 'b' }, 'Sung')] }]);
    await assert.rejects(told.read('s'), /Sung is not known to this program/);
    await assert.rejects(told.read('s', { types: ['Noted'] }), NewerSchemaVersionError, 'none is passed over');
    await assert.rejects(
      told.appendLocked('s', 1n, () => []),
      NewerSchemaVersionError,
    );
    const { events } = await told.readAll({ after: 0n, limit: 10, types: ['Noted'] });
    assert.equal(events.length, 1);
  });
});
