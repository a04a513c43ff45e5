import { runMigrations } from 'graphile-worker';
import type { Pool } from 'pg';
import { cancelledAmong } from '#projections/job-rows.ts';
import { queueLowCredits } from '../adapters/graphile-worker/low-credits.ts';
import {
  giveBack,
  type HeartbeatMonitor,
  heartbeat,
  heartbeatMonitor,
  heldFor,
  reapDeadPools,
  usualPace,
} from '../adapters/graphile-worker/pools.ts';
import {
  addWork,
  dueWork,
  maxDueCounted,
  orphanedWork,
  removeFailedWork,
} from '../adapters/graphile-worker/work-queue.ts';
import { postgresPool, type Sockets } from '../adapters/postgres/pool.ts';
import { listProcesses } from '../adapters/postgres/process-registry.ts';
import { reconnectingPool } from '../adapters/postgres/reconnecting-pool.ts';
import type { Config } from '../config.ts';
import { lowThresholdOf } from '../credits/credit-status.ts';
import { plans } from '../credits/plans/plans.ts';
import {
  concurrencyKeysOf,
  mailConcurrencyKeys,
  type ReactionEvent,
  reactedTypes,
  reactionsName,
  workOf,
} from '../edges/worker/reactions.ts';
import type { Task } from '../edges/worker/task.ts';
import { type QueuePort, startWorker, type Worker } from '../edges/worker/worker.ts';
import type { RecordedEvent } from '../eventlog/event-log.ts';
import { subscriptionRunner } from '../eventlog/subscriptions/subscription-runner.ts';
import { itemsPerGroup } from '../jobs/job.ts';
import { uuidOf } from '../kernel/ids.ts';
import type { Logger } from '../kernel/logger.ts';
import { noMetrics } from '../kernel/metrics.ts';
import { every } from '../kernel/repeat.ts';
import type { ApplicationCore, CoreParts } from './application-core.ts';
import { auditRegularly } from './open-auditor.ts';
import { followedSources } from './open-follows.ts';
import { extractionsOf } from './open-jobs.ts';
import { openRelay } from './open-relay.ts';
import { logRegularly } from './open-transparency-log.ts';
import { replaceInBackground } from './replace-secret-key.ts';

/** Looks that are queued in one go at most: what stood still for an hour is caught up within minutes, not at once. */
const looksAtOnce = 200;
/** Interval of the audit of the ledgers. */
const auditEveryMs = 15_000;
/** Parked streams that are tried again in one go at most. */
const resumedAtOnce = 20;

const usualTiming = {
  pace: usualPace,
  /** Seconds after which due work that is missing in the queue is queued again. */
  orphanedAfterS: 60,
  /** A process takes quarantined tasks once it has run for this long, seconds. */
  quarantineAfterS: 30,
  /** Interval of the search for accounts with low credits, seconds. */
  lowCreditsEveryS: 60,
};

/** Starts the worker of this process with its own connections, and the subscription of the reactions. */
export const openWorker = async (
  stack: AsyncDisposableStack,
  config: Config,
  options: Pick<CoreParts, 'logger'> &
    Partial<Pick<CoreParts, 'metrics' | 'tracer'> & typeof usualTiming> & {
      readonly url: string;
      readonly sockets?: Sockets;
      /** Gets the pool of the queue, as `queue`. */
      readonly pools?: Map<string, Pool>;
    },
  core: ApplicationCore,
): Promise<Worker> => {
  const { url, sockets, logger, pools, metrics = noMetrics, tracer = null } = options;
  const { pace, orphanedAfterS, quarantineAfterS, lowCreditsEveryS } = { ...usualTiming, ...options };
  const { log, pool, sql, sessions } = core;
  const queuePool = postgresPool({
    url,
    applicationName: 'steno worker',
    max: config.worker.poolSize,
    sockets,
    // The LISTEN connection of the queue may be idle for hours.
    idleInTransactionTimeoutMs: 60_000,
    onLost: (error) => logger.warn('a connection of the queue was lost', { error }),
  });
  pools?.set('queue', queuePool);
  const isMailing = config.mail.smtpUrl !== null;
  const settings = {
    reservationMs: config.reservationTimeoutMs,
    isMailing,
    requiresMailboxProof: config.mail.requiresMailboxProof,
    recheckMs: config.follows.recheckMs,
  };
  const closing = new AbortController();
  stack.defer(() => queuePool.end());
  await runMigrations({ pgPool: queuePool });

  const reactions = stack.use(
    subscriptionRunner<RecordedEvent>({
      ...{ log, pool, sessions, logger },
      readBatch: log.readAll,
      readStream: log.read,
      subscribers: [
        {
          name: reactionsName,
          types: [...reactedTypes],
          onError: 'park',
          handle: (transaction, events) =>
            addWork(
              transaction,
              events.flatMap((event) => workOf(happened(event), settings)),
            ),
        },
      ],
    }),
  );
  const worker = stack.use(
    await startWorker({
      pgPool: reconnectingPool(queuePool, closing.signal),
      commands: core.work,
      queue: queuePort(
        { pool: queuePool, sql, logger, metrics },
        { pace, orphanedAfterS, isMailing, self: heartbeatMonitor(pace) },
      ),
      extractions: extractionsOf(config),
      logger,
      tracer,
      resumeParked: async () => reactions.subscriptions.get(reactionsName)?.resumeSome(resumedAtOnce),
      onStopping: () => closing.abort(),
      quarantineAfterMs: quarantineAfterS * 1_000,
      lowCreditsEveryMs: lowCreditsEveryS * 1_000,
      reapEveryMs: pace.beatMs,
      reconcileEveryMs: (orphanedAfterS * 1_000) / 2,
    }),
  );
  replaceInBackground(stack, { ...core, logger, processes: () => listProcesses(url) });
  keepUpLibraries(stack, core, logger);
  reactions.start();
  // What reads the log beside the reactions.
  stack.use(logRegularly(core.transparency, log, { intervalMs: config.tlog.intervalMs, logger }));
  stack.use(auditRegularly(core, { everyMs: auditEveryMs, logger }));
  await openRelay(stack, config, { ...core, logger });
  return worker;
};

