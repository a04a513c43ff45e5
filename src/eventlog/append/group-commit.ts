import type { AppendOutcome } from '../event-log.ts';
import type { SerializedAppend } from './serialize-appends.ts';
import { compareBytes } from './serialize-appends.ts';

type Outcomes = readonly AppendOutcome[];

type Waiting = {
  readonly appends: readonly SerializedAppend[];
  readonly resolve: (outcomes: Outcomes | Promise<Outcomes>) => void;
  readonly reject: (error: unknown) => void;
};

/** So many transactions at a time: more of them commit fewer appends each, at the price of a commit for every one. */
const lanes = 2;
/** So many that find both lanes free are shared out: while one lane commits, the answers of the other come back and go out again. */
const worthSharing = 16;
/** An append waits this long for a lane; then it opens one more, so that a stream that is locked holds up nobody else. */
const usualPatienceMs = 10;
const maxEvents = 512;
const maxStreams = 256;
/** A large append commits alone: nobody waits for it. */
const largeAppend = 100;
/** An append of so many events is a group already: it does not wait for others of its turn. */
const ownGroup = 8;

/**
 * Commits the appends of many callers in few transactions, for a transaction of one event costs the database three
 * times as much as the event. An append that finds a free lane goes at once; those that come meanwhile go together.
 * `store` is one transaction, all or nothing: when it did not take all of a group, each append is stored `alone`,
 * so that everyone hears of its own conflict only. `mayDivide` tells whether an error is the fault of one of them.
 */
export const groupCommit = (deps: {
  readonly store: (appends: readonly SerializedAppend[]) => Promise<Outcomes>;
  readonly alone: (appends: readonly SerializedAppend[]) => Promise<Outcomes>;
  readonly mayDivide: (error: unknown) => boolean;
  readonly patienceMs?: number;
}): ((appends: readonly SerializedAppend[]) => Promise<Outcomes>) => {
  const { store, alone, mayDivide, patienceMs = usualPatienceMs } = deps;
  let waiting: Waiting[] = [];
  let underWay = 0;
  let timer: NodeJS.Timeout | null = null;
  let isDue = false;

  const next = (): void => {
    if (waiting.length === 0) return;
    if (underWay === 0 && waiting.length >= worthSharing) {
      void send(Math.ceil(waiting.length / 2));
      next();
    } else if (underWay < lanes) void send();
    else if (timer === null) timer = setTimeout(outOfPatience, patienceMs);
  };
  /** The callers of one transaction hear of it one after the other: their next appends go together again. */
  const atEndOfTurn = (): void => {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      next();
    });
  };
  const outOfPatience = (): void => {
    timer = null;
    if (waiting.length > 0) void send();
    next();
  };
  const send = async (atMost = waiting.length): Promise<void> => {
    const { group, rest } = taken(waiting, atMost);
    waiting = rest;
    if (rest.length === 0 && timer !== null) {
      clearTimeout(timer);
      timer = null;
    }
    underWay += 1;
    await settle(group);
    underWay -= 1;
    next();
  };

  const settle = async (group: readonly Waiting[]): Promise<void> => {
    try {
      if (group.length > 1 && (await storedTogether(group))) return;
    } catch (error) {
      if (!mayDivide(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
    }
    await Promise.all(
      group.map(({ appends, resolve, reject }) => alone(appends).then(resolve, reject)),
    );
  };
  const storedTogether = async (group: readonly Waiting[]): Promise<boolean> => {
    const outcomes = await store(joined(group));
    if (!outcomes.every(({ outcome }) => outcome === 'appended')) return false;
    let from = 0;
    for (const { appends, resolve } of group) {
      resolve(outcomes.slice(from, from + appends.length));
      from += appends.length;
    }
    return true;
  };

  return (appends) => {
    const events = eventsOf(appends);
    if (events >= largeAppend) return alone(appends);
    return new Promise((resolve, reject) => {
      waiting.push({ appends, resolve, reject });
      if (events >= ownGroup) next();
      else atEndOfTurn();
    });
  };
};

const eventsOf = (appends: readonly SerializedAppend[]): number =>
  appends.reduce((sum, { events }) => sum + events.length, 0);

/** The first of those that wait, as many as one transaction may take; two appends to one stream go one after the other. */
const taken = (
  waiting: readonly Waiting[],
  atMost: number,
): { readonly group: Waiting[]; readonly rest: Waiting[] } => {
  const group: Waiting[] = [];
  const rest: Waiting[] = [];
  const streams = new Set<string>();
  let events = 0;
  for (const one of waiting) {
    const fits =
      (group.length === 0 ||
        (group.length < atMost &&
          events + eventsOf(one.appends) <= maxEvents &&
          streams.size + one.appends.length <= maxStreams)) &&
      one.appends.every(({ stream }) => !streams.has(stream));
    (fits ? group : rest).push(one);
    // What is passed over keeps its streams: nobody overtakes it there.
    for (const { stream } of one.appends) streams.add(stream);
    if (fits) events += eventsOf(one.appends);
  }
  return { group, rest };
};

/** All appends in the order that all writers lock streams in, each with its place in the call. */
const joined = (group: readonly Waiting[]): readonly SerializedAppend[] => {
  let from = 0;
  const all: SerializedAppend[] = [];
  for (const { appends } of group) {
    for (const append of appends) all.push({ ...append, index: from + append.index });
    from += appends.length;
  }
  return all.sort((a, b) => compareBytes(a.stream, b.stream));
};
