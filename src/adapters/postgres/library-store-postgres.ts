import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { inTransaction } from '../../eventlog/connection.ts';
import type { Transaction } from '../../eventlog/event-log.ts';
import { storedLines, storedText } from '../../insights/extractive/passage-index.ts';
import { correctionsLookup, relativesLookup } from '../../library/grams.ts';
import {
  type FoundPassage,
  type KeptVideo,
  type LibraryStore,
  mostVersions,
  type NewVersion,
  type OutboxEntry,
  termOf,
  type Version,
} from '../../library/library-store.ts';
import { findInBlock, soughtTerms } from '../../library/posting-blocks.ts';
import type { StoredPostings } from '../../library/postings.ts';
import {
  addToIndex,
  dropIndex,
  type IndexedText,
  type IndexShape,
  indexOf,
  removeFromIndex,
  selectBlocks,
  selectTerms,
  usualShape,
} from './library-index-postgres.ts';
import { beginMerges, mergeSome } from './library-merge-postgres.ts';
import { rowsWithTimes } from './pool.ts';

type Library = { readonly libraryId: number; readonly videos: number; readonly nextPassage: number };

const selectLibrary = 'SELECT library_id AS "libraryId" FROM libraries WHERE account_id = $1';

const libraryOf = '(SELECT library_id FROM libraries WHERE account_id = $1)';

/** The libraries in Postgres (migration 0050). Changes of one library wait for each other at its row. */
export const postgresLibraryStore = ({
  pool,
  shape = usualShape,
  isPrepared = false,
}: {
  readonly pool: Pool;
  readonly shape?: IndexShape;
  /** Connections keep the statements of searches as they were planned; not so through a transaction pooler. */
  readonly isPrepared?: boolean;
}): LibraryStore => {
  return {
    keepIn: (transaction, version, quota) => keepIn(transaction, version, { quota, shape }),
    removeIn: (transaction, accountId, videoId) => removeIn(transaction, accountId, videoId, shape),
    dropIndex: (accountId) =>
      inTransaction(pool, (transaction) => dropIn(transaction, accountId), { isRepeatable: true }),
    ...outboxIn(pool),
    ...mergesIn(pool, shape),
    ...listsIn(pool),
    ...searchIn(pool, shape, isPrepared),
    ...vectorsIn(pool),
  };
};

const mergesIn = (pool: Pool, shape: IndexShape): Pick<LibraryStore, 'merging' | 'mergeSome'> => ({
  merging: async ({ limit, except }) => {
    const { rows } = await pool.query<Library>(selectMerging, [limit, except]);
    return rows.map(({ libraryId }) => libraryId);
  },
  mergeSome: (libraryId) =>
    inTransaction(pool, (transaction) => mergeIn(transaction, libraryId, shape), { isRepeatable: true }),
});

const listsIn = (pool: Pool): Pick<LibraryStore, 'room' | 'list' | 'find' | 'versions' | 'captions'> => {
  const videosWhere = (condition: string, values: readonly unknown[]) =>
    rowsWithTimes<KeptVideo>(pool, `${selectVideos} ${condition}`, values);
  return {
    room: async (accountId, videoId) => {
      const { rows } = await pool.query<{ videos: number; isKept: boolean }>(selectRoom, [accountId, videoId]);
      return rows[0] ?? { videos: 0, isKept: false };
    },
    list: (accountId, { limit, before }) =>
      before === null
        ? videosWhere('ORDER BY k.kept_at DESC, k.video_id DESC LIMIT $2', [accountId, limit])
        : videosWhere(
            'AND (k.kept_at, k.video_id) < ($3::timestamptz, $4) ORDER BY k.kept_at DESC, k.video_id DESC LIMIT $2',
            [accountId, limit, before.keptAt, before.videoId],
          ),
    find: async (accountId, videoId) => (await videosWhere('AND k.video_id = $2', [accountId, videoId]))[0] ?? null,
    versions: (accountId, videoId) => rowsWithTimes<Version>(pool, selectVersions, [accountId, videoId]),
    captions: async (accountId, videoId, version) => {
      const [row] = await rowsWithTimes<CaptionsRow>(pool, selectCaptions, [accountId, videoId, version]);
      if (row === undefined) return null;
      const { captions, ...kept } = row;
      return { ...kept, lines: storedLines(captions.toString()) };
    },
  };
};

