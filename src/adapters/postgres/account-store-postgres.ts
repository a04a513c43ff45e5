import type { Pool, PoolClient } from 'pg';
import type {
  AccountLink,
  AccountStore,
  AccountWrites,
  Credential,
  RequestOrigin,
  Session,
  Tally,
} from '../../accounts/account-store.ts';
import { openPassword, type PasswordKeys } from '../../accounts/password/stored-password.ts';
import { inTransaction, valuesOf } from '../../eventlog/connection.ts';
import type { Transaction } from '../../eventlog/event-log.ts';

const maxBuckets = 8;
/** Retention of counters; longer than every rate limit window. */
const tallyKeptMs = 2 * 86_400_000;
const sweepRows = 5_000;

type TallyRow = { bucket: string; tally: number; started_at: Date; blocked_until: Date };

const tallyColumns = 'bucket, tally, started_at, blocked_until';
const credential = `account_id AS "accountId", user_id AS "userId", email, name,
  password_hash AS "passwordHash", password_secret_id AS "passwordKeyId", registered_at AS "registeredAt", suspended_at AS "suspendedAt",
  mailbox_proved_at AS "mailboxProvedAt"`;
const session = `session_id AS "sessionId", account_id AS "accountId", started_at AS "startedAt",
  renewed_at AS "renewedAt", idle_ends_at AS "idleEndsAt", ends_at AS "endsAt", ip,
  user_agent AS "userAgent"`;

type CredentialRow = Omit<Credential, 'password'> & {
  readonly passwordHash: string;
  readonly passwordKeyId: string | null;
};

const credentialOf = (keys: PasswordKeys, { passwordHash, passwordKeyId, ...profile }: CredentialRow): Credential => ({
  ...profile,
  password: openPassword(keys, { accountId: profile.accountId, stored: passwordHash, keyId: passwordKeyId }),
});

const credentialWhere = async (
  by: Transaction,
  keys: PasswordKeys,
  condition: string,
  value: unknown,
): Promise<Credential | null> => {
  const { rows } = await by.query<CredentialRow>(`SELECT ${credential} FROM account_profiles WHERE ${condition}`, [
    value,
  ]);
  return rows[0] === undefined ? null : credentialOf(keys, rows[0]);
};

const settingIn =
  <Value>(transaction: Transaction, column: string) =>
  async (accountId: string, value: Value): Promise<void> => {
    await transaction.query(`UPDATE account_profiles SET ${column} = $2 WHERE account_id = $1`, [accountId, value]);
  };

/** Profiles, sessions, nonces and counters in Postgres. Rows name the key that they are made with. */
export const accountStore = (pool: Pool, keys: PasswordKeys): AccountStore => ({
  findByMailbox: (hashes) => credentialWhere(pool, keys, 'mailbox_hash = ANY ($1)', hashes),
  find: (accountId) => credentialWhere(pool, keys, 'account_id = $1', accountId),
  list: async ({ email, isSuspended, after, limit }) => {
    const { rows } = await pool.query<CredentialRow>(
      `SELECT ${credential}
         FROM account_profiles
        WHERE ($1::text IS NULL OR strpos(lower(email), lower($1)) > 0)
          AND ($2::boolean IS NULL OR (suspended_at IS NOT NULL) = $2)
          AND ($3::text IS NULL OR account_id > $3)
        ORDER BY account_id
        LIMIT $4`,
      [email, isSuspended, after, limit],
    );
    return rows.map((row) => credentialOf(keys, row));
  },
  findSession: async (tokenSha256, now) => {
    const { rows } = await pool.query<Session & { readonly userId: string }>(
      `SELECT ${session}, user_id AS "userId"
         FROM account_sessions JOIN account_profiles USING (account_id)
        WHERE token_sha256 = $1 AND idle_ends_at > $2 AND ends_at > $2`,
      [tokenSha256, now],
    );
    return rows[0] ?? null;
  },
  openSessions: async (accountId, now) => {
    const { rows } = await pool.query<Session>(
      `SELECT ${session}
         FROM account_sessions
        WHERE account_id = $1 AND idle_ends_at > $2 AND ends_at > $2
        ORDER BY started_at DESC, session_id DESC
        LIMIT 100`,
      [accountId, now],
    );
    return rows;
  },
  findLink: async (tokenSha256, purpose, now) => {
    const { rows } = await pool.query<{ account_id: string }>(
      `SELECT account_id FROM account_links
        WHERE token_sha256 = $1 AND purpose = $2 AND expires_at > $3`,
      [tokenSha256, purpose, now],
    );
    return rows[0]?.account_id ?? null;
  },
  addLink: (link) => insertLink(pool, link),
  prolongSession: async (sessionId, now, idleEndsAt) => {
    await pool.query(
      `UPDATE account_sessions SET renewed_at = $2, idle_ends_at = $3
        WHERE session_id = $1 AND idle_ends_at < $3`,
      [sessionId, now, idleEndsAt],
    );
  },
  useNonce: async (nonce, expiresAt) => {
    const { rowCount } = await pool.query(
      'INSERT INTO captcha_nonces (nonce, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [nonce, expiresAt],
    );
    return rowCount === 1;
  },
  tallies: async (buckets) => {
    const { rows } = await pool.query<TallyRow>(`SELECT ${tallyColumns} FROM attempt_tallies WHERE bucket = ANY ($1)`, [
      checked(buckets),
    ]);
    return inOrder(buckets, rows);
  },
  changeTallies: (buckets, change) =>
    inTransaction(pool, async (client) => {
      const { tallies, result } = change(await lockTallies(client, checked(buckets)));
      await writeTallies(client, buckets, tallies);
      return { commit: true, result };
    }),
  countWithin: (bucket, counted) => countWithin(pool, bucket, counted),
  noteOrigin: (origin) => noteOrigin(pool, origin),
  originsOf: async (accountId, requestIds) => {
    const { rows } = await pool.query<RequestOrigin>(
      `SELECT account_id AS "accountId", request_id AS "requestId", ip, user_agent AS "userAgent",
              noted_at AS at
         FROM account_origins
        WHERE account_id = $1 AND ($2::text[] IS NULL OR request_id = ANY ($2))
        ORDER BY noted_at DESC, request_id DESC`,
      [accountId, requestIds],
    );
    return rows;
  },
  writesIn: (transaction) => writesIn(transaction, keys),
  sweep: (now, originsBefore) => sweep(pool, now, originsBefore),
});

