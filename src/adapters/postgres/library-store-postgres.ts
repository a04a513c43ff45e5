import type { Pool } from 'pg';
import { type Queryable, transactionOf } from '../../eventlog/connection.ts';
import type { Transaction } from '../../eventlog/event-log.ts';
import { storedLines, storedText } from '../../insights/extractive/passage-index.ts';
import { correctionsLookup, relativesLookup } from '../../library/grams.ts';
import {
  type FoundPassage,
  type KeptVideo,
  type LibraryStore,
  type NewVersion,
  termOf,
  type Version,
} from '../../library/library-store.ts';
import { decodeBlock } from '../../library/posting-blocks.ts';
import type { StoredPostings } from '../../library/postings.ts';
import {
  addToIndex,
  defaultFanOut,
  removeFromIndex,
  type StoredBlock,
  selectBlocks,
} from './library-index-postgres.ts';

type Library = { readonly library_id: number; readonly videos: number; readonly next_passage: number };

const selectLibrary = 'SELECT library_id FROM libraries WHERE account_id = $1';

const libraryOf = '(SELECT library_id FROM libraries WHERE account_id = $1)';

/** Versions of a video that are kept; beyond, the oldest is deleted. */
const mostVersions = 50;

/** The libraries in Postgres (migration 0050). Changes of one library wait for each other at its row. */
export const postgresLibraryStore = ({
  pool,
  fanOut = defaultFanOut,
}: {
  readonly pool: Pool;
  /** See `library-index-postgres.ts`. */
  readonly fanOut?: number;
}): LibraryStore => {
  const videosWhere = async (condition: string, values: readonly unknown[]): Promise<readonly KeptVideo[]> => {
    const { rows } = await pool.query<VideoRow>(`${selectVideos} ${condition}`, [...values]);
    return rows.map(videoOf);
  };
  return {
    keepIn: (transaction, version, quota) => keepIn(transaction, version, { quota, fanOut }),
    removeIn,
    room: async (accountId, videoId) => {
      const { rows } = await pool.query<{ videos: number; is_kept: boolean }>(selectRoom, [accountId, videoId]);
      return { videos: rows[0]?.videos ?? 0, isKept: rows[0]?.is_kept ?? false };
    },
    list: (accountId, { limit, before }) =>
      before === null
        ? videosWhere('ORDER BY k.kept_at DESC, k.video_id DESC LIMIT $2', [accountId, limit])
        : videosWhere(
            'AND (k.kept_at, k.video_id) < ($3::timestamptz, $4) ORDER BY k.kept_at DESC, k.video_id DESC LIMIT $2',
            [accountId, limit, before.keptAt, before.videoId],
          ),
    find: async (accountId, videoId) => (await videosWhere('AND k.video_id = $2', [accountId, videoId]))[0] ?? null,
    versions: async (accountId, videoId) => {
      const { rows } = await pool.query<VersionRow>(selectVersions, [accountId, videoId]);
      return rows.map(versionOf);
    },
    captions: async (accountId, videoId, version) => {
      const { rows } = await pool.query<
        VideoRow & VersionRow & { captions: string; times: number[]; duration_s: number | null }
      >(selectCaptions, [accountId, videoId, version]);
      const [row] = rows;
      if (row === undefined) return null;
      return {
        ...videoOf(row),
        ...versionOf(row),
        lines: storedLines(row.captions),
        times: row.times,
        durationS: row.duration_s,
      };
    },
    languages: async (accountId) => {
      const { rows } = await pool.query<{ stems: string; passages: number }>(selectLanguages, [accountId]);
      return rows;
    },
    resembling: resemblingIn(pool),
    postings: postingsIn(pool),
    admitted: async (accountId, { language, channel, from, to }) => {
      const { rows } = await pool.query<{ first: number; end: number }>(selectAdmitted, [
        accountId,
        language,
        channel,
        from,
        to,
      ]);
      return rows.map(({ first, end }) => [first, end] as const);
    },
    passages: async (accountId, passages) => {
      const { rows } = await pool.query<PassageRow>(selectPassages, [accountId, passages]);
      return rows.map(passageOf);
    },
    vectors: async (accountId, model, passages) => {
      const { rows } = await pool.query<{ passage: number; vector: number[] }>(selectVectors, [
        accountId,
        model,
        passages,
      ]);
      return new Map(rows.map(({ passage, vector }) => [passage, vector]));
    },
    saveVectors: async (accountId, model, vectors) => {
      const entries = [...vectors];
      await pool.query(upsertVectors, [
        accountId,
        model,
        entries.map(([passage]) => passage),
        entries.map(([, vector]) => arrayOf(vector)),
      ]);
    },
  };
};

