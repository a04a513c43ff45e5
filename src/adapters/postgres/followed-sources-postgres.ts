import type { Pool } from 'pg';
import { columnsOf, inTransaction } from '../../eventlog/connection.ts';
import type { Transaction } from '../../eventlog/event-log.ts';
import type { KnownSource, SeenUpTo, SeenVideo, SourceStore, Unread } from '../../follows/source-store.ts';
import { invalidRequest, Refusal } from '../../kernel/refusal.ts';
import { rowsWithTimes } from './pool.ts';

/** Videos of one source that are told to a follow in one go. */
const unreadAtOnce = 200;

/** How long a claimed source is left to the worker that has it, before its look is queued again. */
const claimed = '10 minutes';

/**
 * The next look of a source: each has a moment of its own within its interval, which its name decides, so that the looks
 * are spread evenly and stay so after a standstill. A look that was made out of turn does not bring two close together.
 */
const nextLook = `(
  SELECT to_timestamp(due.at + CASE WHEN due.at - due.now < f.interval_s / 2 THEN f.interval_s ELSE 0 END)
  FROM (
    SELECT one.now, one.now - (one.now - one.phase) % f.interval_s + f.interval_s AS at
    FROM (SELECT extract(epoch FROM now())::bigint AS now,
                 (hashtext(f.source)::bigint & 2147483647) % f.interval_s AS phase) AS one
  ) AS due)`;

const insertVideos = `
  INSERT INTO followed_videos (source, video_id, title, is_short, is_old)
  SELECT $1, one.video_id, one.title, one.is_short, one.is_old
  FROM unnest($2::text[], $3::text[], $4::boolean[], $5::boolean[])
    WITH ORDINALITY AS one (video_id, title, is_short, is_old, place)
  ORDER BY one.place
  ON CONFLICT (source, video_id) DO NOTHING
  RETURNING is_old`;

const valuesOf = (source: string, videos: readonly (SeenVideo & { readonly isOld: boolean })[]) => [
  source,
  ...columnsOf(videos, 'videoId', 'title', 'isShort', 'isOld'),
];

const upTo = `
  SELECT f.id::text, coalesce((
    SELECT max(v.number) FROM followed_videos AS v WHERE v.source = f.source AND NOT v.is_old), 0)::text AS number
  FROM followed_sources AS f WHERE f.source = $1`;

const upToIn = async (by: Transaction, source: string): Promise<SeenUpTo | null> => {
  const { rows } = await by.query<{ id: string; number: string }>(upTo, [source]);
  return rows[0] ?? null;
};

/** Whether an active follow of a source has not read all that is known of it. */
const isUnread = async (by: Transaction, source: string, { number }: SeenUpTo): Promise<boolean> => {
  const { rows } = await by.query<{ is_unread: boolean }>(
    `SELECT EXISTS (
       SELECT FROM follow_subscriptions WHERE source = $1 AND is_active AND read_to < $2::bigint) AS is_unread`,
    [source, number],
  );
  return rows[0]?.is_unread === true;
};

/** Queues work on sources, in a transaction: that they are looked at, or that their follows are told of what is new. */
export type QueueSources = (by: Transaction, what: 'look' | 'tell', sources: readonly string[]) => Promise<void>;

/** Followed sources in Postgres (migration 0045). */
export const postgresFollowedSources = (parts: Parts): SourceStore => ({
  ...knownSources(parts),
  ...looks(parts),
  ...subscriptions(parts),
});

type Parts = { readonly pool: Pool; readonly queue: QueueSources };

const knownSources = ({ pool }: Parts): Pick<SourceStore, 'find' | 'seenAmong' | 'begin' | 'seenUpTo'> => ({
  async find(source) {
    const [known] = await rowsWithTimes<KnownSource>(
      pool,
      `SELECT id::text, title, etag, last_modified AS "lastModified", is_partial AS "isPartial",
               greatest(0, extract(epoch FROM now() - last_look_at))::float8 AS "ageS",
               last_look_at AS "lastLookAt", next_look_at AS "nextLookAt",
               (extract(epoch FROM now() - refused_since) * 1000)::float8 AS "refusedForMs"
             FROM followed_sources WHERE source = $1`,
      [source],
    );
    return known ?? null;
  },
  async seenAmong(source, videoIds) {
    const { rows } = await pool.query<{ video_id: string }>(
      'SELECT video_id FROM followed_videos WHERE source = $1 AND video_id = ANY ($2)',
      [source, videoIds],
    );
    return new Set(rows.map(({ video_id }) => video_id));
  },
  begin: ({ source, title, etag, lastModified, videos, isPartial, intervalS }) =>
    inTransaction(pool, async (by) => {
      const { rowCount } = await by.query(
        `INSERT INTO followed_sources AS f (source, title, etag, last_modified, is_partial, interval_s, last_look_at)
         VALUES ($1, $2, $3, $4, $5, $6, now())
         ON CONFLICT (source) DO NOTHING`,
        [source, title, etag, lastModified, isPartial, intervalS],
      );
      if (rowCount === 1) {
        await by.query(
          insertVideos,
          valuesOf(
            source,
            videos.map((one) => ({ ...one, isOld: false })),
          ),
        );
      }
      const known = await upToIn(by, source);
      if (known === null) throw new Error(`${source} is not kept`);
      return { commit: true, result: known };
    }),
  seenUpTo: (source) => upToIn(pool, source),
});

