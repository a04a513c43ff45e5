import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { EventStoreDBClient } from '@eventstore/db-client';
import { kurrentStore } from '#src/adapters/kurrentdb/kurrent-store.ts';
import type { StoredEvent } from '#src/eventlog/event-rows.ts';

let positions = 0n;

/** The event of a stream at this version, as the log has it. */
export const storedEvent = (stream: string, version: number): StoredEvent => {
  positions += 1n;
  return {
    ...{ id: randomUUID(), stream, version: BigInt(version), position: positions },
    type: 'CreditsCharged',
    schemaVersion: version,
    data: { credits: version, label: 'äöü "quoted" 漢字' },
    meta: { occurred_at: '2026-11-21T10:00:00.000Z', account_id: 'acc_1', chain: { prev_hash: 'a', hash: 'b' } },
  };
};

/** A stream that nobody has used. */
export const newStream = (): string => `test-relay-${randomUUID()}`;

export const { signal: never } = new AbortController();

const readBack = async (url: string, stream: string): Promise<unknown[]> => {
  const client = EventStoreDBClient.connectionString(url);
  const found: unknown[] = [];
  for await (const { event } of client.readStream(stream)) {
    found.push([event?.revision, event?.id, event?.type, event?.isJson, event?.data, event?.metadata]);
  }
  await client.dispose();
  return found;
};

const asRead = (events: readonly StoredEvent[]): unknown[] =>
  events.map(({ version, id, type, schemaVersion, data, meta }) => {
    const metadata = { ...meta, schema_version: schemaVersion };
    return [version - 1n, id, type, true, data, metadata];
  });

/** What the relay needs of a KurrentDB, as tests on the one at this address. */
export const keepsEvents = (urlOf: () => string): void => {
  it('has each event in the stream of its name, with id, type, data and metadata as they are stored', async () => {
    await using store = kurrentStore(urlOf());
    const [one, other] = [newStream(), newStream()];
    const events = [storedEvent(one, 1), storedEvent(one, 2), storedEvent(other, 1), storedEvent(one, 3)];

    await store.deliver(events, never);

    assert.deepEqual(await readBack(urlOf(), one), asRead(events.filter(({ stream }) => stream === one)));
    assert.deepEqual(await readBack(urlOf(), other), asRead(events.slice(2, 3)));
  });

  it('has an event once, however often and in whatever batches it arrives', async () => {
    await using store = kurrentStore(urlOf());
    const stream = newStream();
    const events = [1, 2, 3, 4, 5].map((version) => storedEvent(stream, version));

    await store.deliver(events.slice(0, 2), never);
    await store.deliver(events.slice(0, 2), never);
    await store.deliver(events.slice(1, 4), never);
    await store.deliver(events, never);
    await store.deliver(events.slice(3), never);

    assert.deepEqual(await readBack(urlOf(), stream), asRead(events));
  });

  it('appends nothing to a stream with events of another writer, or without its earlier events', async () => {
    await using store = kurrentStore(urlOf());
    const stream = newStream();
    const theirs = storedEvent(stream, 1);
    await store.deliver([theirs], never);

    const ours = [storedEvent(stream, 1), storedEvent(stream, 2)];
    await assert.rejects(store.deliver(ours, never), /holds another event at version 1 there/);
    await assert.rejects(store.deliver([storedEvent(stream, 3)], never), /ends before version 3 there/);
    await assert.rejects(store.deliver([storedEvent(newStream(), 2)], never), /ends before version 2 there/);

    assert.deepEqual(await readBack(urlOf(), stream), asRead([theirs]));
  });
};
