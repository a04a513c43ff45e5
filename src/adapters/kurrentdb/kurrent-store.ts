import {
  type AppendExpectedRevision,
  ErrorType,
  EventStoreDBClient,
  FORWARDS,
  isCommandError,
  jsonEvent,
  NO_STREAM,
} from '@eventstore/db-client';
import type { StoredEvent } from '../../eventlog/event-rows.ts';
import type { RemoteStore } from '../../eventlog/subscriptions/remote-subscription.ts';
import { orAborted } from '../../kernel/abortable.ts';

/** A KurrentDB takes 1 MiB in one append; this leaves room for what surrounds the events. */
const maxAppendBytes = 512 * 1_024;

/** Nobody has written here: what is asked of it shows only whether the server answers and lets this client in. */
const probedStream = 'steno-relay-probe';

/**
 * A KurrentDB, or EventStoreDB from 20 on, as a store of events. Each event goes to the stream of its name at the revision
 * that its version says, so that a repeat stores nothing and nobody else can write in between. Every fault ends the
 * connection; the next call makes a new one. Errors never hold the credentials of the connection string.
 */
export const kurrentStore = (
  connectionString: string,
  { timeoutMs = 30_000 }: { readonly timeoutMs?: number } = {},
): RemoteStore & AsyncDisposable & { readonly probe: () => Promise<void> } => {
  let opened: EventStoreDBClient | null = null;
  const close = async (): Promise<void> => {
    const closing = opened;
    opened = null;
    await closing?.dispose();
  };
  const withClient = async (
    signals: readonly AbortSignal[],
    work: (client: EventStoreDBClient) => Promise<unknown>,
  ): Promise<void> => {
    opened ??= clientOf(connectionString);
    try {
      await orAborted(work(opened), AbortSignal.any([...signals, AbortSignal.timeout(timeoutMs)]));
    } catch (error) {
      await close();
      throw error;
    }
  };
  return {
    deliver: async (events, signal) => {
      for (const part of appendsOf(events)) await withClient([signal], (client) => append(client, part));
    },
    probe: () => withClient([], (client) => idsFrom(client, probedStream, 0n, 1)),
    [Symbol.asyncDispose]: close,
  };
};

/** A client, which connects at its first call. The errors of the package repeat the string, password included. */
const clientOf = (connectionString: string): EventStoreDBClient => {
  const url = connectionString.replace(/^kurrentdb(?=\+|:)/, 'esdb');
  try {
    return EventStoreDBClient.connectionString(url);
  } catch (error) {
    const isAboutFile = error instanceof Error && /certificate/i.test(error.message) && !error.message.includes(url);
    throw new Error(isAboutFile ? error.message : 'EVENTSTORE_URL cannot be read as a connection string');
  }
};

/** Events in a row of one stream, in parts that one append takes. */
export const appendsOf = (events: readonly StoredEvent[]): readonly (readonly StoredEvent[])[] => {
  const parts: StoredEvent[][] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify([event.data, event.meta]));
    const part = parts.at(-1);
    bytes += size;
    if (part !== undefined && part[0]?.stream === event.stream && bytes <= maxAppendBytes) part.push(event);
    else {
      parts.push([event]);
      bytes = size;
    }
  }
  return parts;
};

/** Appends events of one stream, whose versions follow each other. Those that are there already are left out. */
const append = async (client: EventStoreDBClient, events: readonly StoredEvent[]): Promise<void> => {
  const [first] = events;
  if (first === undefined) return;
  const { stream, version } = first;
  // Revisions count from 0, versions from 1.
  const expectedRevision: AppendExpectedRevision = version === 1n ? NO_STREAM : version - 2n;
  if (await isAppended(client, stream, events, expectedRevision)) return;
  const stored = await idsFrom(client, stream, version - 1n, events.length);
  if (stored.length === 0)
    throw new Error(`${stream} ends before version ${version} there: events before it are missing`);
  for (const [at, id] of stored.entries()) {
    if (events[at]?.id !== id)
      throw new Error(`${stream} holds another event at version ${version + BigInt(at)} there`);
  }
  await append(client, events.slice(stored.length));
};

/** False: the stream is not at this revision. */
const isAppended = async (
  client: EventStoreDBClient,
  stream: string,
  events: readonly StoredEvent[],
  expectedRevision: AppendExpectedRevision,
): Promise<boolean> => {
  // The data are in the shape of their schema version, which the log keeps in a column of its own.
  const proposed = events.map(({ id, type, schemaVersion, data, meta }) =>
    jsonEvent({ id, type, data, metadata: { ...meta, schema_version: schemaVersion } }),
  );
  try {
    const { success } = await client.appendToStream(stream, proposed, { expectedRevision });
    return success;
  } catch (error) {
    if (refusals.has(typeOf(error))) return false;
    throw error;
  }
};

/** What a server answers where a part of the events is stored: some versions of it say that the transaction is invalid. */
const refusals: ReadonlySet<ErrorType | null> = new Set([
  ErrorType.WRONG_EXPECTED_VERSION,
  ErrorType.INVALID_TRANSACTION,
]);

/** Ids of the events of a stream from a revision on; none of a stream that is not there. */
const idsFrom = async (
  client: EventStoreDBClient,
  stream: string,
  fromRevision: bigint,
  maxCount: number,
): Promise<readonly string[]> => {
  const ids: string[] = [];
  try {
    const found = client.readStream(stream, { direction: FORWARDS, fromRevision, maxCount, requiresLeader: true });
    for await (const { event } of found) if (event !== undefined) ids.push(event.id);
  } catch (error) {
    if (typeOf(error) === ErrorType.STREAM_NOT_FOUND) return [];
    throw error;
  }
  return ids;
};

/** Null: no error of the package. */
const typeOf = (error: unknown): ErrorType | null =>
  error instanceof Error && isCommandError(error) ? error.type : null;
