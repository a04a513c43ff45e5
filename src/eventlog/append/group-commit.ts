import { type AppendOutcome, isAppended } from '../event-log.ts';
import type { SerializedAppend } from './serialize-appends.ts';

type Outcomes = readonly AppendOutcome[];

type WaitingAppend = {
  readonly appends: readonly SerializedAppend[];
  readonly resolve: (outcomes: Outcomes | Promise<Outcomes>) => void;
  readonly reject: (error: unknown) => void;
};

/** Transactions in flight. More of them would commit fewer appends each, and every one costs a commit. */
const maxInFlight = 2;
/** From this many waiting appends on, two idle slots share them: callers of one group come back while the other commits. */
const splitFrom = 16;
/** After this wait an append gets a transaction beyond `maxInFlight`, so that a locked stream delays no other stream. */
const defaultMaxWaitMs = 10;
const maxEvents = 512;
/** How often a group is committed together, without those that were refused. */
const maxTogether = 3;
/** An append of this many events is committed alone, so that small appends do not wait for it. */
const largeAppend = 100;

/**
 * Group commit: commits the appends of many callers in few transactions, because a transaction of one event costs the
 * database three times as much as the event. An append that finds a free slot is sent at once; appends that arrive
 * meanwhile are committed together. `together` is one transaction, all or nothing. When it does not take the whole
 * group, the callers whose own appends were refused hear so, and the others are committed without them; in the end each
 * is stored by `alone`, so that every caller gets the outcome of its own append only.
 * `isFaultOfOne` says whether an error was caused by one append of the group.
 */
export const groupCommit = (deps: {
  readonly together: (appends: readonly SerializedAppend[]) => Promise<Outcomes>;
  readonly alone: (appends: readonly SerializedAppend[]) => Promise<Outcomes>;
  readonly isFaultOfOne: (error: unknown) => boolean;
  readonly maxWaitMs?: number;
}): ((appends: readonly SerializedAppend[]) => Promise<Outcomes>) => {
  const { together, alone, isFaultOfOne, maxWaitMs = defaultMaxWaitMs } = deps;
  let waiting: WaitingAppend[] = [];
  let inFlight = 0;
  let timer: NodeJS.Timeout | null = null;
  let isScheduled = false;

  const sendNext = (): void => {
    if (waiting.length === 0) return;
    if (inFlight === 0 && waiting.length >= splitFrom) {
      void send(Math.ceil(waiting.length / 2));
      sendNext();
    } else if (inFlight < maxInFlight) void send();
    else if (timer === null) timer = setTimeout(onTimeout, maxWaitMs);
  };
  /** Callers of one transaction are resolved one after the other: the appends they send next form one group. */
  const sendAtEndOfTurn = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      sendNext();
    });
  };
  const onTimeout = (): void => {
    timer = null;
    if (waiting.length > 0) void send();
    sendNext();
  };
  const send = async (atMost = waiting.length): Promise<void> => {
    const { group, rest } = takeGroup(waiting, atMost);
    waiting = rest;
    if (rest.length === 0 && timer !== null) {
      clearTimeout(timer);
      timer = null;
    }
    inFlight += 1;
    await commit(group);
    inFlight -= 1;
    sendNext();
  };

  const commit = async (group: readonly WaitingAppend[]): Promise<void> => {
    let open = group;
    try {
      for (let tries = 0; tries < maxTogether && open.length > 1; tries += 1) open = await unanswered(open);
    } catch (error) {
      if (!isFaultOfOne(error)) {
        for (const { reject } of open) reject(error);
        return;
      }
    }
    await Promise.all(open.map(({ appends, resolve, reject }) => alone(appends).then(resolve, reject)));
  };
  /** Commits all of a group, or none of it and answers those at fault; returns the others. */
  const unanswered = async (group: readonly WaitingAppend[]): Promise<readonly WaitingAppend[]> => {
    const outcomes = await together(group.flatMap(({ appends }) => appends));
    const isStored = outcomes.every(isAppended);
    let from = 0;
    return group.filter(({ appends, resolve }) => {
      const own = outcomes.slice(from, from + appends.length);
      from += appends.length;
      if (!isStored && !own.some((outcome, at) => isRefused(outcome, appends[at]?.expected ?? null))) return true;
      resolve(own);
      return false;
    });
  };

  return (appends) => {
    if (countEvents(appends) >= largeAppend) return alone(appends);
    return new Promise((resolve, reject) => {
      waiting.push({ appends, resolve, reject });
      sendAtEndOfTurn();
    });
  };
};

/** Whether an append is a reason why the log refused its group: with its version and its ids it cannot be stored. */
const isRefused = (outcome: AppendOutcome, expected: bigint | null): boolean =>
  outcome.outcome !== 'conflict' ||
  outcome.existingIds.length > 0 ||
  (expected !== null && outcome.version !== expected);

const countEvents = (appends: readonly SerializedAppend[]): number =>
  appends.reduce((sum, { events }) => sum + events.length, 0);

/** Takes the first waiting appends that fit into one transaction; two appends to one stream go into successive groups. */
const takeGroup = (
  waiting: readonly WaitingAppend[],
  atMost: number,
): { readonly group: WaitingAppend[]; readonly rest: WaitingAppend[] } => {
  const group: WaitingAppend[] = [];
  const rest: WaitingAppend[] = [];
  const streams = new Set<string>();
  let events = 0;
  for (const one of waiting) {
    const fits =
      group.length < atMost &&
      events + countEvents(one.appends) <= maxEvents &&
      one.appends.every(({ stream }) => !streams.has(stream));
    (fits ? group : rest).push(one);
    // A skipped append reserves its streams too: a later append to them must not overtake it.
    for (const { stream } of one.appends) streams.add(stream);
    if (fits) events += countEvents(one.appends);
  }
  return { group, rest };
};
