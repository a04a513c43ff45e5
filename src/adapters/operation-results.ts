import type { Pool } from 'pg';
import type { Transaction } from '../eventlog/event-log.ts';
import type { OperationDone, OperationResult } from '../insights/run-operation.ts';

const keptDays = 60;
const savesBetweenPrunes = 500;

const prune = `DELETE FROM job_operation_result WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM job_operation_result
  WHERE created_at < now() - make_interval(days => $1::int) LIMIT 2000))`;

/** Results of the operations of jobs in Postgres (migration 0018), kept for 60 days. */
export const postgresOperationResults = ({ pool }: { readonly pool: Pool }) => {
  let saves = 0;
  return {
    /** Those of these items, in the order in which their jobs name the operations. */
    of: async (itemIds: readonly string[]): Promise<readonly OperationResult[]> => {
      const { rows } = await pool.query<
        Omit<OperationResult, 'done'> & { readonly result: string }
      >(
        `SELECT item_id AS "itemId", place, credits, charge_id AS "chargeId", result FROM job_operation_result
       WHERE item_id = ANY ($1) ORDER BY item_id, place`,
        [itemIds],
      );
      return rows.map(({ result, ...row }) => ({
        ...row,
        done: JSON.parse(result) as OperationDone,
      }));
    },
    /** The first result of an item and place stays: it is what is charged. */
    save: async (
      accountId: string,
      { itemId, place, credits, done }: Omit<OperationResult, 'chargeId'>,
    ): Promise<void> => {
      await pool.query(
        `INSERT INTO job_operation_result (item_id, place, account_id, operation, credits, result)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
        [itemId, place, accountId, done.operation, credits, JSON.stringify(done)],
      );
      saves += 1;
      if (saves % savesBetweenPrunes === 0) await pool.query(prune, [keptDays]);
    },
    charged: async (itemId: string, place: number, chargeId: string): Promise<void> => {
      await pool.query(
        'UPDATE job_operation_result SET charge_id = $3 WHERE item_id = $1 AND place = $2',
        [itemId, place, chargeId],
      );
    },
  };
};

export type OperationResults = ReturnType<typeof postgresOperationResults>;

/** Erases the results of an account, in the transaction of the erasure. */
export const eraseOperationResultsIn = async (
  transaction: Transaction,
  accountId: string,
): Promise<void> => {
  await transaction.query('DELETE FROM job_operation_result WHERE account_id = $1', [accountId]);
};
