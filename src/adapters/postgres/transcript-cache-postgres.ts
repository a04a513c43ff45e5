import type { Pool } from 'pg';
import type { Segment } from '../../extraction/captions/caption-track.ts';
import type { KnownRefusal, KnownTranscript, KnownVideo, TranscriptCache } from '../../extraction/transcript-cache.ts';
import { rowsWithTimes } from './pool.ts';

/** Segments as they are stored: `[startMs, durationMs, endMs, text]`, half the size of objects. */
type StoredSegment = readonly [number, number, number, string, StoredWords?];
/** Each word with its start. */
type StoredWords = readonly (readonly [text: string, startMs: number])[];

type VideoRow = { readonly [Member in keyof KnownVideo]: KnownVideo[Member] | null } & {
  readonly refusals: readonly KnownRefusal[] | null;
};

type TranscriptRow = Omit<KnownTranscript, 'segments'> & { readonly segments: string };

/** Always one row: an unknown video may still have a cached refusal. */
const selectVideo = `
SELECT v.video, v.tracks, v.default_track_id AS "defaultTrackId", v.fetched_at AS "fetchedAt", r.refusals
FROM (SELECT $1::text AS video_id) AS wanted
LEFT JOIN platform_video AS v USING (video_id)
LEFT JOIN LATERAL (
  SELECT json_agg(json_build_object(
    'trackId', nullif(track_id, ''), 'failure', failure, 'expiresAt', expires_at)) AS refusals
  FROM platform_refusal
  WHERE platform_refusal.video_id = wanted.video_id
) AS r ON true`;

const selectTranscript = `
SELECT c.track_id AS "trackId", c.content_sha256 AS "contentSha256", c.fetched_at AS "fetchedAt", content.segments
FROM platform_caption AS c
JOIN platform_caption_content AS content USING (content_sha256)
WHERE c.video_id = $1
AND c.track_id = $2`;

const upsertVideo = `
INSERT INTO platform_video (video_id, video, tracks, default_track_id, fetched_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (video_id) DO UPDATE
SET video = excluded.video, tracks = excluded.tracks,
  default_track_id = excluded.default_track_id, fetched_at = excluded.fetched_at`;

const saveVideo = `
WITH no_longer_refused AS (
  DELETE FROM platform_refusal WHERE video_id = $1 AND track_id = ''
)
${upsertVideo}`;

/** One statement, so one round trip and one transaction. The update of equal content keeps `prune` off it. */
const saveTranscript = `
WITH no_longer_refused AS (
  DELETE FROM platform_refusal WHERE video_id = $1 AND track_id IN ('', $6)
), content AS (
  INSERT INTO platform_caption_content (content_sha256, segments, used_at)
  VALUES ($7, $8, now())
  ON CONFLICT (content_sha256) DO UPDATE SET used_at = excluded.used_at
), caption AS (
  INSERT INTO platform_caption (video_id, track_id, content_sha256, fetched_at)
  VALUES ($1, $6, $7, $9)
  ON CONFLICT (video_id, track_id) DO UPDATE
  SET content_sha256 = excluded.content_sha256, fetched_at = excluded.fetched_at
)
${upsertVideo}`;

const upsertRefusal = `
INSERT INTO platform_refusal (video_id, track_id, failure, expires_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (video_id, track_id) DO UPDATE
SET failure = excluded.failure, expires_at = excluded.expires_at`;

export type PostgresTranscriptCache = TranscriptCache & {
  /** Deletes rows not refreshed from the platform for `keptDays`, at most `limit` of each table. */
  prune(options: { readonly keptDays: number; readonly limit: number }): Promise<number>;
};

const keptDays = 60;
const savesBetweenPrunes = 500;