const postingsIn =
  (pool: Pool): LibraryStore['postings'] =>
  async (accountId, terms) => {
    const { rows: libraries } = await pool.query<Library>(selectLibrary, [accountId]);
    const libraryId = libraries[0]?.library_id;
    if (libraryId === undefined) return [];
    // One statement: a text that becomes part of a run between two would be found in neither, or twice.
    const { rows } = await pool.query<StoredBlock & { readonly is_recent: boolean }>(selectPostings, [
      libraryId,
      terms,
    ]);
    const sought = new Set(terms);
    return rows.flatMap(({ start, term, block, is_recent }): StoredPostings[] => {
      // Of a text that is in no run yet, a posting takes two bytes, or three where it is far from the one before.
      if (is_recent) return [{ term, start, passages: Math.floor(block.length / 2), postings: block }];
      const found = decodeBlock(block).filter((each) => sought.has(each.term));
      return found.map((each) => ({ ...each, start }));
    });
  };

const resemblingIn =
  (pool: Pool): LibraryStore['resembling'] =>
  async (accountId, words, asWritten) => {
    const { rows: libraries } = await pool.query<Library>(selectLibrary, [accountId]);
    const libraryId = libraries[0]?.library_id;
    if (libraryId === undefined) return [];
    const { exact, ranges, around } = relativesLookup(libraryId, words);
    const terms = [...exact, ...asWritten.map(({ stems, term }) => termOf(stems, term))];
    const relatives = [
      pool.query<{ term: string }>(selectTerms, [libraryId, terms]),
      pool.query<{ term: string }>(selectRanges, [
        libraryId,
        ranges.map(([low]) => low),
        ranges.map(([, high]) => high),
      ]),
      holdingGrams(pool, libraryId, around, 100),
    ];
    const known = new Set((await Promise.all(relatives)).flatMap(({ rows }) => rows.map(({ term }) => term)));
    const unknown = words.filter(({ stems, term }) => !known.has(termOf(stems, term)));
    const sets = unknown.flatMap((word) => correctionsLookup(libraryId, word));
    for (const { term } of (await holdingGrams(pool, libraryId, sets, 500)).rows) known.add(term);
    return [...known];
  };

/**
 * Terms that have all grams of one of the sets, at most `limit` of each. Each set is a part of its own of the statement, and
 * a constant: joined to a list of sets, the planner reads the whole vocabulary for each of them.
 */
const holdingGrams = async (
  pool: Pool,
  libraryId: number,
  sets: readonly (readonly number[])[],
  limit: number,
): Promise<{ readonly rows: readonly { readonly term: string }[] }> => {
  if (sets.length === 0) return { rows: [] };
  const parts = sets.map(
    (_, at) => `(SELECT term FROM library_terms WHERE library_id = $1 AND grams @> $${at + 3}::integer[] LIMIT $2)`,
  );
  return await pool.query<{ term: string }>(parts.join(' UNION ALL '), [libraryId, limit, ...sets.map(arrayOf)]);
};