/**
 * One statement, so that the row lock of an address is not held during a round trip or during a commit that waits for the
 * disk. Returns no row if the limit is reached.
 */
const countCredits = `
WITH setting AS (SELECT set_config('synchronous_commit', 'off', true))
INSERT INTO attempt_tallies AS kept (bucket, tally, started_at, blocked_until)
SELECT $1, greatest($2::int, 0), $4, 'epoch' FROM setting WHERE $2::int <= $3::int
ON CONFLICT (bucket) DO UPDATE
SET tally = greatest(0, kept.tally + $2::int)
WHERE kept.tally + $2::int <= $3::int`;

const countWithin = async (
  pool: Pool,
  bucket: string,
  { credits, limit, now }: Parameters<AccountStore['countWithin']>[1],
): Promise<number | null> => {
  const { rowCount } = await pool.query(countCredits, [bucket, credits, limit, now]);
  if (rowCount === 1) return null;
  const { rows } = await pool.query<Pick<TallyRow, 'tally'>>('SELECT tally FROM attempt_tallies WHERE bucket = $1', [
    bucket,
  ]);
  return Math.max(0, limit - (rows[0]?.tally ?? 0));
};

const writesIn = (transaction: Transaction, keys: PasswordKeys): AccountWrites => ({
  insertProfile: async (profile) => {
    await transaction.query(
      `INSERT INTO account_profiles
         (account_id, user_id, mailbox_hash, email, name, password_hash, registered_at, secret_id, password_secret_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
      [
        ...valuesOf(profile, 'accountId', 'userId', 'mailboxHash', 'email', 'name', 'passwordHash', 'registeredAt'),
        keys.peppers.current.id,
      ],
    );
  },
  lock: (accountId) => credentialWhere(transaction, keys, 'account_id = $1 FOR UPDATE', accountId),
  setPassword: async (accountId, passwordHash) => {
    await transaction.query(
      'UPDATE account_profiles SET password_hash = $2, password_secret_id = $3 WHERE account_id = $1',
      [accountId, passwordHash, keys.peppers.current.id],
    );
  },
  setSuspended: settingIn(transaction, 'suspended_at'),
  setMailboxProved: settingIn(transaction, 'mailbox_proved_at'),
  insertSession: async (session) => {
    await transaction.query(
      `INSERT INTO account_sessions (token_sha256, session_id, account_id, started_at, renewed_at, idle_ends_at, ends_at,
          ip, user_agent)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        ...valuesOf(session, 'tokenSha256', 'sessionId', 'accountId', 'startedAt', 'renewedAt', 'idleEndsAt', 'endsAt'),
        ...valuesOf(session, 'ip', 'userAgent'),
      ],
    );
  },
  openSessionIds: async (accountId, now) => {
    const { rows } = await transaction.query<{ session_id: string }>(
      `SELECT session_id
         FROM account_sessions
        WHERE account_id = $1 AND idle_ends_at > $2 AND ends_at > $2`,
      [accountId, now],
    );
    return rows.map((row) => row.session_id);
  },
  deleteSessions: async (sessionIds) => {
    await transaction.query('DELETE FROM account_sessions WHERE session_id = ANY ($1)', [sessionIds]);
  },
  ...linkWritesIn(transaction),
  noteOrigin: (origin) => noteOrigin(transaction, origin),
  erase: async (accountId) => {
    await transaction.query('DELETE FROM account_profiles WHERE account_id = $1', [accountId]);
  },
});

