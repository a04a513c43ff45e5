import type { Pool } from 'pg';
import type { Logger } from '../../kernel/logger.ts';
import type { EventLog, RecordedEvent, Transaction } from '../event-log.ts';
import { type CheckpointWatch, checkpointWatch } from './checkpoint-watch.ts';
import { type ParkedStream, parkedStreams, resumeParked } from './parked-streams.ts';
import { type SubscriptionReport, subscriptionReports } from './subscription-reports.ts';
import { run } from './subscription-runner.ts';
import { wakeSignal } from './wake-signal.ts';

export type SubscriptionOptions = {
  /** Its checkpoint's name; all processes that give the same name share the work, one at a time. */
  readonly name: string;
  readonly log: Pick<EventLog, 'read' | 'readAll' | 'onAppended'> & {
    readonly canRelyOnNotify?: () => boolean;
  };
  readonly pool: Pool;
  /** Only these types; others move the checkpoint and are not handled. */
  readonly types?: readonly string[];
  /**
   * The effects of some events, in order, in the transaction that also moves the checkpoint: exactly once, as long
   * as everything it does is done in `transaction`. Never anything else (no HTTP) inside. Of none where the checkpoint
   * moves past events of other types alone.
   */
  readonly handle: (transaction: Transaction, events: readonly RecordedEvent[]) => Promise<void>;
  /**
   * What becomes of an event that fails again and again: 'park' sets its stream aside and goes on with the others,
   * 'stop' never passes it, reports, and tries again once in a while.
   */
  readonly onError: 'park' | 'stop';
  /** Events in one transaction at most; 500. */
  readonly batchSize?: number;
  /** How long it sleeps when nobody appends; 250 ms, and 2 s while all appends are announced here. */
  readonly pollMs?: number;
  /**
   * How long it lets events gather after a batch that was not full, unless somebody waits in `caughtUpTo`; 0 ms. A
   * batch costs eight round trips and a commit however few its events are.
   */
  readonly restMs?: number;
  /** Pauses before the second, third … try of one event; 50, 250 and 1,000 ms. */
  readonly retryDelaysMs?: readonly number[];
  /** More parked streams than this are not bad luck but a fault: the line stops; 100. */
  readonly maxParked?: number;
  readonly logger?: Pick<Logger, 'warn' | 'error'>;
};

export type Subscription = AsyncDisposable & {
  readonly name: string;
  /** Begins to handle in this process. */
  start(): void;
  /** Ends after the batch under way. */
  stop(): Promise<void>;
  /** Whether everything up to `position` is handled, by whichever process; waits at most `timeoutMs`. */
  caughtUpTo: CheckpointWatch['caughtUpTo'];
  /** How far it is behind, and whether it stands still; null when it has never run. */
  report(): Promise<SubscriptionReport | null>;
  parked(): Promise<readonly ParkedStream[]>;
  /** Handles what waits of a parked stream; throws what the handler throws. False when it is not parked. */
  resume(stream: string): Promise<boolean>;
};

/** One subscription to the whole log, see `SubscriptionOptions`. It rests until `start`. */
export const subscription = (options: SubscriptionOptions): Subscription => {
  const { name, log, pool, types, handle } = options;
  const watch = checkpointWatch(pool, name);
  const wakes = wakeSignal();
  const hurry = wakeSignal();
  let running: { isStopping: boolean; readonly ended: Promise<unknown> } | null = null;

  const stop = async (): Promise<void> => {
    if (running === null) return;
    running.isStopping = true;
    wakes.signal();
    hurry.signal();
    await running.ended;
    running = null;
  };

  return {
    name,
    start: () => {
      if (running !== null) return;
      const turn: { isStopping: boolean; ended: Promise<unknown> } = {
        isStopping: false,
        ended: Promise.resolve(),
      };
      const unsubscribe = log.onAppended(wakes.signal);
      const sleep = async (ms: number): Promise<void> => {
        if (!turn.isStopping) await wakes.wait(ms);
      };
      const rest = async (ms: number): Promise<void> => {
        if (!turn.isStopping && ms > 0) await hurry.wait(ms);
      };
      const ended = run({ ...options, watch, sleep, rest, isStopping: () => turn.isStopping });
      turn.ended = ended.finally(unsubscribe);
      running = turn;
    },
    stop,
    caughtUpTo: (position, within) => {
      if (!watch.isPast(position)) hurry.signal();
      return watch.caughtUpTo(position, within);
    },
    report: async () => (await subscriptionReports(pool, name))[0] ?? null,
    parked: () => parkedStreams(pool, name),
    resume: (stream) => resumeParked({ pool, log, name, stream, types, handle }),
    [Symbol.asyncDispose]: stop,
  };
};
