import type { Pool } from 'pg';
import type { Task } from '../../edges/worker/task.ts';
import { inTransaction } from '../../eventlog/connection.ts';
import { addWork } from './work-queue.ts';

const mostAtOnce = 500;

/** A plan with the number of credits at which they count as low. */
export type LowThreshold = { readonly plan: string; readonly credits: number };

/**
 * Queues one task for each account with low credits, once in an accounting period; the notice is recorded in the
 * same transaction. Returns the number of queued tasks, at most 500.
 */
export const queueLowCredits = async (
  pool: Pool,
  thresholds: readonly LowThreshold[],
  workFor: (accountId: string, notice: string) => Task,
): Promise<number> =>
  inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ account_id: string; notice: string }>(
      `INSERT INTO account_notices (account_id, notice)
       SELECT b.account_id, 'low_credits ' || b.period
       FROM balances AS b
       JOIN unnest($1::text[], $2::bigint[]) AS low (plan, credits) ON low.plan = b.plan
       JOIN account_profiles AS p ON p.account_id = b.account_id
       WHERE b.available <= low.credits AND b.closes_at > now() AND p.suspended_at IS NULL
         AND NOT EXISTS (
           SELECT FROM account_notices AS n
           WHERE n.account_id = b.account_id AND n.notice = 'low_credits ' || b.period)
       LIMIT ${mostAtOnce}
       ON CONFLICT DO NOTHING
       RETURNING account_id, notice`,
      [thresholds.map(({ plan }) => plan), thresholds.map(({ credits }) => credits)],
    );
    // Only the newest notice of each account is kept.
    await client.query(
      `DELETE FROM account_notices AS old
       USING unnest($1::text[], $2::text[]) AS fresh (account_id, notice)
       WHERE old.account_id = fresh.account_id AND old.notice <> fresh.notice`,
      [rows.map(({ account_id }) => account_id), rows.map(({ notice }) => notice)],
    );
    const work = rows.map(({ account_id, notice }) => workFor(account_id, notice));
    await addWork(client, work);
    return { commit: true, result: rows.length };
  });
