import type { Pool } from 'pg';
import type { Logger } from '../../kernel/logger.ts';
import type { BatchEvent, RecordedEvent, Transaction } from '../event-log.ts';
import type { CheckpointWatch, SubscriptionReport } from './checkpoints.ts';

/** One subscription to the whole log. */
export type Subscriber<E extends BatchEvent = RecordedEvent> = {
  /** The name of its checkpoint. Of all processes that run it, one at a time handles events. */
  readonly name: string;
  /** Only these types are handled; events of other types move the checkpoint. Undefined: all. */
  readonly types?: readonly string[] | undefined;
  /**
   * The effects of some events, in order, in the transaction that also moves the checkpoint. They happen exactly once
   * as long as all of them are made through `transaction`; no HTTP request may be sent here. Called without events when
   * the checkpoint moves past events of other types only.
   */
  readonly handle: (transaction: Transaction, events: readonly E[]) => Promise<void>;
  /**
   * For an event that fails again and again: `park` sets its stream aside and continues with the other streams, `stop`
   * never passes the event, reports it, and tries again every 30 s.
   */
  readonly onError: 'park' | 'stop';
};

export type RunnerSettings = {
  readonly pool: Pool;
  /** Connections that keep their session, for locks; `pool`, unless it goes through a transaction pooler. */
  readonly sessions?: Pool | undefined;
  /** Events in one transaction at most; 500. */
  readonly batchSize?: number;
  /** How long it sleeps when nothing wakes it: a notification may be lost, and none comes of an append that is rolled back; 500 ms. */
  readonly pollMs?: number;
  /**
   * How long it lets events accumulate after a batch that was not full, unless `caughtUpTo` waits; 0 ms. A batch costs
   * eight round trips and a commit, however few events it has.
   */
  readonly restMs?: number;
  /** How often a lock that another process holds is tried; 500 ms. */
  readonly lockRetryMs?: number;
  /** Delays before the second, third … try of an event; 50, 250 and 1,000 ms. */
  readonly retryDelaysMs?: readonly number[];
  /** With more parked streams than this the subscriber is taken to be at fault: it stops; 100. */
  readonly maxParked?: number;
  readonly logger?: Pick<Logger, 'warn' | 'error'>;
};

export type Subscription = {
  readonly name: string;
  /** Whether everything up to `position` is handled, by whichever process; waits at most `timeoutMs`. */
  caughtUpTo: CheckpointWatch['caughtUpTo'];
  /** How far it is behind, and whether it has stopped; null when it has never run. */
  report(): Promise<SubscriptionReport | null>;
  /** Handles the waiting events of a parked stream; throws what the handler throws. False when it is not parked. */
  resume(stream: string): Promise<boolean>;
  /** Resumes so many parked streams at most; those that fail stay parked, which is logged once for all of them. */
  resumeSome(limit: number): Promise<void>;
};

export type Runner = AsyncDisposable & {
  /** Begins to handle the events of these subscriptions in this process, or of all. */
  start(names?: readonly string[]): void;
  /** Stops after the batch in progress. */
  stop(): Promise<void>;
};