/** Deletes the library of an account and its settings, in the transaction of its erasure. */
export const eraseLibraryIn = async (by: Queryable, accountId: string): Promise<void> => {
  const transaction = transactionOf(by);
  // A `keep` that waits for this row finds no library afterwards; its event is refused with the account.
  const { rows } = await transaction.query<Library>(
    'SELECT library_id FROM libraries WHERE account_id = $1 FOR UPDATE',
    [accountId],
  );
  for (const { library_id: libraryId } of rows) {
    for (const table of ['library_postings', 'library_terms', 'library_vectors', 'libraries']) {
      await transaction.query(`DELETE FROM ${table} WHERE library_id = $1`, [libraryId]);
    }
  }
  await transaction.query('DELETE FROM account_settings WHERE account_id = $1', [accountId]);
};

const arrayOf = (values: readonly number[]): string => `{${values.join(',')}}`;

const lockLibrary = async (transaction: Transaction, accountId: string): Promise<Library | null> => {
  const { rows } = await transaction.query<Library>(
    'SELECT library_id, videos, next_passage FROM libraries WHERE account_id = $1 FOR UPDATE',
    [accountId],
  );
  return rows[0] ?? null;
};

const keepIn = async (
  transaction: Transaction,
  version: NewVersion,
  { quota, fanOut }: { readonly quota: number; readonly fanOut: number },
): Promise<boolean> => {
  const { accountId, videoId, index } = version;
  await transaction.query('INSERT INTO libraries (account_id) VALUES ($1) ON CONFLICT DO NOTHING', [accountId]);
  const library = await lockLibrary(transaction, accountId);
  if (library === null) throw new Error('the library was deleted while a video was kept');
  const { library_id: libraryId, videos, next_passage: first } = library;
  const { title, channel, channelId, durationS, keptAt } = version;
  const kept = await transaction.query<{ is_new: boolean }>(upsertVideo, [
    ...[libraryId, videoId, title, channel, channelId, durationS, keptAt],
  ]);
  const isNew = kept.rows[0]?.is_new === true;
  if (isNew && videos >= quota) return false;

  const before = await transaction.query<{ version: number; first_passage: number; size: number; stems: string }>(
    selectSearched,
    [libraryId, videoId, version.language],
  );
  for (const each of before.rows) {
    const passages = { first: each.first_passage, size: each.size, stems: each.stems };
    await removeFromIndex(transaction, libraryId, passages);
  }
  await transaction.query(insertVersion, [
    ...[libraryId, videoId, version.version, version.language, version.source, version.contentSha256, keptAt],
    ...[storedText(version.lines), version.times, index.language, index.passages.length === 0 ? null : first],
    index.passages.flatMap(({ from, length, startMs, endMs }) => [from, length, startMs, endMs]),
  ]);
  await transaction.query('DELETE FROM library_versions WHERE library_id = $1 AND video_id = $2 AND version <= $3', [
    ...[libraryId, videoId, version.version - mostVersions],
  ]);
  await transaction.query(
    'UPDATE libraries SET videos = videos + $2, next_passage = next_passage + $3 WHERE library_id = $1',
    [libraryId, isNew ? 1 : 0, index.passages.length],
  );
  if (index.passages.length > 0) {
    await addToIndex(transaction, libraryId, { first, videoId, version: version.version, index }, fanOut);
  }
  return true;
};

const removeIn = async (transaction: Transaction, accountId: string, videoId: string): Promise<boolean> => {
  const library = await lockLibrary(transaction, accountId);
  if (library === null) return false;
  const { library_id: libraryId } = library;
  const searched = await transaction.query<{ first_passage: number; size: number; stems: string }>(selectSearched, [
    ...[libraryId, videoId, null],
  ]);
  for (const { first_passage: first, size, stems } of searched.rows) {
    await removeFromIndex(transaction, libraryId, { first, size, stems });
  }
  const { rowCount } = await transaction.query('DELETE FROM library_videos WHERE library_id = $1 AND video_id = $2', [
    ...[libraryId, videoId],
  ]);
  if (rowCount === 0) return false;
  await transaction.query('UPDATE libraries SET videos = videos - 1 WHERE library_id = $1', [libraryId]);
  return true;
};

