import assert from 'node:assert/strict';
import type { Event } from '@event-driven-io/emmett';
import type { Ledger } from '#src/credits/ledger/ledger-service.ts';
import type { Append, EventLog } from '#src/eventlog/event-log.ts';
import { abandonReservation } from '#src/jobs/abandon-reservation.ts';
import { cancelItems, cancelJob } from '#src/jobs/cancel-job.ts';
import { closeJob } from '#src/jobs/end-group.ts';
import { extractItem, type FurtherCharges, type ReadForJob } from '#src/jobs/extract-item.ts';
import { failCancellation } from '#src/jobs/fail-cancellation.ts';
import { failItem } from '#src/jobs/fail-item.ts';
import { failRetry } from '#src/jobs/fail-retry.ts';
import * as items from '#src/jobs/item-group.ts';
import * as job from '#src/jobs/job.ts';
import { jobStreams } from '#src/jobs/job-streams.ts';
import { requeueItems, retryJob } from '#src/jobs/retry-job.ts';
import { type OperationsOfJob, startJob } from '#src/jobs/start-job.ts';
import type { Call } from '#src/kernel/call.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { semaphore } from '#src/kernel/semaphore.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

export const clock = () => new Date('2026-11-21T10:00:00.000Z');

export const callOf = (deduplicationKey: string, accountId = 'acc_1'): Call => ({
  accountId,
  actor: { type: 'key', id: 'key_1' },
  channel: 'rest',
  requestId: `req_${deduplicationKey}`,
  deduplicationKey,
  isRepeatable: true,
  capCredits: null,
  traceparent: null,
  signal: new AbortController().signal,
});

/** A valid video id with this number. */
export const videoIdOf = (index: number): string => `video${String(index).padStart(6, '0')}`;

export const refusal = (code: ConstructorParameters<typeof Refusal>[0]): Refusal =>
  new Refusal(code, `refused: ${code}`);

type LedgerResult = Awaited<ReturnType<Ledger['reserve']>>;

/** An in-memory ledger with the contract of the real one: each item is settled or released exactly once. */
export const memoryLedger = (available: number) => {
  const reservations = new Map<string, { held: number; readonly resolved: Map<string, string> }>();
  const settled: { reservationId: string; itemId: string; attempt: number; amount: number }[] = [];
  const failures = new Map<string, string>();
  let balance = available;
  const posted = (credits: number, eventId: string | null, isRepeat = false): LedgerResult => ({
    credits,
    eventId,
    eventIds: eventId === null ? [] : [eventId],
    isRepeat,
    lastPosition: 0n,
  });
  const ledger: Pick<Ledger, 'reserve' | 'settleItem' | 'release' | 'record'> = {
    reserve: async (_, { reservationId, amount }) => {
      if (reservations.has(reservationId)) return posted(0, reservationId, true);
      if (amount > balance) throw refusal('INSUFFICIENT_CREDITS');
      balance -= amount;
      reservations.set(reservationId, { held: amount, resolved: new Map() });
      return posted(0, reservationId);
    },
    record: async ({ deduplicationKey }, { code }) => {
      if (code !== null) failures.set(deduplicationKey, code);
      return posted(0, deduplicationKey);
    },
    settleItem: async (_, { reservationId, itemId, attempt, amount }) => {
      const one = reservations.get(reservationId);
      const id = `${reservationId}|${itemId}`;
      if (one?.resolved.get(itemId) === 'settled') return posted(amount, id, true);
      if (one === undefined || one.held < amount || one.resolved.has(itemId)) return posted(0, null);
      one.held -= amount;
      one.resolved.set(itemId, 'settled');
      settled.push({ reservationId, itemId, attempt, amount });
      return posted(amount, id);
    },
    release: async (_, { reservationId, itemId, amount }) => {
      const one = reservations.get(reservationId);
      if (one === undefined || (itemId !== null && one.resolved.has(itemId))) return posted(0, null);
      const freed = Math.min(amount ?? one.held, one.held);
      one.held -= freed;
      balance += freed;
      if (itemId !== null) one.resolved.set(itemId, 'released');
      return posted(0, `${reservationId}|${itemId}|released`);
    },
  };
  return {
    ledger,
    settled,
    /** Failure codes by the key under which usage counts each failure once. */
    failures,
    reservationIds: () => [...reservations.keys()],
    balance: () => balance,
    held: () => [...reservations.values()].reduce((sum, { held }) => sum + held, 0),
  };
};

/** Simulates the death of a process in the middle of its work. */
export class Killed extends Error {}

/** Calls that take a random time and may throw `Killed` before or after they take effect. */
export const killable = (random: () => number, killChance: number) => {
  const pass = async () => {
    for (let ticks = Math.floor(random() * 4); ticks > 0; ticks -= 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (random() < killChance) throw new Killed();
  };
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await pass();
    const result = await work();
    await pass();
    return result;
  };
};