const looks = ({ pool, queue }: Parts): Pick<SourceStore, 'saveLook' | 'saveRefusal' | 'queueDue'> => ({
  saveLook: (look) =>
    inTransaction(pool, async (by) => {
      const { source, title, etag, lastModified, fresh, old } = look;
      // The lock makes numbers of one source become visible in their order.
      const { rowCount } = await by.query(
        `UPDATE followed_sources AS f
         SET title = coalesce($2, title), etag = $3, last_modified = $4, last_look_at = now(),
           refused_since = NULL, refused_code = NULL,
           next_look_at = CASE WHEN next_look_at IS NULL THEN NULL ELSE ${nextLook} END
         WHERE source = $1`,
        [source, title, etag, lastModified],
      );
      if (rowCount === 0) return { commit: false, result: null };
      const videos = [
        ...old.map((one) => ({ ...one, isOld: true })),
        ...fresh.map((one) => ({ ...one, isOld: false })),
      ];
      const { rows } =
        videos.length === 0
          ? { rows: [] }
          : await by.query<{ is_old: boolean }>(insertVideos, valuesOf(source, videos));
      const known = await upToIn(by, source);
      if (known === null) throw new Error(`${source} is not kept`);
      // Of earlier looks too: a follow may have been paused, or its task lost.
      if (await isUnread(by, source, known)) await queue(by, 'tell', [source]);
      return { commit: true, result: { ...known, found: rows.filter(({ is_old }) => !is_old).length } };
    }),
  async saveRefusal(source, code) {
    const { rows } = await pool.query<{ ms: number }>(
      `UPDATE followed_sources AS f
       SET refused_since = coalesce(refused_since, now()), refused_code = $2, last_look_at = now(),
         next_look_at = CASE WHEN next_look_at IS NULL THEN NULL ELSE ${nextLook} END
       WHERE source = $1
       RETURNING (extract(epoch FROM now() - refused_since) * 1000)::float8 AS ms`,
      [source, code],
    );
    return rows[0]?.ms ?? 0;
  },
  queueDue: (limit) =>
    inTransaction(pool, async (client) => {
      const { rows } = await client.query<{ source: string }>(
        `UPDATE followed_sources AS f SET next_look_at = now() + interval '${claimed}'
         FROM (
           SELECT source FROM followed_sources WHERE next_look_at <= now()
           ORDER BY next_look_at LIMIT $1 FOR UPDATE SKIP LOCKED
         ) AS due
         WHERE f.source = due.source
         RETURNING f.source`,
        [limit],
      );
      const sources = rows.map(({ source }) => source);
      await queue(client, 'look', sources);
      return { commit: true, result: rows.length };
    }),
});

const subscriptions = ({
  pool,
}: Parts): Pick<SourceStore, 'unread' | 'markReadIn' | 'markRead' | 'subscribeIn' | 'changeIn' | 'followsOf'> => ({
  async unread(source, limit) {
    const { rows } = await pool.query<Unread>(
      `SELECT s.follow_id AS "followId", s.account_id AS "accountId", fresh.videos, fresh.read_to::text AS "readTo"
       FROM follow_subscriptions AS s
       CROSS JOIN LATERAL (
         SELECT coalesce(json_agg(json_build_object('videoId', v.video_id, 'isShort', v.is_short) ORDER BY v.number)
                  FILTER (WHERE (CASE WHEN v.is_short THEN '{shorts}' ELSE '{videos,streams}' END)::text[] && s.kinds),
                  '[]') AS videos,
                max(v.number) AS read_to
         FROM (
           SELECT * FROM followed_videos AS one
           WHERE one.source = s.source AND one.number > s.read_to AND NOT one.is_old
           ORDER BY one.number LIMIT ${unreadAtOnce}
         ) AS v
       ) AS fresh
       WHERE s.source = $1 AND s.is_active AND fresh.read_to IS NOT NULL AND s.read_to < (
         SELECT max(known.number) FROM followed_videos AS known WHERE known.source = $1 AND NOT known.is_old)
       LIMIT $2`,
      [source, limit],
    );
    return rows;
  },
  markReadIn: markRead,
  markRead: (unread) => markRead(pool, unread),
  subscribeIn: subscribe,
  changeIn: change,
  async followsOf({ keyId = null, authorizationId = null, accountId = null, source = null }) {
    const { rows } = await pool.query<Pick<Unread, 'followId' | 'accountId'>>(
      `SELECT follow_id AS "followId", account_id AS "accountId" FROM follow_subscriptions
       WHERE ($1::text IS NULL OR key_id = $1) AND ($2::text IS NULL OR account_id = $2)
         AND ($3::text IS NULL OR source = $3) AND ($4::text IS NULL OR authorization_id = $4)
       ORDER BY follow_id`,
      [keyId, accountId, source, authorizationId],
    );
    return rows;
  },
});