type VideoRow = {
  readonly video_id: string;
  readonly title: string | null;
  readonly channel: string | null;
  readonly channel_id: string | null;
  readonly kept_at: Date;
} & Pick<VersionRow, 'language' | 'source' | 'content_sha256'>;

const videoOf = (row: VideoRow): KeptVideo => ({
  videoId: row.video_id,
  title: row.title,
  channel: row.channel,
  channelId: row.channel_id,
  language: row.language,
  source: row.source,
  contentSha256: row.content_sha256,
  keptAt: row.kept_at.toISOString(),
});

type VersionRow = {
  readonly version: number;
  readonly language: string;
  readonly source: KeptVideo['source'];
  readonly content_sha256: string;
  readonly first_seen_at: Date;
};

const versionOf = (row: VersionRow): Version => ({
  version: row.version,
  language: row.language,
  source: row.source,
  contentSha256: row.content_sha256,
  firstSeenAt: row.first_seen_at.toISOString(),
});

type PassageRow = {
  readonly passage: number;
  readonly video_id: string;
  readonly version: number;
  readonly title: string | null;
  readonly channel: string | null;
  readonly language: string;
  readonly stems: string;
  readonly content_sha256: string;
  readonly place: readonly [number, number, number, number];
  readonly words: string;
};

const passageOf = (row: PassageRow): FoundPassage => {
  const [from, length, startMs, endMs] = row.place;
  return {
    passage: row.passage,
    videoId: row.video_id,
    version: row.version,
    title: row.title,
    channel: row.channel,
    language: row.language,
    stems: row.stems,
    contentSha256: row.content_sha256,
    ...{ from, length, start: startMs / 1_000, end: endMs / 1_000, text: row.words },
  };
};

const selectRoom = `
SELECT l.videos, EXISTS (
  SELECT FROM library_videos AS k WHERE k.library_id = l.library_id AND k.video_id = $2) AS is_kept
FROM libraries AS l
WHERE l.account_id = $1`;

const selectVideos = `
SELECT k.video_id, k.title, k.channel, k.channel_id, k.kept_at, v.language, v.source, v.content_sha256
FROM libraries AS l
JOIN library_videos AS k USING (library_id)
CROSS JOIN LATERAL (
  SELECT language, source, content_sha256
  FROM library_versions AS each
  WHERE each.library_id = k.library_id AND each.video_id = k.video_id
  ORDER BY version DESC LIMIT 1
) AS v
WHERE l.account_id = $1`;

const selectVersions = `
SELECT version, language, source, content_sha256, first_seen_at
FROM library_versions
WHERE library_id = ${libraryOf} AND video_id = $2
ORDER BY version`;

const selectCaptions = `
SELECT k.video_id, k.title, k.channel, k.channel_id, k.kept_at,
  k.duration_s, v.version, v.language, v.source, v.content_sha256, v.first_seen_at, v.captions, v.times
FROM library_versions AS v
JOIN library_videos AS k USING (library_id, video_id)
WHERE library_id = ${libraryOf} AND video_id = $2 AND v.version = $3`;

const selectLanguages = `
SELECT stems, passages FROM library_languages
WHERE library_id = ${libraryOf} AND passages > 0
ORDER BY passages DESC, stems
LIMIT 12`;

const upsertVideo = `
INSERT INTO library_videos (library_id, video_id, title, channel, channel_id, duration_s, kept_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (library_id, video_id) DO UPDATE
SET title = excluded.title, channel = excluded.channel, channel_id = excluded.channel_id,
  duration_s = excluded.duration_s
RETURNING xmax = 0 AS is_new`;