type Search = Pick<LibraryStore, 'languages' | 'resembling' | 'postings' | 'admitted' | 'passages'>;

const searchIn = (pool: Pool, shape: IndexShape, isPrepared: boolean): Search => {
  const idOf = libraryIds(pool);
  const named = (name: string, text: string) => (isPrepared ? { name, text } : { text });
  return {
    languages: async (accountId) => {
      const query = { ...named('library_languages', selectLanguages), values: [accountId] };
      return (await pool.query<{ stems: string; passages: number }>(query)).rows;
    },
    resembling: resemblingIn(pool, idOf),
    postings: postingsIn(pool, idOf, shape, named('library_postings', selectPostings)),
    admitted: async (accountId, { language, channel, from, to }) => {
      const values = [accountId, language, channel, from, to];
      const { rows } = await pool.query<{ first: number; end: number }>(selectAdmitted, values);
      return rows.map(({ first, end }) => [first, end] as const);
    },
    passages: async (accountId, passages) => {
      const query = named('library_passages', selectPassages);
      const { rows } = await pool.query<PassageRow>({ ...query, values: [accountId, passages] });
      return rows.map(passageOf);
    },
  };
};

const vectorsIn = (pool: Pool): Pick<LibraryStore, 'vectors' | 'saveVectors'> => ({
  vectors: async (accountId, model, passages) => {
    const values = [accountId, model, passages];
    const { rows } = await pool.query<{ passage: number; vector: number[] }>(selectVectors, values);
    return new Map(rows.map(({ passage, vector }) => [passage, vector]));
  },
  saveVectors: async (accountId, model, vectors) => {
    await pool.query(upsertVectors, [accountId, model, [...vectors.keys()], [...vectors.values()].map(arrayOf)]);
  },
});

const outboxIn = (pool: Pool): Pick<LibraryStore, 'addToOutbox' | 'chargedInOutbox' | 'removeFromOutbox'> => ({
  addToOutbox: async ({ chargeId, accountId, videoId, language, contentSha256, extraction }) => {
    await pool.query(insertOutbox, [chargeId, accountId, videoId, language, contentSha256, extraction]);
  },
  chargedInOutbox: async ({ olderThanMs, limit }) => {
    await pool.query("DELETE FROM library_outbox WHERE added_at < now() - interval '1 day'");
    return (await pool.query<OutboxEntry>(selectOutbox, [olderThanMs, limit])).rows;
  },
  removeFromOutbox: async (accountId, of) => {
    if ('contentSha256' in of) await pool.query(deleteKept, [accountId, of.videoId, of.language, of.contentSha256]);
    else await pool.query(deleteOfVideo, [accountId, of.videoId]);
  },
});

/** The id of the library of an account, which never has another one; null: it keeps nothing yet. */
const libraryIds = (pool: Pool) => {
  const known = new LRUCache<string, number>({ max: 10_000 });
  return async (accountId: string): Promise<number | null> => {
    const kept = known.get(accountId);
    if (kept !== undefined) return kept;
    const { rows } = await pool.query<Library>(selectLibrary, [accountId]);
    const id = rows[0]?.libraryId ?? null;
    if (id !== null) known.set(accountId, id);
    return id;
  };
};

type LibraryIds = ReturnType<typeof libraryIds>;

type PostingsRow = Pick<StoredPostings, 'run' | 'start' | 'term'> & {
  readonly base64: string;
  readonly isTail: boolean;
};

const postingsIn =
  (
    pool: Pool,
    idOf: LibraryIds,
    { headSize }: IndexShape,
    query: { readonly text: string },
  ): LibraryStore['postings'] =>
  async (accountId, terms, whole) => {
    const libraryId = await idOf(accountId);
    if (libraryId === null) return [];
    // One statement: a text that becomes part of a run between two would be found in neither, or twice.
    const { rows } = await pool.query<PostingsRow>({ ...query, values: [libraryId, terms, whole] });
    const sought = soughtTerms(terms);
    return rows.flatMap(({ run, start, term, base64, isTail }): StoredPostings[] => {
      const block = Buffer.from(base64, 'base64');
      if (isTail) return [{ term, run, start, passages: 0, postings: block, isHead: false }];
      return findInBlock(block, sought).map((each) => ({ ...each, run, start, isHead: each.passages > headSize }));
    });
  };