/** The cache in Postgres (migration 0005). Every 500th save also deletes a batch of old rows. */
export const postgresTranscriptCache = ({ pool }: { readonly pool: Pool }): PostgresTranscriptCache => {
  let saves = 0;
  const prune: PostgresTranscriptCache['prune'] = async ({ keptDays: days, limit }) => {
    let count = 0;
    for (const statement of prunes) {
      const { rowCount } = await pool.query(statement, [days, limit]);
      count += rowCount ?? 0;
    }
    return count;
  };
  return {
    async readVideo(videoId) {
      const [row] = await rowsWithTimes<VideoRow>(pool, selectVideo, [videoId]);
      return { known: row === undefined ? null : knownOf(row), refusals: row?.refusals ?? [] };
    },
    async readTranscript(videoId, trackId) {
      const [row] = await rowsWithTimes<TranscriptRow>(pool, selectTranscript, [videoId, trackId]);
      if (row === undefined) return null;
      const stored: readonly StoredSegment[] = JSON.parse(row.segments);
      return { ...row, segments: Object.freeze(stored.map(segmentOf)) };
    },
    async save(known, transcript) {
      const { video, tracks, defaultTrackId, fetchedAt } = known;
      const values = [video.videoId, JSON.stringify(video), JSON.stringify(tracks), defaultTrackId, fetchedAt];
      if (transcript === null) await pool.query(saveVideo, values);
      else await pool.query(saveTranscript, [...values, ...valuesOf(transcript)]);
      saves += 1;
      if (saves % savesBetweenPrunes === 0) await prune({ keptDays, limit: savesBetweenPrunes * 4 });
    },
    async saveRefusal(videoId, { trackId, failure, expiresAt }) {
      const values = [videoId, trackId ?? '', JSON.stringify(failure), expiresAt];
      await pool.query(upsertRefusal, values);
    },
    prune,
  };
};

const knownOf = ({ video, tracks, defaultTrackId, fetchedAt }: VideoRow): KnownVideo | null => {
  if (video === null || tracks === null || fetchedAt === null) return null;
  return { video: Object.freeze(video), tracks: Object.freeze(tracks), defaultTrackId, fetchedAt };
};

const segmentOf = ([startMs, durationMs, endMs, text, stored]: StoredSegment): Segment => {
  const segment = { text, startMs, durationMs, endMs };
  if (stored === undefined) return segment;
  return { ...segment, words: stored.map(([word, wordStartMs]) => ({ text: word, startMs: wordStartMs })) };
};

const storedOf = ({ text, startMs, durationMs, endMs, words }: Segment): StoredSegment =>
  words === undefined
    ? [startMs, durationMs, endMs, text]
    : [startMs, durationMs, endMs, text, words.map((word) => [word.text, word.startMs] as const)];

const valuesOf = ({ trackId, contentSha256, segments, fetchedAt }: KnownTranscript) => [
  trackId,
  contentSha256,
  JSON.stringify(segments.map(storedOf)),
  fetchedAt,
];

/** Content is deleted last, and only if unused for an hour, because a concurrent save may be about to refer to it. */
const prunes: readonly string[] = [
  `DELETE FROM platform_refusal WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM platform_refusal
    WHERE expires_at < now() - make_interval(days => least(1, $1::int)) LIMIT $2))`,
  `DELETE FROM platform_caption WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM platform_caption
    WHERE fetched_at < now() - make_interval(days => $1::int) LIMIT $2))`,
  `DELETE FROM platform_video WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM platform_video
    WHERE fetched_at < now() - make_interval(days => $1::int) LIMIT $2))`,
  `DELETE FROM platform_caption_content AS content
  WHERE used_at < now() - interval '1 hour'
  AND content_sha256 = ANY (ARRAY(
    SELECT old.content_sha256 FROM platform_caption_content AS old
    WHERE old.used_at < now() - make_interval(days => $1::int)
    AND NOT EXISTS (
      SELECT FROM platform_caption AS c WHERE c.content_sha256 = old.content_sha256
    ) LIMIT $2))`,
];
