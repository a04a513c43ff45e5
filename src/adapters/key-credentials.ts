import type { Pool } from 'pg';
import type { Transaction } from '../eventlog/log.ts';
import { type Clock, elapsedMs } from '../kernel/clock.ts';

/** A key as the log-in of a request needs it. */
export type KeyCredential = {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  readonly capCredits: number | null;
};

/** How long a look-up is believed. A revoked key is refused by every process within a second. */
const believedMs = 800;
const maxRemembered = 10_000;
const sightingsEveryMs = 10_000;

type Remembered = { readonly until: number; readonly found: Promise<KeyCredential | null> };

/**
 * Keys by the hash of their secret, in Postgres. Look-ups are remembered for 800 ms, unknown ones too, and
 * those of one key at the same time share one query. Sightings are written in batches every ten seconds.
 */
export const keyCredentials = ({ pool, clock }: { readonly pool: Pool; readonly clock: Clock }) => {
  const remembered = new Map<string, Remembered>();
  const seen = new Map<string, string>();

  const remember = (secretHash: string): Remembered => {
    const found = lookUp(pool, secretHash, clock);
    const entry = { until: elapsedMs() + believedMs, found };
    found.catch(() => remembered.delete(secretHash));
    remembered.delete(secretHash);
    remembered.set(secretHash, entry);
    if (remembered.size > maxRemembered) {
      const [oldest] = remembered.keys();
      if (oldest !== undefined) remembered.delete(oldest);
    }
    return entry;
  };

  const writeSightings = async (): Promise<void> => {
    if (seen.size === 0) return;
    const keyIds = [...seen.keys()];
    const times = [...seen.values()];
    seen.clear();
    await pool.query(
      `INSERT INTO key_sightings (key_id, last_used_at)
       SELECT * FROM unnest($1::text[], $2::timestamptz[])
       ON CONFLICT (key_id) DO UPDATE
       SET last_used_at = greatest(key_sightings.last_used_at, excluded.last_used_at)`,
      [keyIds, times],
    );
  };
  // A sighting that is lost makes "last used" older than it was, nothing else.
  const timer = setInterval(() => void writeSightings().catch(() => {}), sightingsEveryMs).unref();

  return {
    /** The key with this hash if it is good now, else null. */
    find: async (secretHash: string): Promise<KeyCredential | null> => {
      const known = remembered.get(secretHash);
      const entry = known !== undefined && known.until > elapsedMs() ? known : remember(secretHash);
      const credential = await entry.found;
      if (credential !== null && !seen.has(credential.keyId)) {
        seen.set(credential.keyId, clock().toISOString());
      }
      return credential;
    },
    /** Forgets what was looked up: for the process that changes a key. */
    forget: (): void => remembered.clear(),
    /** How many keys of an account are good now. */
    countActive: async (accountId: string): Promise<number> => {
      const { rows } = await pool.query<{ count: string }>(
        `SELECT count(*)::text AS count
         FROM key_credentials
         WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
        [accountId, clock()],
      );
      return Number(rows[0]?.count ?? 0);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      clearInterval(timer);
      await writeSightings().catch(() => {});
    },
  };
};

const lookUp = async (pool: Pool, secretHash: string, clock: Clock) => {
  const { rows } = await pool.query<{
    key_id: string;
    account_id: string;
    scopes: string[];
    cap_credits: string | null;
  }>(
    `SELECT key_id, account_id, scopes, cap_credits::text AS cap_credits
     FROM key_credentials
     WHERE secret_hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
    [secretHash, clock()],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    keyId: row.key_id,
    accountId: row.account_id,
    scopes: row.scopes,
    capCredits: row.cap_credits === null ? null : Number(row.cap_credits),
  };
};

/** Writes a new key's credential, in the transaction of its `KeyCreated`. */
export const insertCredential = async (
  transaction: Transaction,
  key: KeyCredential & {
    readonly secretHash: string;
    readonly expiresAt: string | null;
    readonly createdAt: string;
  },
): Promise<void> => {
  await transaction.query(
    `INSERT INTO key_credentials
       (key_id, account_id, secret_hash, scopes, cap_credits, expires_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      key.keyId,
      key.accountId,
      key.secretHash,
      key.scopes,
      key.capCredits,
      key.expiresAt,
      key.createdAt,
    ],
  );
};

/** Ends a key's credential, in the transaction of its `KeyRevoked` or `KeyRolled`. */
export const endCredential = async (
  transaction: Transaction,
  end: {
    readonly keyId: string;
    readonly revokedAt: string | null;
    readonly expiresAt: string | null;
  },
): Promise<void> => {
  await transaction.query(
    `UPDATE key_credentials
     SET revoked_at = coalesce(revoked_at, $2), expires_at = coalesce($3, expires_at)
     WHERE key_id = $1`,
    [end.keyId, end.revokedAt, end.expiresAt],
  );
};
