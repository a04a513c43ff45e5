import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from '../../kernel/logger.ts';
import type { FoldedEvent } from '../event-rows.ts';
import type { PostgresEventLog } from '../postgres-event-log.ts';
import { type CheckpointWatch, checkpointWatch } from '../subscriptions/checkpoint-watch.ts';
import { parkedStreams, resumeParked } from '../subscriptions/parked-streams.ts';
import type { Subscription, SubscriptionOptions } from '../subscriptions/subscription.ts';
import { subscriptionReports } from '../subscriptions/subscription-reports.ts';
import {
  idleMs,
  isPassing,
  type Line,
  type Place,
  passingRestMs,
  pauseUnless,
  run,
  unavailableDelaysMs,
} from '../subscriptions/subscription-runner.ts';
import { wakeSignal } from '../subscriptions/wake-signal.ts';
import { advance, isLeft, MemberFailed } from './projection-step.ts';

/*
 * One reading of the log for all folds of a process. What is new is read and parsed once, given to every line that
 * wants it, and stored with all their checkpoints in one transaction: whether a line's checkpoint is still where this
 * process believes it is decided for each line. A line that fails or is far behind reads by itself until it
 * is with the others again. Of several processes one reads; the others look now and then whether it still does.
 */

/** A line of folds: what `SubscriptionOptions` says of these, for events without what surrounds them. */
export type FoldLine = Required<Pick<SubscriptionOptions, 'name' | 'types' | 'onError'>> & {
  readonly handle: (
    transaction: Parameters<SubscriptionOptions['handle']>[0],
    events: readonly FoldedEvent[],
  ) => Promise<void>;
};

export type TogetherOptions = {
  readonly lines: readonly FoldLine[];
  readonly log: Pick<PostgresEventLog, 'read' | 'readAll' | 'readBatch' | 'onAppended'> &
    Partial<Pick<PostgresEventLog, 'canRelyOnNotify'>>;
  readonly pool: Pool;
  /** Events in one transaction at most; 2,000. Also how far a line may be behind the first and read with it. */
  readonly batchSize?: number;
  /** How long it sleeps when nobody appends; 250 ms, and 2 s while all appends are announced here. */
  readonly pollMs?: number;
  /** How long it lets events gather after a batch that was not full, unless somebody waits; 250 ms. */
  readonly restMs?: number;
  /** How often a process looks whether the one that reads still does; 500 ms, and 2 s while nothing is left to read. */
  readonly lookMs?: number;
  readonly logger?: Pick<Logger, 'warn' | 'error'>;
};

/** One line in this process. */
export type Member = {
  readonly line: FoldLine;
  readonly types: ReadonlySet<string>;
  readonly watch: CheckpointWatch;
  /** Null: to be looked up. */
  place: Place | null;
  isStarted: boolean;
  /** It reads by itself until this ends. */
  alone: Promise<void> | null;
  /** Ends its sleep while it is alone. */
  readonly wakes: ReturnType<typeof wakeSignal>;
};

/** The subscriptions of all lines, by name. Each is started, stopped, waited for and repaired on its own. */
export const runProjections = (options: TogetherOptions): ReadonlyMap<string, Subscription> => {
  const { lines, log, pool } = options;
  const members = lines.map((line) => memberOf(line, pool));
  const group: Group = {
    ...options,
    members,
    wakes: wakeSignal(),
    hurry: wakeSignal(),
    step: Promise.resolve(),
  };
  let running: Promise<void> | null = null;

  const signal = ({ wakes }: Member): void => {
    wakes.signal();
    group.wakes.signal();
    group.hurry.signal();
  };
  const start = (member: Member): void => {
    if (member.isStarted) return;
    member.isStarted = true;
    member.place = null;
    signal(member);
    running ??= work(group).finally(() => {
      running = null;
    });
  };
  const stop = async (member: Member): Promise<void> => {
    member.isStarted = false;
    signal(member);
    await Promise.allSettled([group.step, member.alone]);
    if (!members.some(({ isStarted }) => isStarted)) await running;
  };

  return new Map(
    members.map((member) => {
      const { line, watch } = member;
      const { name, types, handle } = line;
      const subscription: Subscription = {
        name,
        start: () => start(member),
        stop: () => stop(member),
        caughtUpTo: (position, within) => {
          if (!watch.isPast(position)) signal(member);
          return watch.caughtUpTo(position, within);
        },
        report: async () => (await subscriptionReports(pool, name))[0] ?? null,
        parked: () => parkedStreams(pool, name),
        resume: (stream) => resumeParked({ pool, log, name, stream, types, handle }),
        [Symbol.asyncDispose]: () => stop(member),
      };
      return [name, subscription];
    }),
  );
};