/** A log whose calls are killable. */
export const faultyLog = (log: EventLog, random: () => number, killChance: number): EventLog => {
  const around = killable(random, killChance);
  return {
    ...log,
    append: (appends) => around(() => log.append(appends)),
    appendLocked: <E extends Event = Event>(...args: Parameters<typeof log.appendLocked<E>>) =>
      around(() => log.appendLocked<E>(...args)),
    read: <E extends Event = Event>(...args: Parameters<typeof log.read<E>>) => around(() => log.read<E>(...args)),
    versionOf: (stream) => around(() => log.versionOf(stream)),
  };
};

/** A log that rejects some appends. */
export const logWithout = (log: EventLog, isRefused: (append: Append) => boolean, fault: Error): EventLog => {
  const accepted = (appends: readonly Append[]): readonly Append[] => {
    if (appends.some(isRefused)) throw fault;
    return appends;
  };
  return {
    ...log,
    append: async (appends) => log.append(accepted(appends)),
    appendLocked: (stream, from, decide) => log.appendLocked(stream, from, (tail) => accepted(decide(tail))),
  };
};

/** A log that rejects `ItemsRequeued`, so that retries stop half-way. */
export const logWithoutRetries = (log: EventLog, fault: Error): EventLog =>
  logWithout(log, ({ events }) => events.some(({ type }) => type === 'ItemsRequeued'), fault);

/** The job commands of one simulated process: it has its own caches and shares log and ledger with the others. */
export const processOf = (
  shared: {
    readonly log: EventLog;
    readonly ledger: Pick<Ledger, 'reserve' | 'settleItem' | 'release' | 'record'>;
    readonly read: ReadForJob;
    readonly further?: FurtherCharges;
  },
  random: () => number = () => 0.5,
) => {
  const deps = {
    ...jobStreams({ log: shared.log, clock }),
    ledger: shared.ledger,
    read: shared.read,
    ...(shared.further === undefined ? {} : { further: shared.further }),
    reading: semaphore({ total: 100 }),
    abandoned: { record: async () => {} },
    random,
    onFault: (fault: unknown) => {
      if (fault instanceof Killed) throw fault;
    },
    requireReachable: async (url: string) => url,
    listing: {
      timeoutMs: 20_000,
      admit: async () => {},
      listPlaylist: async () => assert.fail('no playlist is listed here'),
      listChannel: async () => assert.fail('no channel is listed here'),
    },
  };
  return {
    start: startJob(deps),
    extract: extractItem(deps),
    giveUp: failItem(deps),
    cancel: cancelJob(deps),
    cancelItems: cancelItems(deps),
    failCancellation: failCancellation(deps),
    retry: retryJob(deps),
    requeueItems: requeueItems(deps),
    failRetry: failRetry(deps),
    close: closeJob(deps),
    abandon: abandonReservation(deps),
  };
};

export type JobProcess = ReturnType<typeof processOf>;

/** An in-memory log, a ledger with this balance, and one process over them. */
export const jobFixture = (options: { readonly balance?: number; readonly read?: ReadForJob } = {}) => {
  const log = memoryEventLog({ clock });
  const money = memoryLedger(options.balance ?? 100_000);
  const read = options.read ?? (async () => ({ language: 'en' }));
  const shared = { log, ledger: money.ledger, read };
  return { log, money, shared, process: processOf(shared) };
};

/** Starts a job over this many videos and returns its id. */
export const startOf = async (
  { start }: JobProcess,
  count: number,
  deduplicationKey = 'start',
  operations: OperationsOfJob | null = null,
): Promise<string> => {
  const references = Array.from({ length: count }, (_, index) => videoIdOf(index));
  const wanted = { kind: 'batch', references, limit: null, language: null, webhookUrl: null, operations } as const;
  return (await start(callOf(deduplicationKey), wanted)).jobId;
};

/** The payload of work on each item of a job, after any attempt. */
export const addressesOf = (jobId: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ jobId, itemId: job.itemIdOf(jobId, index), expectedAttempt: null }));

/** Folds the streams of a job: its events, state, items and counts. */
export const foldJob = async (log: EventLog, jobId: string) => {
  const events = await log.read<job.JobEvent>(job.streamOf(jobId));
  const state = events.reduce<job.State>(
    (folded, { type, data }) => job.evolve(folded, { type, data } as job.JobEvent),
    job.initialState(),
  );
  const found: items.Item[] = [];
  for (const stream of await log.streamsWithPrefix(items.streamsOf(jobId))) {
    const group = (await log.read<items.ItemEvent>(stream)).reduce<items.State>(
      (folded, { type, data }) => items.evolve(folded, { type, data } as items.ItemEvent),
      items.initialState(),
    );
    found.push(...group.items.values());
  }
  return { events, state, items: found, counts: job.countsOf(state) };
};
