import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { usualPace } from '../adapters/graphile-worker/pools.ts';
import { readDatabaseFigures } from '../adapters/postgres/database-metrics.ts';
import { memoizeFor } from '../edges/http/meta/memoize.ts';
import type { DatabaseFigures } from '../kernel/metrics.ts';
import type { CoreParts } from './application-core.ts';

/** Scrapes within this time share one query of the database. */
const databaseEveryMs = 5_000;
/** How long a scrape waits for the database: the other metrics matter most while the database is slow. */
const databaseTimeoutMs = 1_000;

/** The content of `/metrics`: the counters of this process, and the figures of the whole installation. */
export const metricsSource = ({
  metrics,
  queries,
  pool,
  pools,
}: Pick<CoreParts, 'metrics' | 'queries' | 'pool'> & {
  /** Every pool of this process, by name. */
  readonly pools: ReadonlyMap<string, Pool>;
}): (() => Promise<string>) => {
  const database = memoizeFor(databaseEveryMs, () => lookAt(pool));
  return async () => {
    const [figures, isWritable] = await Promise.all([database(), queries.isWritable()]);
    return await metrics.expose({
      extraction: queries.extractionHealth(),
      aiCircuit: queries.aiStatus().circuit,
      database: figures,
      isWritable,
      pools: [...pools].map(([name, { totalCount, idleCount, waitingCount }]) => ({
        name,
        total: totalCount,
        idle: idleCount,
        waiting: waitingCount,
      })),
    });
  };
};

const lookAt = (pool: Pool): Promise<DatabaseFigures | null> =>
  Promise.race([
    readDatabaseFigures(pool, { workerDeadAfterS: usualPace.deadAfterS }).catch(() => null),
    pause(databaseTimeoutMs, null, { ref: false }),
  ]);
