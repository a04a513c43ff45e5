import { canonicalOf, mailboxHash } from '../../../accounts/email-address.ts';
import type { Transaction } from '../../../eventlog/event-log.ts';
import { type KeyedAccount, keyedAccountColumns, type StoredKeys, storeAccounts } from './replace-keys.ts';

/** What was adopted, and what of it is made with keys that are lost, in numbers. */
export type AdoptedRows = {
  /** Accounts whose password nobody can compare any more. */
  readonly passwords: number;
  /** Accounts with webhooks whose receivers know other secrets. */
  readonly webhookSecrets: number;
  /** Responses that are stored under an `Idempotency-Key`. */
  readonly answers: number;
  /** Accounts whose mailbox is indexed anew by its stored address. */
  readonly accounts: number;
  /** Accounts without an index: an older account has the same mailbox. */
  readonly displaced: readonly string[];
};

type Row = KeyedAccount & { readonly registeredAt: Date };

const perBatch = 1_000;

/**
 * Makes the current key that of every row, in one transaction of the caller: indexes mailboxes by their stored addresses,
 * and marks what cannot be saved. Accounts that were made with this key, whatever key the database was begun with, lose
 * nothing.
 */
export const adoptRows = async (by: Transaction, keys: StoredKeys, unmarkedId: string): Promise<AdoptedRows> => {
  const { id, bytes } = keys.mailboxes.current;
  let [accounts, passwords, webhookSecrets] = [0, 0, 0];
  const displaced: string[] = [];
  for (let after: readonly [Date, string] | null = [new Date(0), '']; after !== null; ) {
    const { rows }: { rows: readonly Row[] } = await by.query<Row>(
      `SELECT ${keyedAccountColumns}, registered_at AS "registeredAt"
           FROM account_profiles
          WHERE (date_trunc('milliseconds', registered_at), account_id) > ($1, $2)
          ORDER BY date_trunc('milliseconds', registered_at), account_id
          LIMIT ${perBatch}
            FOR UPDATE`,
      after,
    );
    const found = rows.map((row) => {
      const isOwn = row.mailboxHash === mailboxHash(canonicalOf(row.email), bytes);
      const passwordKeyId = row.passwordKeyId ?? (isOwn ? id : unmarkedId);
      return { ...row, isOwn, passwordKeyId, isIndexed: true };
    });
    displaced.push(...(await storeAccounts(by, keys, found)));
    const foreign = found.filter(({ isOwn }) => !isOwn);
    accounts += foreign.length;
    passwords += found.filter((one) => one.passwordKeyId !== id).length;
    const { rowCount } = await by.query('SELECT FROM es_stream WHERE stream = ANY ($1)', [
      foreign.map(({ accountId }) => `webhooks-${accountId}`),
    ]);
    webhookSecrets += rowCount ?? 0;
    const last = rows.at(-1);
    after = last === undefined ? null : [last.registeredAt, last.accountId];
  }
  await by.query('DELETE FROM webhook_secrets WHERE secret_id <> $1', [id]);
  const { rows } = await by.query<{ answers: number }>(
    `SELECT count(*)::int AS answers FROM idempotency_keys
      WHERE body IS NOT NULL AND expires_at > now() AND coalesce(secret_id, $2) <> $1`,
    [id, unmarkedId],
  );
  return { accounts, displaced, passwords, webhookSecrets, answers: rows[0]?.answers ?? 0 };
};