const memberOf = (line: FoldLine, pool: Pool): Member => ({
  line,
  types: new Set(line.types),
  watch: checkpointWatch(pool, line.name),
  place: null,
  isStarted: false,
  alone: null,
  wakes: wakeSignal(),
});

type WakeSignal = ReturnType<typeof wakeSignal>;

export type Group = TogetherOptions & {
  readonly members: readonly Member[];
  /** Set by appends and by those who wait. */
  readonly wakes: WakeSignal;
  /** Set by those who wait alone. */
  readonly hurry: WakeSignal;
  /** What is under way on the database. */
  step: Promise<unknown>;
};

/** Reads as long as a line is started. */
const work = async (group: Group): Promise<void> => {
  const unsubscribe = group.log.onAppended(() => {
    group.wakes.signal();
    for (const { alone, wakes } of group.members) if (alone !== null) wakes.signal();
  });
  const isStopping = (): boolean => !group.members.some(({ isStarted }) => isStarted);
  let outages = 0;
  // Those that are started together begin together.
  await nextTurn();
  group.wakes.clear();
  while (!isStopping()) {
    const present = group.members.filter(({ isStarted, alone }) => isStarted && alone === null);
    try {
      await turn(group, present);
      outages = 0;
    } catch (error) {
      for (const member of present) member.place = null;
      const isOfOne = error instanceof MemberFailed;
      const cause = isOfOne ? error.cause : error;
      if (!isPassing(cause)) {
        // Who is at fault finds it out alone; the others come back as soon as they have caught up.
        for (const member of isOfOne ? [error.member] : present) goAlone(group, member);
        if (isOfOne) continue;
      }
      if (outages === 0) group.logger?.warn('the read models wait', { error: cause });
      await pauseUnless(isStopping, unavailableDelaysMs[outages] ?? 2_000);
      outages = Math.min(outages + 1, unavailableDelaysMs.length);
    }
  }
  unsubscribe();
};

/** One look at the log, and the wait after it. */
const turn = async (group: Group, present: readonly Member[]): Promise<void> => {
  const { batchSize = 2_000, pollMs = 250, restMs = 250 } = group;
  // Who waits by now waits for what this look finds.
  group.hurry.clear();
  const stepping = advance(group, present, batchSize);
  group.step = stepping;
  const { outcome, behind } = await stepping;
  for (const member of behind) goAlone(group, member);
  switch (outcome) {
    case 'full':
      return;
    case 'moved':
      if (restMs > 0) await group.hurry.wait(restMs);
      return;
    case 'passed':
      await group.hurry.wait(Math.max(restMs, passingRestMs));
      return;
    case 'idle':
      await group.wakes.wait(idleMs(group.log, pollMs));
      return;
    case 'elsewhere':
      await standBy(group, present);
      return;
  }
};

/** Until somebody waits here, or until the process that reads has left something for a whole look. */
const standBy = async (group: Group, present: readonly Member[]): Promise<void> => {
  const { lookMs = 500 } = group;
  let known: Parameters<typeof isLeft>[2] = null;
  while (present.every(({ isStarted }) => isStarted)) {
    const looking = isLeft(group, present, known);
    group.step = looking;
    const look = await looking;
    if (look.isLeft) return;
    known = look.seen;
    if (await group.hurry.wait(look.isDone ? idleMs(group.log, lookMs) : lookMs)) return;
  }
};

/** Lets a member read by itself until it is where the others are. */
const goAlone = (group: Group, member: Member): void => {
  const { log, pool, logger, batchSize = 2_000, pollMs = 250 } = group;
  const { line, watch, wakes } = member;
  const isStopping = (): boolean => !member.isStarted;
  const sleep = async (ms: number): Promise<void> => {
    if (!isStopping()) await wakes.wait(ms);
  };
  const own: Line = {
    ...line,
    ...(logger === undefined ? {} : { logger }),
    log,
    pool,
    batchSize,
    pollMs,
    watch,
    sleep,
    rest: sleep,
    isStopping,
    endsCaughtUp: true,
  };
  member.alone = run(own).then((place) => {
    member.alone = null;
    // How far it has looked, which its row may not say yet: looked up there it would be far behind again.
    member.place = place;
    group.wakes.signal();
    group.hurry.signal();
  });
};
