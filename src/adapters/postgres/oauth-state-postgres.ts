import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import type { KeptRecord, OAuthRecord, OAuthState } from '../../authorizations/oauth-state.ts';
import type { Clock } from '../../kernel/clock.ts';

/** Stands in a stored payload for the secret by which it is found. */
const placeholder = '\u0001';

/** The name of a secret in the tables: SHA-256 (hex). A slow hash would add nothing, because tokens are random. */
export const hashOfToken = (id: string): string => hash('sha256', id);

/**
 * The text of a payload without the secret it is found by, wherever it stands in it, nor that of a session. Ids of clients
 * and authorizations are no secrets.
 */
const withoutSecret = ({ kind, id }: OAuthRecord, payload: Readonly<Record<string, unknown>>): string => {
  if (kind === 'Client' || kind === 'Grant') return JSON.stringify(payload);
  const text = JSON.stringify(payload, (name, value: unknown) => (name === 'cookie' ? undefined : value));
  return text.replaceAll(id, JSON.stringify(placeholder).slice(1, -1));
};

/** The record of a kind that is found by `$2` and not over, with its secret. */
const findWhere = async (
  pool: Pool,
  condition: string,
  values: readonly [kind: string, value: string, now: Date],
  id: string,
): Promise<KeptRecord | undefined> => {
  const { rows } = await pool.query<{ payload: string; consumedAt: Date | null }>(
    `SELECT payload::text, consumed_at AS "consumedAt" FROM oauth_state
     WHERE kind = $1 AND ${condition} AND (expires_at IS NULL OR expires_at > $3)`,
    [...values],
  );
  const [row] = rows;
  return row && { ...row, payload: JSON.parse(row.payload.replaceAll(JSON.stringify(placeholder).slice(1, -1), id)) };
};

const sweepAtOnce = 5_000;

/** What the authorization server keeps, in Postgres: every process finds it at once. */
export const postgresOAuthState = ({ pool, clock }: { readonly pool: Pool; readonly clock: Clock }): OAuthState => ({
  keep: async (record, { payload, uid, authorizationId, accountId, expiresAt }) => {
    await pool.query(
      `INSERT INTO oauth_state (kind, id_hash, uid, authorization_id, account_id, payload, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (kind, id_hash) DO UPDATE
       SET uid = excluded.uid, authorization_id = excluded.authorization_id, account_id = excluded.account_id,
         payload = excluded.payload, expires_at = excluded.expires_at`,
      [record.kind, hashOfToken(record.id), uid, authorizationId, accountId, withoutSecret(record, payload), expiresAt],
    );
  },
  find: ({ kind, id }) => findWhere(pool, 'id_hash = $2', [kind, hashOfToken(id), clock()], id),
  findByUid: (kind, uid) => findWhere(pool, 'uid = $2', [kind, uid, clock()], placeholder),
  consume: async ({ kind, id }) => {
    const { rowCount } = await pool.query(
      'UPDATE oauth_state SET consumed_at = $3 WHERE kind = $1 AND id_hash = $2 AND consumed_at IS NULL',
      [kind, hashOfToken(id), clock()],
    );
    return rowCount === 1;
  },
  destroy: async ({ kind, id }) => {
    await pool.query('DELETE FROM oauth_state WHERE kind = $1 AND id_hash = $2', [kind, hashOfToken(id)]);
  },
  revoke: async (kind, authorizationId) => {
    await pool.query('DELETE FROM oauth_state WHERE kind = $1 AND authorization_id = $2', [kind, authorizationId]);
  },
  keepForGood: async ({ kind, id }) => {
    await pool.query('UPDATE oauth_state SET expires_at = NULL WHERE kind = $1 AND id_hash = $2', [
      kind,
      hashOfToken(id),
    ]);
  },
  sweep: async (now) => {
    await pool.query(
      `DELETE FROM oauth_state
       WHERE (kind, id_hash) IN (SELECT kind, id_hash FROM oauth_state WHERE expires_at < $1 LIMIT $2)`,
      [now, sweepAtOnce],
    );
  },
});
