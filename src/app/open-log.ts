import type { Pool } from 'pg';
import { projections } from '#projections/index.ts';
import { announceAppends } from '../eventlog/announcements.ts';
import { ensureProjections, projector } from '../eventlog/projection.ts';
import { type PostgresEventLog, postgresEventLog } from '../eventlog/store.ts';
import type { Subscription } from '../eventlog/subscriptions.ts';
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

/** Opens the log and makes the tables of new read models; `isFolding`: this process keeps them up to date. */
export const openLog = async (
  stack: AsyncDisposableStack,
  options: {
    readonly pool: Pool;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly isFolding: boolean;
    /** Where other processes are told of appends; null: there are none. */
    readonly announceUrl: string | null;
  },
): Promise<OpenLog> => {
  const { pool, clock, logger, isFolding, announceUrl } = options;
  const log = postgresEventLog({ pool, clock, upcasters, types: Object.keys(catalogue) });
  if (announceUrl !== null) {
    stack.use(announceAppends({ log, pool, url: announceUrl, logger }));
  }
  const states = await ensureProjections(pool, projections);
  const subscriptions = new Map<string, Subscription>();
  for (const projection of projections) {
    const state = states.get(projection.name);
    if (state === 'older') {
      logger.warn('a read model is of an older version: steno projections rebuild', {
        projection: projection.name,
      });
    }
    const subscription = stack.use(projector({ projection, log, pool, logger }));
    subscriptions.set(projection.name, subscription);
    // One of another version rests by itself, and goes on when a rebuild has made it this one.
    if (isFolding) subscription.start();
  }
  return {
    log,
    subscriptions,
    caughtUp: async (model, position) =>
      subscriptions.get(model)?.caughtUpTo(position, { timeoutMs: readYourWritesMs }),
  };
};
