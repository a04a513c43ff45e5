import type { Sql } from 'postgres';
import { valuesOf } from '../src/eventlog/connection.ts';
import type { Transaction } from '../src/eventlog/event-log.ts';
import type { FoldedEvent } from '../src/eventlog/event-rows.ts';
import type { Projection } from '../src/eventlog/projections/projection.ts';
import type { KeyCap, KeyCreated, KeyEvent } from '../src/keys/key.ts';

/** The keys of accounts for their owners. A key has few events, so one statement for each is enough. */
export const keys: Projection<KeyEvent> = {
  name: 'keys',
  version: 2,
  types: ['KeyCreated', 'KeyCapSet', 'KeyRolled', 'KeyRevoked'],
  tables: ['keys'],
  createSql: ({ keys: table }) => `
    CREATE TABLE ${table} (
      key_id       text PRIMARY KEY,
      account_id   text NOT NULL,
      name         text NOT NULL,
      prefix       text NOT NULL,
      scopes       text[] NOT NULL,
      cap_credits  bigint,
      cap_period   text NOT NULL,
      warn_at      smallint[] NOT NULL,
      expires_at   timestamptz,
      rolled_to    text,
      rolled_from  text,
      created_at   timestamptz NOT NULL,
      revoked_at   timestamptz
    );
    CREATE INDEX ON ${table} (account_id, created_at)`,
  fold: async (transaction, events, { keys: table }) => {
    for (const event of events) await folded(transaction, event, table ?? 'keys');
  },
};

const folded = async (transaction: Transaction, recorded: FoldedEvent<KeyEvent>, table: string): Promise<void> => {
  const { type, data } = recorded as KeyEvent;
  switch (type) {
    case 'KeyCreated':
      return inserted(transaction, data, table);
    case 'KeyCapSet':
      await transaction.query(
        `UPDATE ${table} SET cap_credits = $2, cap_period = $3, warn_at = $4::smallint[] WHERE key_id = $1`,
        valuesOf(data, 'keyId', 'capCredits', 'capPeriod', 'warnAt'),
      );
      return;
    case 'KeyRolled':
      await transaction.query(
        `UPDATE ${table} SET expires_at = $2, rolled_to = $3 WHERE key_id = $1`,
        valuesOf(data, 'keyId', 'expiresAt', 'rolledTo'),
      );
      return;
    case 'KeyRevoked':
      await transaction.query(`UPDATE ${table} SET revoked_at = $2 WHERE key_id = $1`, [data.keyId, data.at]);
      return;
  }
};

const inserted = async (transaction: Transaction, data: KeyCreated['data'], table: string): Promise<void> => {
  await transaction.query(
    `INSERT INTO ${table}
       (key_id, account_id, name, prefix, scopes, cap_credits, expires_at, rolled_from, created_at,
        cap_period, warn_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::smallint[])
     ON CONFLICT (key_id) DO NOTHING`,
    [
      ...valuesOf(data, 'keyId', 'accountId', 'name', 'prefix', 'scopes', 'capCredits'),
      ...valuesOf(data, 'expiresAt', 'rolledFrom', 'at'),
      data.capPeriod ?? 'period',
      data.warnAt ?? [],
    ],
  );
};

export type KeyRow = Readonly<
  KeyCap & Pick<KeyCreated['data'], 'keyId' | 'name' | 'prefix' | 'scopes' | 'expiresAt'>
> & {
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
  readonly rolledTo: string | null;
};

/** The keys of an account, newest first, at most `limit`. The last use of a key is stored beside the log. */
export const keysOf = async (sql: Sql, accountId: string, limit: number): Promise<KeyRow[]> => {
  return await sql<KeyRow[]>`
    SELECT k.key_id, coalesce(typed_text(k.name), '') AS name, k.prefix, to_json(k.scopes) AS scopes, k.cap_credits::float8,
           k.cap_period, to_json(k.warn_at) AS warn_at, k.created_at,
           s.last_used_at, k.expires_at, k.revoked_at, k.rolled_to
    FROM keys k
    LEFT JOIN key_sightings s USING (key_id)
    WHERE k.account_id = ${accountId}
    ORDER BY k.created_at DESC, k.key_id DESC
    LIMIT ${limit}`;
};