const markRead: SourceStore['markReadIn'] = async (transaction, { followId, readTo }) => {
  await transaction.query(
    'UPDATE follow_subscriptions SET read_to = greatest(read_to, $2::bigint) WHERE follow_id = $1',
    [followId, readTo],
  );
};

const subscribe: SourceStore['subscribeIn'] = async (transaction, wanted) => {
  const { followId, accountId, keyId, authorizationId, source, intervalS, kinds, readTo, limit } = wanted;
  // One after the other for each account, so that two at once do not pass the limit together.
  await transaction.query("SELECT pg_advisory_xact_lock(hashtextextended('follows ' || $1, 0))", [accountId]);
  const { rows: own } = await transaction.query<{ follow_id: string; source: string }>(
    'SELECT follow_id, source FROM follow_subscriptions WHERE account_id = $1',
    [accountId],
  );
  const same = own.find((one) => one.source === source);
  if (same !== undefined) {
    const message = `The account follows this already, as ${same.follow_id}.`;
    throw new Refusal('FOLLOW_EXISTS', message, { follow_id: same.follow_id });
  }
  if (own.length >= limit) {
    const message = `The plan of the account allows ${limit} follows; end one first.`;
    throw invalidRequest(message, { path: 'follows', code: 'too_many' }, { limit });
  }
  const { rowCount } = await transaction.query(
    `INSERT INTO follow_subscriptions
       (follow_id, account_id, key_id, authorization_id, source, is_active, interval_s, kinds, read_to)
     SELECT $1, $2, $3, $9, f.source, true, $5, $6, $8
     FROM followed_sources AS f WHERE f.source = $4 AND f.id = $7::bigint FOR UPDATE`,
    [followId, accountId, keyId, source, intervalS, kinds, readTo.id, readTo.number, authorizationId],
  );
  if (rowCount !== 1) return false;
  await schedule(transaction, source, false);
  return true;
};

const change: SourceStore['changeIn'] = async (transaction, follow) => {
  const { followId, keyId, authorizationId, source, intervalS, kinds, status, isDueNow } = follow;
  // The lock of the source, before that of the subscription, as a new follow takes them.
  await transaction.query('SELECT FROM followed_sources WHERE source = $1 FOR UPDATE', [source]);
  if (status === 'ended') {
    await transaction.query('DELETE FROM follow_subscriptions WHERE follow_id = $1', [followId]);
    await transaction.query(
      `DELETE FROM followed_sources AS f WHERE f.source = $1
       AND NOT EXISTS (SELECT FROM follow_subscriptions AS s WHERE s.source = f.source)`,
      [source],
    );
  } else {
    await transaction.query(
      `UPDATE follow_subscriptions
       SET is_active = $2, key_id = $3, interval_s = $4, kinds = $5, authorization_id = $6 WHERE follow_id = $1`,
      [followId, status === 'active', keyId, intervalS, kinds, authorizationId],
    );
  }
  await schedule(transaction, source, isDueNow);
};

/** The shortest interval of those that follow a source decides when it is looked at; without anybody it is not. */
const schedule = async (transaction: Transaction, source: string, isDueNow: boolean): Promise<void> => {
  const { rows } = await transaction.query<{ interval_s: number | null }>(
    'SELECT min(interval_s) AS interval_s FROM follow_subscriptions WHERE source = $1 AND is_active',
    [source],
  );
  const intervalS = rows[0]?.interval_s ?? null;
  await transaction.query(
    `UPDATE followed_sources AS f
     SET interval_s = coalesce($2, f.interval_s) WHERE f.source = $1`,
    [source, intervalS],
  );
  await transaction.query(
    `UPDATE followed_sources AS f
     SET next_look_at = CASE WHEN $2::integer IS NULL THEN NULL WHEN $3 THEN now()
       ELSE least(f.next_look_at, ${nextLook}) END
     WHERE f.source = $1`,
    [source, intervalS, isDueNow],
  );
};