/** Of one language, or of all where none is given. */
const selectSearched = `
SELECT version, first_passage, cardinality(passages) / 4 AS size, stems
FROM library_versions
WHERE library_id = $1 AND video_id = $2 AND first_passage IS NOT NULL
AND ($3::text IS NULL OR language = $3)`;

const insertVersion = `
INSERT INTO library_versions (library_id, video_id, version, language, source, content_sha256, first_seen_at,
  captions, times, stems, first_passage, passages)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;

const selectTerms = 'SELECT term FROM library_terms WHERE library_id = $1 AND term = ANY ($2)';

/** A range that holds more is cut off: its words say little. */
const selectRanges = `
SELECT found.term
FROM unnest($2::text[], $3::text[]) AS range (low, high)
CROSS JOIN LATERAL (
  SELECT term FROM library_terms WHERE library_id = $1 AND term >= range.low AND term < range.high LIMIT 200
) AS found`;

const selectPostings = `
SELECT held.start, held.term, held.block, false AS is_recent FROM (${selectBlocks}) AS held
UNION ALL
SELECT v.first_passage, sought.term, found.postings, true
FROM library_versions AS v
CROSS JOIN unnest($2::text[]) AS sought (term)
CROSS JOIN LATERAL (SELECT decode(v.recent ->> sought.term, 'base64') AS postings) AS found
WHERE v.library_id = $1 AND v.recent IS NOT NULL AND v.recent ? sought.term`;

/** A language without region finds those with one. */
const selectAdmitted = `
SELECT v.first_passage AS first, v.first_passage + cardinality(v.passages) / 4 AS end
FROM library_versions AS v
JOIN library_videos AS k USING (library_id, video_id)
WHERE library_id = ${libraryOf} AND v.first_passage IS NOT NULL
AND ($2::text IS NULL OR lower(v.language) = lower($2) OR starts_with(lower(v.language), lower($2) || '-'))
AND ($3::text IS NULL OR k.channel_id = $3 OR lower(k.channel) = lower($3))
AND ($4::timestamptz IS NULL OR k.kept_at >= $4)
AND ($5::timestamptz IS NULL OR k.kept_at <= $5)
ORDER BY v.first_passage`;

const selectPassages = `
SELECT c.passage, k.video_id, v.version, k.title, k.channel, v.language, v.stems, v.content_sha256, v.place,
  substr(v.captions, v.place[1] + 1, v.place[2]) AS words
FROM unnest($2::integer[]) AS c (passage)
CROSS JOIN LATERAL (
  SELECT video_id, version, language, stems, content_sha256, captions,
    passages[4 * (c.passage - first_passage) + 1 : 4 * (c.passage - first_passage) + 4] AS place
  FROM library_versions
  WHERE library_id = ${libraryOf} AND first_passage <= c.passage
  ORDER BY first_passage DESC LIMIT 1
) AS v
JOIN library_videos AS k ON k.library_id = ${libraryOf} AND k.video_id = v.video_id
WHERE cardinality(v.place) = 4`;

const selectVectors = `
SELECT passage, vector FROM library_vectors
WHERE library_id = ${libraryOf} AND model = $2 AND passage = ANY ($3)`;

/** Of passages that are still kept: a removal waits for the versions that are locked here, and deletes their vectors afterwards. */
const upsertVectors = `
WITH held AS (
  SELECT v.library_id, given.passage, given.vector
  FROM unnest($3::integer[], $4::text[]) AS given (passage, vector)
  JOIN library_versions AS v ON v.library_id = ${libraryOf} AND v.first_passage = (
    SELECT max(first_passage) FROM library_versions WHERE library_id = ${libraryOf} AND first_passage <= given.passage)
  WHERE given.passage < v.first_passage + cardinality(v.passages) / 4
  FOR SHARE OF v
)
INSERT INTO library_vectors (library_id, passage, model, vector)
SELECT library_id, passage, $2, vector::real[] FROM held
ON CONFLICT (library_id, passage) DO UPDATE SET model = excluded.model, vector = excluded.vector`;
