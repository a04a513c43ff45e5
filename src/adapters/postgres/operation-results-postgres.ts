import type { Pool } from 'pg';
import type { JobOperationResult } from '../../insights/run-operation.ts';
import { resultOf, storedResult } from '../../insights/stored-operations.ts';

const keptDays = 60;
const savesBetweenPrunes = 500;

const prune = `DELETE FROM job_operation_result WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM job_operation_result
  WHERE created_at < now() - make_interval(days => $1::int) LIMIT 2000))`;

/** Results of the operations of jobs in Postgres (migration 0018), kept for 60 days. */
export const postgresOperationResults = ({ pool }: { readonly pool: Pool }) => {
  let saves = 0;
  const read = async (itemIds: readonly string[], isCharged: boolean) => {
    const { rows } = await pool.query<Omit<JobOperationResult, 'done'> & { readonly result: string }>(
      `SELECT item_id AS "itemId", place, credits, nullif(charge_id, '') AS "chargeId", result FROM job_operation_result
       WHERE item_id = ANY ($1) AND (charge_id IS NOT NULL OR NOT $2) ORDER BY item_id, place`,
      [itemIds, isCharged],
    );
    return rows.map(({ result, ...row }): JobOperationResult => ({ ...row, done: resultOf(result) }));
  };
  return {
    /** All of these items, in the order in which their jobs name the operations. For the worker alone. */
    stored: (itemIds: readonly string[]): Promise<readonly JobOperationResult[]> => read(itemIds, false),
    /** Those that are charged, which callers may see. An item that was cancelled or failed has none. */
    charged: (itemIds: readonly string[]): Promise<readonly JobOperationResult[]> => read(itemIds, true),
    /** The first result of an item and place stays: it is what is charged. */
    save: async (
      accountId: string,
      { itemId, place, credits, done }: Omit<JobOperationResult, 'chargeId'>,
    ): Promise<void> => {
      await pool.query(
        `INSERT INTO job_operation_result (item_id, place, account_id, operation, credits, result)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
        [itemId, place, accountId, done.call.operation, credits, storedResult(done)],
      );
      saves += 1;
      if (saves % savesBetweenPrunes === 0) await pool.query(prune, [keptDays]);
    },
    setCharge: async (itemId: string, place: number, chargeId: string): Promise<void> => {
      await pool.query('UPDATE job_operation_result SET charge_id = $3 WHERE item_id = $1 AND place = $2', [
        itemId,
        place,
        chargeId,
      ]);
    },
  };
};

export type OperationResults = ReturnType<typeof postgresOperationResults>;
