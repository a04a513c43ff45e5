import type { Pool } from 'pg';
import { projections } from '#projections/index.ts';
import { cancellationChannel, postgresCallCancellations } from '../adapters/call-cancellations.ts';
import type { Sockets } from '../adapters/postgres/sockets.ts';
import { postgresPool } from '../adapters/postgres.ts';
import { inconsistencies } from '../eventlog/integrity-check.ts';
import { type PostgresEventLog, postgresEventLog } from '../eventlog/postgres-event-log.ts';
import { ensureProjections, projectionRunner } from '../eventlog/projections/projection.ts';
import { rollbackMessage } from '../eventlog/rollback-guard.ts';
import { appendNotifications } from '../eventlog/subscriptions/notifications.ts';
import type { Subscription } from '../eventlog/subscriptions/subscriber.ts';
import { catalogue, upcasters } from '../events.ts';
import type { CallCancellations } from '../kernel/call-cancellations.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';

/** A reader waits this long for a read model, then takes what is there. */
const readYourWritesMs = 1_000;

/** The log of this process with the read models that are folded from it. */
export type OpenLog = {
  readonly log: PostgresEventLog;
  /** Connections that keep their session: they do not go through a transaction pooler. */
  readonly sessions: Pool;
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  /** They come over the connection that hears of appends. */
  readonly cancellations: CallCancellations;
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
    readonly onConflict: () => void;
  },
): Promise<OpenLog> => {
  const { pool, clock, logger, isFolding, mustAgree, announceUrl, sockets } = options;
  const log = postgresEventLog({
    pool,
    clock,
    upcasters,
    types: Object.keys(catalogue),
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
    logger.warn('a read model is of an older version: steno projections rebuild', {
      projection: name,
    });
  }
  const sessions = sessionPool(announceUrl, sockets);
  stack.defer(() => sessions.end());
  const runner = stack.use(projectionRunner({ projections, log, pool, sessions, logger }));
  const { subscriptions } = runner;
  // A read model of another version is not folded until a rebuild has brought it to the version of this program.
  if (isFolding) runner.start();
  return {
    log,
    sessions,
    subscriptions,
    cancellations,
    caughtUp: async (model, position) => {
      if (!isFolding) runner.start([model]);
      return await subscriptions.get(model)?.caughtUpTo(position, { timeoutMs: readYourWritesMs });
    },
  };
};

/** A process has two runners, one for the read models and one for the reactions; each holds its locks on one connection. */
const sessionPool = (url: string, sockets: Sockets | undefined): Pool =>
  postgresPool({ url, applicationName: 'steno locks', max: 2, sockets });

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
