import type { Transaction } from '../../eventlog/event-log.ts';
import { eraseLibraryIn } from './library-store-postgres.ts';

/** Deletes what an account has read and kept, and its stored responses: in the transaction of its erasure and again after it. */
export const eraseContentIn = async (by: Transaction, accountId: string): Promise<void> => {
  await by.query('DELETE FROM job_operation_result WHERE account_id = $1', [accountId]);
  await by.query('DELETE FROM paid_captions WHERE reader = $1', [accountId]);
  await by.query('DELETE FROM idempotency_keys WHERE account_id = $1', [accountId]);
  await eraseLibraryIn(by, accountId);
};
