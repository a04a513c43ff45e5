import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import { sharedLookUps } from '../../kernel/shared-look-ups.ts';
import type { KeyCredential, KeyCredentials } from '../../keys/key-credentials.ts';
import { type CredentialVersion, unchangedMs } from './credential-version.ts';

/** Keys are looked up again after this time whatever happened. */
const keptMs = 60_000;
const maxCached = 10_000;
const sightingsEveryMs = 10_000;
/** The owner of a new key waits to see its first use. */
const firstSightingMs = 200;

/**
 * Keys by the hash of their secret, in Postgres. A key is cached until any key or account changes, which one number tells
 * for all of them, asked for at most every 800 ms; an unknown key for 800 ms. Concurrent look-ups share queries. The time of last use is written in batches: the first use of a key almost at once, later
 * ones every ten seconds.
 */
export const keyCredentials = ({
  pool,
  clock,
  version,
}: {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly version: CredentialVersion;
}): KeyCredentials & AsyncDisposable => {
  const cache = new LRUCache<string, Promise<StoredKey | null>>({ max: maxCached, ttl: keptMs });
  version.onChange(() => cache.clear());
  const lookUpOne = sharedLookUps((secretHashes) => lookUp(pool, secretHashes, clock));
  const seen = new Map<string, Date>();
  /** Keys whose last use was written since the last interval. */
  const written = new Set<string>();
  let soon: NodeJS.Timeout | undefined;

  const lookUpCached = async (secretHash: string): Promise<StoredKey | null> => {
    if (!version.isFresh()) await version.check();
    const cached = cache.get(secretHash);
    if (cached !== undefined) return cached;
    const found = lookUpOne(secretHash).then((key) => key ?? null);
    cache.set(secretHash, found);
    found.then(
      (key) => key === null && cache.set(secretHash, found, { ttl: unchangedMs }),
      () => cache.delete(secretHash),
    );
    return found;
  };

  const writeSightings = async (): Promise<void> => {
    clearTimeout(soon);
    soon = undefined;
    if (seen.size === 0) return;
    const keyIds = [...seen.keys()];
    const times = [...seen.values()].map((time) => time.toISOString());
    seen.clear();
    for (const keyId of keyIds) written.add(keyId);
    await pool.query(
      `INSERT INTO key_sightings (key_id, last_used_at)
       SELECT * FROM unnest($1::text[], $2::timestamptz[])
       ON CONFLICT (key_id) DO UPDATE
       SET last_used_at = greatest(key_sightings.last_used_at, excluded.last_used_at)`,
      [keyIds, times],
    );
  };

  const sight = (keyId: string): void => {
    if (!seen.has(keyId) && !written.has(keyId)) {
      soon ??= setTimeout(() => void writeSightings().catch(() => {}), firstSightingMs).unref();
    }
    seen.set(keyId, clock());
  };
  // A lost write makes "last used" too old, nothing else.
  const timer = setInterval(() => {
    written.clear();
    void writeSightings().catch(() => {});
  }, sightingsEveryMs).unref();

  return {
    find: async (secretHash: string): Promise<KeyCredential | null> => {
      const key = await lookUpCached(secretHash);
      if (key === null || (key.expiresAt !== null && key.expiresAt <= clock())) return null;
      sight(key.credential.keyId);
      return key.credential;
    },
    forget: (): void => cache.clear(),
    activeKeyIds: (accountId) => activeKeys(pool, accountId, clock),
    insertIn,
    setCapIn,
    endIn,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      clearInterval(timer);
      await writeSightings().catch(() => {});
    },
  };
};

/** A key that was active when it was looked up. */
type StoredKey = { readonly credential: KeyCredential; readonly expiresAt: Date | null };

/** The active keys among these, by the hash of their secret. */
const lookUp = async (
  pool: Pool,
  secretHashes: readonly string[],
  clock: Clock,
): Promise<ReadonlyMap<string, StoredKey>> => {
  const { rows } = await pool.query<KeyCredential & { readonly secretHash: string; readonly expiresAt: Date | null }>(
    `SELECT secret_hash AS "secretHash", key_id AS "keyId", account_id AS "accountId", scopes,
       cap_credits::float8 AS "capCredits", coalesce(cap_period, 'period') AS "capPeriod",
       coalesce(warn_at, '{}') AS "warnAt", suspended_at IS NOT NULL AS "isSuspended",
       expires_at AS "expiresAt"
     FROM key_credentials LEFT JOIN account_profiles USING (account_id)
     WHERE secret_hash = ANY ($1::text[])
       AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
    [secretHashes, clock()],
  );
  return new Map(rows.map(({ secretHash, expiresAt, ...credential }) => [secretHash, { credential, expiresAt }]));
};

const activeKeys = async (pool: Pool, accountId: string, clock: Clock): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ key_id: string }>(
    `SELECT key_id
     FROM key_credentials
     WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
    [accountId, clock()],
  );
  return rows.map(({ key_id }) => key_id);
};

const insertIn: KeyCredentials['insertIn'] = async (transaction, key, maxActive) => {
  // One transaction at a time per account, or two of them would both see one free place.
  await transaction.query('SELECT pg_advisory_xact_lock(20261121, hashtext($1))', [key.accountId]);
  const { rowCount } = await transaction.query(
    `INSERT INTO key_credentials
       (key_id, account_id, secret_hash, scopes, cap_credits, expires_at, created_at, cap_period, warn_at)
     SELECT $1, $2, $3, $4::text[], $5::bigint, $6::timestamptz, $7::timestamptz, $9, $10::smallint[]
     WHERE $8 > (
       SELECT count(*)
       FROM key_credentials
       WHERE account_id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $7)
     )`,
    [
      ...[key.keyId, key.accountId, key.secretHash, key.scopes, key.capCredits, key.expiresAt, key.createdAt],
      ...[maxActive, key.capPeriod, key.warnAt],
    ],
  );
  return rowCount === 1;
};

const setCapIn: KeyCredentials['setCapIn'] = async (transaction, { keyId, capCredits, capPeriod, warnAt }) => {
  await transaction.query(
    `UPDATE key_credentials
     SET cap_credits = $2, cap_period = $3, warn_at = $4::smallint[]
     WHERE key_id = $1`,
    [keyId, capCredits, capPeriod, warnAt],
  );
};

const endIn: KeyCredentials['endIn'] = async (transaction, { keyId, revokedAt, expiresAt }) => {
  await transaction.query(
    `UPDATE key_credentials
     SET revoked_at = coalesce(revoked_at, $2), expires_at = coalesce($3, expires_at)
     WHERE key_id = $1`,
    [keyId, revokedAt, expiresAt],
  );
};