const resemblingIn =
  (pool: Pool, idOf: LibraryIds): LibraryStore['resembling'] =>
  async (accountId, words, asWritten) => {
    const libraryId = await idOf(accountId);
    if (libraryId === null) return [];
    const { exact, ranges, around } = relativesLookup(libraryId, words);
    const terms = [...exact, ...asWritten.map(({ stems, term }) => termOf(stems, term))];
    const related = await pool.query<{ term: string }>(
      [selectTerms, selectRanges, holdingGrams({ parameter: 5, limit: 100 })].join(' UNION ALL '),
      [libraryId, terms, ranges.map(([low]) => low), ranges.map(([, high]) => high), around.map(arrayOf)],
    );
    const known = new Set(related.rows.map(({ term }) => term));
    const unknown = words.filter(({ stems, term }) => !known.has(termOf(stems, term)));
    const sets = unknown.flatMap((word) => correctionsLookup(libraryId, word));
    if (sets.length === 0) return [...known];
    const corrections = await pool.query<{ term: string }>(holdingGrams({ parameter: 2, limit: 500 }), [
      ...[libraryId, sets.map(arrayOf)],
    ]);
    for (const { term } of corrections.rows) known.add(term);
    return [...known];
  };

/**
 * The terms that have all grams of one of some sets, at most `limit` of each. Grams are those of one library, so their index
 * alone finds few rows: `+ 0` rules out the primary key, by which the planner would read the whole vocabulary for each set.
 */
const holdingGrams = ({ parameter, limit }: { readonly parameter: number; readonly limit: number }): string => `
SELECT found.term
FROM unnest($${parameter}::text[]) AS given (grams)
CROSS JOIN LATERAL (
  SELECT term FROM library_terms
  WHERE library_id + 0 = $1 AND grams @> given.grams::integer[]
  LIMIT ${limit}
) AS found`;

/** Deletes the library of an account and its settings, in the transaction of its erasure. */
export const eraseLibraryIn = async (transaction: Transaction, accountId: string): Promise<void> => {
  // A `keep` that waits for this row finds no library afterwards; its event is refused with the account.
  const library = await lockLibrary(transaction, accountId);
  if (library !== null) {
    await dropIndex(transaction, library.libraryId);
    await transaction.query('DELETE FROM libraries WHERE library_id = $1', [library.libraryId]);
  }
  await transaction.query(deleteOfVideo, [accountId, null]);
  await transaction.query('DELETE FROM account_settings WHERE account_id = $1', [accountId]);
};

const arrayOf = (values: readonly number[]): string => `{${values.join(',')}}`;

const lockLibrary = async (transaction: Transaction, accountId: string): Promise<Library | null> => {
  const { rows } = await transaction.query<Library>(
    `SELECT library_id AS "libraryId", videos, next_passage AS "nextPassage"
     FROM libraries WHERE account_id = $1 FOR UPDATE`,
    [accountId],
  );
  return rows[0] ?? null;
};

