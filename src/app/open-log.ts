import type { Pool } from 'pg';
import { projections } from '#projections/index.ts';
import { cancellationChannel, postgresCallCancellations } from '../adapters/postgres/call-cancellations-postgres.ts';
import { postgresPool, type Sockets } from '../adapters/postgres/pool.ts';
import { inconsistencies } from '../eventlog/integrity-check.ts';
import { postgresEventLog } from '../eventlog/postgres-event-log.ts';
import { ensureProjections, projectionRunner } from '../eventlog/projections/projection.ts';
import { rollbackMessage } from '../eventlog/rollback-guard.ts';
import { appendNotifications } from '../eventlog/subscriptions/notifications.ts';
import { eventSchemas, upcasters } from '../events.ts';
import type { Logger } from '../kernel/logger.ts';

/** How long a query waits for a read model to catch up before it returns stale data. */
const readYourWritesMs = 1_000;

/** The log of this process with its read models. */
export type OpenLog = Awaited<ReturnType<typeof openLog>>;

/**
 * Opens the log and creates the tables of new read models. `isFolding`: this process keeps them up to date; otherwise it updates
 * a read model only while a caller here waits for it.
 */
export const openLog = async (
  stack: AsyncDisposableStack,
  options: {
    readonly pool: Pool;
    readonly logger: Logger;
    readonly isFolding: boolean;
    /** Whether to refuse a log with inconsistent tables; false leaves the check to the caller. */
    readonly mustAgree: boolean;
    /** The channel of append notifications for other processes, also for appends by operator commands. */
    readonly announceUrl: string;
    /** See `appendNotifications`. */
    readonly sockets?: Sockets | undefined;
    /** Timeout of a connection for locks; unset: that of a server. */
    readonly connectTimeoutMs?: number | undefined;
    /** The pool is connected to the server itself, not to a transaction pooler. */
    readonly isDirect: boolean;
    readonly onConflict: () => void;
  },
) => {
  const { pool, logger, isFolding, mustAgree, announceUrl, sockets, connectTimeoutMs } = options;
  const log = postgresEventLog({
    pool,
    upcasters,
    schemas: eventSchemas,
    onRollback: (lost) => logger.error(`${rollbackMessage(lost)}; ${rollbackHelp}`),
    isPrepared: options.isDirect,
    onConflict: options.onConflict,
  });
  const cancellations = postgresCallCancellations({ pool });
  const channels = { [cancellationChannel]: cancellations.receive };
  stack.use(appendNotifications({ log, pool, url: announceUrl, sockets, channels, logger }));
  if (mustAgree) await requireAgreement(pool);
  const states = await ensureProjections(pool, projections);
  for (const [name, state] of states) {
    if (state !== 'older') continue;
    logger.warn('a read model is of an older version: steno projections rebuild', { projection: name });
  }
  const sessions = postgresPool({
    ...{ url: announceUrl, sockets, acquireTimeoutMs: connectTimeoutMs, applicationName: 'steno locks' },
    // The read models, the reactions and the relay of a process each hold their locks on one connection.
    max: 3,
  });
  stack.defer(() => sessions.end());
  const runner = stack.use(projectionRunner({ projections, log, pool, sessions, logger }));
  const { subscriptions } = runner;
  // A read model of another version is not updated until it was rebuilt in the version of this program.
  if (isFolding) runner.start();
  return {
    log,
    /** Direct connections, not through a transaction pooler, for session locks and LISTEN. */
    sessions,
    subscriptions,
    /** Payloads arrive over the LISTEN connection of the log. */
    cancellations,
    caughtUp: async (model: string, position: bigint): Promise<unknown> => {
      if (!isFolding) runner.start([model]);
      return await subscriptions.get(model)?.caughtUpTo(position, { timeoutMs: readYourWritesMs });
    },
  };
};

const rollbackHelp =
  'nothing is read or appended any more. Bring back the database that holds it, or restart every process to go on without what was lost (docs/backup.md, "When commits are lost")';

/** A partially restored log would assign positions or versions a second time. */
const requireAgreement = async (pool: Pool): Promise<void> => {
  const [first, ...more] = await inconsistencies(pool, { isWhole: false });
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  throw new Error(
    `the event log contradicts itself: ${first}${others}; bring back a whole copy of the database, or take its events as they are with \`steno log adopt\``,
  );
};
