import type { Pool } from 'pg';
import { projections } from '#projections/index.ts';
import type { Sockets } from '../adapters/postgres/sockets.ts';
import { inconsistencies } from '../eventlog/integrity-check.ts';
import { type PostgresEventLog, postgresEventLog } from '../eventlog/postgres-event-log.ts';
import { ensureProjections, projectionSubscriptions } from '../eventlog/projections/projection.ts';
import { sentenceOf } from '../eventlog/rollback-guard.ts';
import { appendNotifications } from '../eventlog/subscriptions/notifications.ts';
import type { Subscription } from '../eventlog/subscriptions/subscription.ts';
import { catalogue, upcasters } from '../events.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';

/** A reader waits this long for a read model, then takes what is there. */
const readYourWritesMs = 1_000;

/** The log of this process with the read models that are folded from it. */
export type OpenLog = {
  readonly log: PostgresEventLog;
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  caughtUp(model: string, position: bigint): Promise<unknown>;
};

/**
 * Opens the log and makes the tables of new read models. `isFolding`: this process keeps them up to date; else it folds
 * a read model from when somebody waits for it here.
 */
export const openLog = async (
  stack: AsyncDisposableStack,
  options: {
    readonly pool: Pool;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly isFolding: boolean;
    /** Refuses a log whose tables contradict each other; else that is for the caller to find out. */
    readonly mustAgree: boolean;
    /** Where other processes are told of appends, commands of operators too. */
    readonly announceUrl: string;
    /** See `appendNotifications`. */
    readonly sockets?: Sockets | undefined;
    /** The pool is connected to the server itself, not to a transaction pooler. */
    readonly isDirect: boolean;
  },
): Promise<OpenLog> => {
  const { pool, clock, logger, isFolding, mustAgree, announceUrl, sockets } = options;
  const log = postgresEventLog({
    pool,
    clock,
    upcasters,
    types: Object.keys(catalogue),
    onRollback: (lost) => logger.error(`${sentenceOf(lost)}; ${rollbackHelp}`),
    isPrepared: options.isDirect,
  });
  stack.use(appendNotifications({ log, pool, url: announceUrl, sockets, logger }));
  if (mustAgree) await requireAgreement(pool);
  const states = await ensureProjections(pool, projections);
  const subscriptions = projectionSubscriptions({ projections, log, pool, logger });
  for (const [name, subscription] of subscriptions) {
    if (states.get(name) === 'older') {
      logger.warn('a read model is of an older version: steno projections rebuild', {
        projection: name,
      });
    }
    stack.use(subscription);
    // One of another version rests by itself, and goes on when a rebuild has made it this one.
    if (isFolding) subscription.start();
  }
  return {
    log,
    subscriptions,
    caughtUp: async (model, position) => {
      const subscription = subscriptions.get(model);
      if (!isFolding) subscription?.start();
      return await subscription?.caughtUpTo(position, { timeoutMs: readYourWritesMs });
    },
  };
};

const rollbackHelp =
  'nothing is read or appended any more. Bring back the database that holds it, or restart every process to go on without what was lost (docs/operations.md, "When commits are lost")';

/** A log that was put back in parts would give positions or versions a second time. */
const requireAgreement = async (pool: Pool): Promise<void> => {
  const [first, ...more] = await inconsistencies(pool, { isWhole: false });
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  throw new Error(
    `the event log contradicts itself: ${first}${others}; bring back a whole copy of the database, or take its events as they are with \`steno log adopt\``,
  );
};
