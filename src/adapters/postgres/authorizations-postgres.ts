import type { Pool } from 'pg';
import type {
  AuthorizationStore,
  StoredAuthorization,
  TokenCredential,
} from '../../authorizations/authorization-store.ts';
import { valuesOf } from '../../eventlog/connection.ts';
import type { Transaction } from '../../eventlog/event-log.ts';
import type { Clock } from '../../kernel/clock.ts';
import { hashOfToken } from './oauth-state-postgres.ts';
import { rowsWithTimes } from './pool.ts';

const maxListed = 500;

/** Authorizations of applications, in Postgres. A token is looked up anew each time: one that has ended is refused at once. */
export const postgresAuthorizations = ({
  pool,
  clock,
}: {
  readonly pool: Pool;
  readonly clock: Clock;
}): AuthorizationStore => ({
  findByToken: async (token) => {
    const { rows } = await pool.query<Omit<TokenCredential, 'scopes'> & { readonly scope: string | null }>(
      `SELECT a.authorization_id AS "authorizationId", a.account_id AS "accountId",
         a.credits_per_day::float8 AS "creditsPerDay", a.credits_total::float8 AS "creditsTotal",
         t.payload ->> 'scope' AS scope, coalesce(t.payload ->> 'aud', '') AS audience,
         p.suspended_at IS NOT NULL AS "isSuspended"
       FROM oauth_state AS t
       JOIN oauth_authorizations AS a USING (authorization_id)
       JOIN account_profiles AS p ON p.account_id = a.account_id
       WHERE t.kind = 'AccessToken' AND t.id_hash = $1 AND t.expires_at > $2
         AND a.ended_at IS NULL AND a.expires_at > $2`,
      [hashOfToken(token), clock()],
    );
    const [found] = rows;
    if (found === undefined) return null;
    const { scope, ...credential } = found;
    return { ...credential, scopes: (scope ?? '').split(' ').filter((one) => one !== '') };
  },
  isActive: async (authorizationId) => {
    const { rowCount } = await pool.query(
      'SELECT FROM oauth_authorizations WHERE authorization_id = $1 AND ended_at IS NULL AND expires_at > $2',
      [authorizationId, clock()],
    );
    return rowCount === 1;
  },
  find: async (authorizationId) => {
    const [found] = await authorizationsWhere(pool, 'authorization_id = $1 LIMIT $2', [authorizationId, 1]);
    return found ?? null;
  },
  listed: (accountId) =>
    authorizationsWhere(pool, 'account_id = $1 ORDER BY created_at DESC, authorization_id DESC LIMIT $2', [
      accountId,
      maxListed,
    ]),
  activeIds: async (accountId) => {
    const { rows } = await pool.query<{ readonly id: string }>(
      'SELECT authorization_id AS id FROM oauth_authorizations WHERE account_id = $1 AND ended_at IS NULL',
      [accountId],
    );
    return rows.map(({ id }) => id);
  },
  insertIn,
  endIn,
});

const authorizationsWhere = (
  pool: Pool,
  condition: string,
  values: readonly unknown[],
): Promise<StoredAuthorization[]> =>
  rowsWithTimes<StoredAuthorization>(
    pool,
    `SELECT authorization_id AS "authorizationId", account_id AS "accountId", client_id AS "clientId",
       client_name AS "clientName", scopes, credits_per_day::float8 AS "creditsPerDay",
       credits_total::float8 AS "creditsTotal", created_at AS "createdAt", expires_at AS "expiresAt",
       ended_at AS "endedAt"
     FROM oauth_authorizations
     WHERE ${condition}`,
    values,
  );

const insertIn: AuthorizationStore['insertIn'] = async (transaction, one, maxActive) => {
  // One transaction at a time per account, or two of them would both see one free place.
  await transaction.query('SELECT pg_advisory_xact_lock(20261126, hashtext($1))', [one.accountId]);
  const { rowCount } = await transaction.query(
    `INSERT INTO oauth_authorizations
       (authorization_id, account_id, client_id, client_name, scopes, credits_per_day, credits_total, created_at,
        expires_at)
     SELECT $1, $2, $3, $4, $5::text[], $6::bigint, $7::bigint, $8::timestamptz, $9::timestamptz
     WHERE $10 > (
       SELECT count(*)
       FROM oauth_authorizations
       WHERE account_id = $2 AND (
         (ended_at IS NULL AND expires_at > $8::timestamptz) OR created_at > $8::timestamptz - interval '1 day')
     )`,
    [
      ...valuesOf(one, 'authorizationId', 'accountId', 'clientId', 'clientName', 'scopes', 'creditsPerDay'),
      ...valuesOf(one, 'creditsTotal', 'createdAt', 'expiresAt'),
      maxActive,
    ],
  );
  return rowCount === 1;
};

const endIn: AuthorizationStore['endIn'] = async (transaction, { authorizationId, endedAt }) => {
  await transaction.query(
    'UPDATE oauth_authorizations SET ended_at = coalesce(ended_at, $2) WHERE authorization_id = $1',
    [authorizationId, endedAt],
  );
  await transaction.query('DELETE FROM oauth_state WHERE authorization_id = $1', [authorizationId]);
};

/** Deletes what names the applications of an account, in the transaction of its erasure. */
export const eraseAuthorizationsIn = async (transaction: Transaction, accountId: string): Promise<void> => {
  await transaction.query('DELETE FROM oauth_state WHERE account_id = $1', [accountId]);
  await transaction.query('DELETE FROM oauth_authorizations WHERE account_id = $1', [accountId]);
};