/** A process that has charged keeps within this time, or has ended. */
const keptWithinMs = 30_000;
const mergedEveryMs = 2_000;

const keepUpLibraries = (
  stack: AsyncDisposableStack,
  { keepCharged, mergeLibraries }: ApplicationCore,
  logger: Pick<Logger, 'warn'>,
): void => {
  const warn = (message: string) => (error: unknown, signal: AbortSignal) => {
    if (!signal.aborted) logger.warn(message, { error });
  };
  const notKept = warn('captions that were charged were not kept yet');
  stack.use(every(keptWithinMs, notKept, (signal) => keepCharged({ olderThanMs: keptWithinMs, signal })));
  const notMerged = warn('the index of a library was not merged yet');
  stack.use(every(mergedEveryMs, notMerged, (signal) => mergeLibraries({ signal })));
};

const happened = ({ id, type, data, recordedAt, meta }: RecordedEvent) =>
  ({ id, type, data, recordedAt, requestId: meta.request_id, traceparent: meta.traceparent }) as ReactionEvent;

type QueueOptions = Pick<typeof usualTiming, 'pace' | 'orphanedAfterS'> & {
  readonly isMailing: boolean;
  readonly self: HeartbeatMonitor;
};

const queuePort = (
  { pool, sql, logger, metrics }: Pick<CoreParts, 'pool' | 'sql' | 'logger' | 'metrics'>,
  { pace, orphanedAfterS, isMailing, self }: QueueOptions,
): QueuePort => ({
  heartbeat: (pools) =>
    heartbeat(pool, {
      pools,
      osPid: process.pid,
      beatMs: pace.beatMs,
      onStored: self.recordHeartbeat,
      onFailure: (error) => logger.warn('the worker could not say whether it lives', { error }),
    }),
  reapDeadPools: async () => {
    const reaped = self.isReliable() ? await reapDeadPools(pool, pace) : 0;
    if (reaped > 0) metrics.workersReaped(reaped);
    return reaped;
  },
  heldFor: (poolIds) => heldFor(pool, poolIds, pace),
  giveBack: (poolIds, ids) => giveBack(pool, poolIds, ids),
  dueWork: async () => {
    const pieces = await dueWork(pool);
    const counted = pieces.values().reduce((sum, some) => sum + some, 0);
    return { pieces, isMore: counted >= maxDueCounted };
  },
  removeFailed: () => removeFailedWork(pool),
  queueLowCredits: async () => {
    if (isMailing) await queueLowCredits(pool, lowThresholds, lowCreditsMail);
  },
  queueDueLooks: async () => void (await followedSources(pool).queueDue(looksAtOnce)),
  add: (work) => addWork(pool, work),
  cancelledAmong: (jobIds) => cancelledAmong(sql, jobIds),
  orphanedWork: async () => {
    const { items, listings, retries, cancellations, deliveries, follows, sources } = await orphanedWork(pool, {
      olderThanS: orphanedAfterS,
      itemsPerGroup,
    });
    return [
      ...items.map(({ jobId, itemId }) => again('extract-items', itemId, { jobId, itemIds: [itemId] })),
      ...listings.map((payload) => again('resolve-listing', payload.jobId, payload)),
      ...retries.map((payload) => again('requeue-items', payload.jobId, payload)),
      ...cancellations.map((payload) => again('cancel-items', payload.jobId, payload)),
      ...deliveries.map(({ deliveryId, ...receiver }) => ({
        ...again('deliver-webhook', deliveryId, { deliveryId }),
        concurrencyKeys: concurrencyKeysOf(receiver),
      })),
      ...follows.map((payload) => again('wake-follow', payload.followId, payload)),
      ...sources.map((payload) => again('tell-follows', payload.source, payload)),
    ];
  },
});

/** Plans whose credits can become low. */
const lowThresholds = plans
  .filter(({ isUnlimited }) => !isUnlimited)
  .map((plan) => ({ plan: plan.key, credits: lowThresholdOf(plan) }));

const lowCreditsMail = (accountId: string, notice: string): Task => {
  const mailId = uuidOf(`${accountId}|${notice}`);
  return {
    task: 'send-mail',
    key: mailId,
    payload: { kind: 'low_credits', accountId, mailId },
    concurrencyKeys: mailConcurrencyKeys,
  };
};

const again = (task: string, target: string, payload: Task['payload']): Task => ({
  task,
  key: `again|${task}|${target}`,
  payload,
});