const linkWritesIn = (transaction: Transaction): Pick<AccountWrites, 'insertLink' | 'useLink' | 'deleteLinks'> => ({
  insertLink: (link) => insertLink(transaction, link),
  useLink: async ({ tokenSha256, accountId, purpose }, now) => {
    const { rows } = await transaction.query(
      `DELETE FROM account_links
        WHERE token_sha256 = $1 AND account_id = $2 AND purpose = $3 AND expires_at > $4
       RETURNING account_id`,
      [tokenSha256, accountId, purpose, now],
    );
    return rows.length === 1;
  },
  deleteLinks: async (accountId, purpose) => {
    await transaction.query('DELETE FROM account_links WHERE account_id = $1 AND purpose = $2', [accountId, purpose]);
  },
});

const insertLink = async (
  by: Transaction,
  { tokenSha256, accountId, purpose, expiresAt }: AccountLink,
): Promise<void> => {
  await by.query(
    `INSERT INTO account_links (token_sha256, account_id, purpose, expires_at)
     VALUES ($1, $2, $3, $4)`,
    [tokenSha256, accountId, purpose, expiresAt],
  );
};

const checked = (buckets: readonly string[]): readonly string[] => {
  if (buckets.length <= maxBuckets && new Set(buckets).size === buckets.length) return buckets;
  throw new Error(`tallies are kept for at most ${maxBuckets} different buckets at once`);
};

const inOrder = (buckets: readonly string[], rows: readonly TallyRow[]): (Tally | null)[] => {
  const byBucket = new Map(rows.map((row) => [row.bucket, row]));
  return buckets.map((bucket) => {
    const row = byBucket.get(bucket);
    if (row === undefined) return null;
    const startedAt = row.started_at.getTime();
    return { count: row.tally, startedAt, blockedUntil: row.blocked_until.getTime() };
  });
};

/** Inserts missing rows and locks all rows in one order, to avoid deadlocks. */
const lockTallies = async (client: PoolClient, buckets: readonly string[]): Promise<readonly (Tally | null)[]> => {
  const sorted = buckets.toSorted();
  await client.query(
    `INSERT INTO attempt_tallies (bucket, tally, started_at, blocked_until)
     SELECT bucket, 0, 'epoch', 'epoch' FROM unnest($1::text[]) WITH ORDINALITY AS t (bucket, place)
      ORDER BY place
     ON CONFLICT DO NOTHING`,
    [sorted],
  );
  const { rows } = await client.query<TallyRow>(
    `SELECT ${tallyColumns}
       FROM attempt_tallies
      WHERE bucket = ANY ($1)
      ORDER BY bucket COLLATE "C"
        FOR UPDATE`,
    [sorted],
  );
  return inOrder(buckets, rows);
};

const writeTallies = async (
  client: PoolClient,
  buckets: readonly string[],
  tallies: readonly Tally[],
): Promise<void> => {
  await client.query(
    `UPDATE attempt_tallies AS kept
        SET tally = fresh.tally, started_at = fresh.started_at, blocked_until = fresh.blocked_until
       FROM unnest($1::text[], $2::int[], $3::timestamptz[], $4::timestamptz[])
         AS fresh (bucket, tally, started_at, blocked_until)
      WHERE kept.bucket = fresh.bucket`,
    [
      buckets,
      tallies.map(({ count }) => count),
      tallies.map(({ startedAt }) => new Date(startedAt).toISOString()),
      tallies.map(({ blockedUntil }) => new Date(blockedUntil).toISOString()),
    ],
  );
};

const noteOrigin = async (
  by: Transaction,
  { accountId, requestId, ip, userAgent, at }: RequestOrigin,
): Promise<void> => {
  await by.query(
    `INSERT INTO account_origins (account_id, request_id, ip, user_agent, noted_at)
     SELECT $1, $2, $3, $4, $5
      WHERE EXISTS (SELECT FROM account_profiles WHERE account_id = $1)
     ON CONFLICT DO NOTHING`,
    [accountId, requestId, ip, userAgent, at],
  );
};

/** At most 5,000 rows of each kind per sweep. */
const sweep = async (pool: Pool, now: Date, originsBefore: Date): Promise<void> => {
  const dropped = [
    ['account_sessions', 'LEAST(idle_ends_at, ends_at)', now],
    ['account_links', 'expires_at', now],
    ['captcha_nonces', 'expires_at', now],
    ['attempt_tallies', 'GREATEST(started_at, blocked_until)', new Date(now.getTime() - tallyKeptMs)],
    ['account_origins', 'noted_at', originsBefore],
  ] as const;
  for (const [table, time, before] of dropped) {
    await pool.query(
      `DELETE FROM ${table}
        WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM ${table} WHERE ${time} < $1 LIMIT ${sweepRows} FOR UPDATE SKIP LOCKED))`,
      [before],
    );
  }
};