const keepIn = async (
  transaction: Transaction,
  version: NewVersion,
  { quota, shape }: { readonly quota: number; readonly shape: IndexShape },
): Promise<boolean> => {
  const { accountId, videoId, index } = version;
  const library = (await lockLibrary(transaction, accountId)) ?? (await openLibrary(transaction, accountId));
  const { libraryId, videos, nextPassage: first } = library;
  const { title, channel, channelId, durationS, keptAt } = version;
  // Statements that do not wait for each other's rows are sent together.
  const [kept, before] = await Promise.all([
    transaction.query<{ isNew: boolean }>(upsertVideo, [
      ...[libraryId, videoId, title, channel, channelId, durationS, keptAt],
    ]),
    transaction.query<IndexedText>(selectSearched, [libraryId, videoId, version.language]),
    transaction.query(deleteKept, [accountId, videoId, version.language, version.contentSha256]),
  ]);
  const isNew = kept.rows[0]?.isNew === true;
  if (isNew && videos >= quota) return false;
  const own = indexOf(transaction, libraryId, shape);
  for (const each of before.rows) await removeFromIndex(own, each);
  await Promise.all([
    insertVersion(transaction, libraryId, version, index.passages.length === 0 ? null : first),
    transaction.query('DELETE FROM library_versions WHERE library_id = $1 AND video_id = $2 AND version <= $3', [
      ...[libraryId, videoId, version.version - mostVersions],
    ]),
    transaction.query(
      'UPDATE libraries SET videos = videos + $2, next_passage = next_passage + $3 WHERE library_id = $1',
      [libraryId, isNew ? 1 : 0, index.passages.length],
    ),
    index.passages.length > 0 && addToIndex(own, first, index),
  ]);
  if (index.passages.length > 0) await beginMerges(own);
  return true;
};

const openLibrary = async (transaction: Transaction, accountId: string): Promise<Library> => {
  // Only where there is none: each attempt to insert takes a number of the ids.
  await transaction.query('INSERT INTO libraries (account_id) VALUES ($1) ON CONFLICT DO NOTHING', [accountId]);
  const library = await lockLibrary(transaction, accountId);
  if (library === null) throw new Error('the library was deleted while a video was kept');
  return library;
};

const insertVersion = async (
  transaction: Transaction,
  libraryId: number,
  { index, ...version }: NewVersion,
  firstPassage: number | null,
): Promise<void> => {
  await transaction.query(insertIntoVersions, [
    ...[libraryId, version.videoId, version.version, version.language, version.source, version.contentSha256],
    ...[version.keptAt, Buffer.from(storedText(version.lines)), version.times, index.language, firstPassage],
    index.passages.flatMap(({ from, length, startMs, endMs }) => [from, length, startMs, endMs]),
    index.postings.map(([term]) => term),
  ]);
};

const mergeIn = async (transaction: Transaction, libraryId: number, shape: IndexShape) => {
  const { rowCount } = await transaction.query('SELECT FROM libraries WHERE library_id = $1 FOR UPDATE', [libraryId]);
  // The account may be erased by now.
  return { commit: true, result: rowCount === 1 && (await mergeSome(indexOf(transaction, libraryId, shape))) };
};

const removeIn = async (
  transaction: Transaction,
  accountId: string,
  videoId: string,
  shape: IndexShape,
): Promise<boolean> => {
  const library = await lockLibrary(transaction, accountId);
  if (library === null) return false;
  await transaction.query(deleteOfVideo, [accountId, videoId]);
  const { libraryId } = library;
  const searched = await transaction.query<IndexedText>(selectSearched, [libraryId, videoId, null]);
  const own = indexOf(transaction, libraryId, shape);
  for (const each of searched.rows) await removeFromIndex(own, each);
  const { rowCount } = await transaction.query('DELETE FROM library_videos WHERE library_id = $1 AND video_id = $2', [
    ...[libraryId, videoId],
  ]);
  if (rowCount === 0) return false;
  await transaction.query('UPDATE libraries SET videos = videos - 1 WHERE library_id = $1', [libraryId]);
  return true;
};

const dropIn = async (transaction: Transaction, accountId: string) => {
  const library = await lockLibrary(transaction, accountId);
  if (library !== null) await dropIndex(transaction, library.libraryId);
  return { commit: true, result: undefined };
};

type CaptionsRow = Omit<NonNullable<Awaited<ReturnType<LibraryStore['captions']>>>, 'lines'> & {
  readonly captions: Buffer;
};

type PassageRow = Omit<FoundPassage, 'from' | 'length' | 'start' | 'end' | 'text'> & {
  readonly place: readonly [from: number, length: number, startMs: number, endMs: number];
  readonly words: Buffer;
};

const passageOf = ({ place: [from, length, startMs, endMs], words, ...row }: PassageRow): FoundPassage => ({
  ...row,
  ...{ from, length, start: startMs / 1_000, end: endMs / 1_000, text: words.toString() },
});

