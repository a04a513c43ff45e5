import type { Pool } from 'pg';
import { rowsWithTimes } from './pool.ts';

/** A database session that is idle in a transaction. */
export type IdleTransaction = {
  readonly pid: number;
  /** The application name, such as `psql`; may be empty. */
  readonly application: string;
  readonly user: string;
  /** RFC 3339. */
  readonly since: string;
};

const mostShown = 20;

/**
 * Sessions of this database that are idle in a transaction for longer than `longerThanMs`, longest first, at most
 * twenty. They keep vacuum from removing rows, and others wait for their locks. Sessions of other roles are visible
 * only to a role that may read all statistics (`pg_read_all_stats`, `pg_monitor`).
 */
export const idleTransactions = (
  pool: Pick<Pool, 'query'>,
  longerThanMs: number,
): Promise<readonly IdleTransaction[]> =>
  rowsWithTimes<IdleTransaction>(
    pool,
    `SELECT pid, coalesce(application_name, '') AS application, coalesce(usename, '') AS user,
            state_change AS since
     FROM pg_stat_activity
     WHERE datname = current_database()
       AND state IN ('idle in transaction', 'idle in transaction (aborted)')
       AND state_change < clock_timestamp() - make_interval(secs => $1)
     ORDER BY state_change
     LIMIT ${mostShown}`,
    [longerThanMs / 1_000],
  );