const insertOutbox = `
INSERT INTO library_outbox (charge_id, account_id, video_id, language, content_sha256, extraction)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING`;

/** An item that failed has an event with the id that its charge would have. */
const selectOutbox = `
SELECT o.charge_id AS "chargeId", o.account_id AS "accountId", o.video_id AS "videoId", o.language,
  o.content_sha256 AS "contentSha256", o.extraction
FROM library_outbox AS o
JOIN es_event AS e ON e.event_id = o.charge_id AND e.type IN ('CreditsCharged', 'ReservationSettled')
WHERE o.added_at < now() - $1 * interval '1 millisecond'
ORDER BY o.added_at
LIMIT $2`;

/** With those that were read before it, which are no longer the newest. */
const deleteKept = `
DELETE FROM library_outbox
WHERE account_id = $1 AND video_id = $2 AND language = $3 AND added_at <= (
  SELECT max(added_at) FROM library_outbox
  WHERE account_id = $1 AND video_id = $2 AND language = $3 AND content_sha256 = $4)`;

const deleteOfVideo = 'DELETE FROM library_outbox WHERE account_id = $1 AND ($2::text IS NULL OR video_id = $2)';

const selectMerging = `
SELECT DISTINCT library_id AS "libraryId" FROM library_runs
WHERE merged_into IS NOT NULL AND library_id <> ALL ($2::integer[])
LIMIT $1`;

const selectRoom = `
SELECT l.videos, EXISTS (
  SELECT FROM library_videos AS k WHERE k.library_id = l.library_id AND k.video_id = $2) AS "isKept"
FROM libraries AS l
WHERE l.account_id = $1`;

const videoColumns = `k.video_id AS "videoId", k.title, k.channel, k.channel_id AS "channelId", k.kept_at AS "keptAt"`;

const versionColumns = `v.version, v.language, v.source, v.content_sha256 AS "contentSha256",
  v.first_seen_at AS "firstSeenAt"`;

const selectVideos = `
SELECT ${videoColumns}, v.language, v.source, v.content_sha256 AS "contentSha256"
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
SELECT ${versionColumns}
FROM library_versions AS v
WHERE library_id = ${libraryOf} AND video_id = $2
ORDER BY version`;

const selectCaptions = `
SELECT ${videoColumns}, ${versionColumns}, k.duration_s AS "durationS", v.captions, v.times
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
RETURNING xmax = 0 AS "isNew"`;

/** Of one language, or of all where none is given. */
const selectSearched = `
SELECT first_passage AS first, cardinality(passages) / 4 AS size, stems, terms
FROM library_versions
WHERE library_id = $1 AND video_id = $2 AND first_passage IS NOT NULL
AND ($3::text IS NULL OR language = $3)`;

const insertIntoVersions = `
INSERT INTO library_versions (library_id, video_id, version, language, source, content_sha256, first_seen_at,
  captions, times, stems, first_passage, passages, terms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`;

/** A range that holds more is cut off: its words say little. */
const selectRanges = `
SELECT found.term
FROM unnest($3::text[], $4::text[]) AS range (low, high)
CROSS JOIN LATERAL (
  SELECT term FROM library_terms WHERE library_id = $1 AND term >= range.low AND term < range.high LIMIT 200
) AS found`;

/** In base64: the driver reads bytes from hexadecimal digits, which are half as long again. */
const selectPostings = `
SELECT held.run, held.start, held.term, encode(held.block, 'base64') AS base64, false AS "isTail" FROM (${selectBlocks}) AS held
UNION ALL
SELECT coalesce(r.merged_into, r.start), t.base, t.term, encode(t.postings, 'base64'), true
FROM library_tails AS t
JOIN library_runs AS r USING (library_id, start)
WHERE library_id = $1 AND t.term = ANY ($3)`;

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
SELECT c.passage, k.video_id AS "videoId", v.version, k.title, k.channel, v.language, v.stems,
  v.content_sha256 AS "contentSha256", v.place,
  substring(v.captions FROM v.place[1] + 1 FOR v.place[2]) AS words
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
