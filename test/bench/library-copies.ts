import type { Pool } from 'pg';
import { addRun, type IndexShape, indexOf, usualShape } from '#src/adapters/postgres/library-index-postgres.ts';
import type { PassageIndex } from '#src/insights/extractive/passage-index.ts';
import { gramsOf } from '#src/library/grams.ts';
import { termOf } from '#src/library/library-store.ts';
import { writeNumber } from '#src/library/postings.ts';

/** A run of more texts, made at once, does not fit into the memory of this process. */
const mostTexts = 16_384;

/** Runs that so many texts have after all merges but the last ones, the largest first: its level, and how many texts it holds. */
const runsOf = (texts: number, { fanOut, highestLevel }: IndexShape) => {
  const runs: { readonly level: number; readonly texts: number }[] = [];
  let left = texts;
  const highest = Math.min(highestLevel, Math.floor(Math.log(mostTexts) / Math.log(fanOut)));
  for (let level = highest; level >= 0; level -= 1) {
    for (; left >= fanOut ** level; left -= fanOut ** level) runs.push({ level, texts: fanOut ** level });
  }
  return runs;
};

/**
 * Writes a library that holds every video of another many times, as if each had been kept and all runs merged: keeping them
 * one by one would take an hour. `indexes`: of the videos, in the order of their ids.
 */
export const copyLibrary = async (
  pool: Pool,
  {
    from,
    to,
    copies,
    indexes,
    shape = usualShape,
  }: {
    readonly from: string;
    readonly to: string;
    readonly copies: number;
    readonly indexes: readonly PassageIndex[];
    readonly shape?: IndexShape;
  },
): Promise<void> => {
  const client = await pool.connect();
  try {
    await client.query('SET synchronous_commit = off');
    const { rows } = await client.query<{ id: number }>(insertLibrary, [to]);
    const libraryId = rows[0]?.id ?? 0;
    const videos = copies * indexes.length;
    const sizes = indexes.map(({ passages }) => passages.length);
    for (let copy = 0; copy < copies; copy += 1) {
      await client.query(copyVideos, [from, libraryId, copy]);
      await client.query(copyVersions, [from, libraryId, copy, sizes]);
    }
    const terms = new Set(
      indexes.flatMap(({ language, postings }) => postings.map(([term]) => termOf(language, term))),
    );
    const vocabulary = [...terms];
    for (let at = 0; at < vocabulary.length; at += 5_000) {
      const some = vocabulary.slice(at, at + 5_000);
      await client.query(insertTerms, [libraryId, some, some.map((term) => `{${gramsOf(libraryId, term).join(',')}}`)]);
    }
    let [first, begin] = [0, 0];
    for (const { level, texts } of runsOf(videos, shape)) {
      const start = first;
      const terms = new Map<string, { before: number; passages: number; bytes: number[] }>();
      for (let at = begin; at < begin + texts; at += 1) {
        const index = indexes[at % indexes.length];
        if (index === undefined) continue;
        for (const [term, pairs] of index.postings) {
          const known = terms.get(term) ?? { before: start, passages: 0, bytes: [] };
          terms.set(term, known);
          for (let pair = 0; pair < pairs.length; pair += 2) {
            const passage = first + (pairs[pair] ?? 0);
            writeNumber(known.bytes, passage - known.before);
            known.bytes.push(pairs[pair + 1] ?? 0);
            known.before = passage;
            known.passages += 1;
          }
        }
        first += index.passages.length;
      }
      const merged = [...terms].map(([term, { passages, bytes }]) => ({
        term: termOf(indexes[0]?.language ?? 'en', term),
        passages,
        postings: Uint8Array.from(bytes),
      }));
      await addRun(indexOf(client, libraryId, shape), { start, level, terms: merged });
      begin += texts;
    }
    await client.query('UPDATE libraries SET videos = $2, next_passage = $3 WHERE library_id = $1', [
      libraryId,
      videos,
      first,
    ]);
    await client.query(
      'INSERT INTO library_languages (library_id, stems, versions, passages) VALUES ($1, $2, $3, $4)',
      [libraryId, indexes[0]?.language, videos, first],
    );
  } finally {
    client.release(true);
  }
};

const insertLibrary = 'INSERT INTO libraries (account_id) VALUES ($1) RETURNING library_id AS id';

/** The videos of the library that is copied, with their number. */
const original = `
SELECT k.*, row_number() OVER (ORDER BY k.video_id) - 1 AS place
FROM library_videos AS k WHERE k.library_id = (SELECT library_id FROM libraries WHERE account_id = $1)`;

const copyId = `'c' || lpad(($3::integer * count + o.place)::text, 10, '0')`;

const copyVideos = `
WITH o AS (${original}), counted AS (SELECT count(*) FROM o)
INSERT INTO library_videos (library_id, video_id, title, channel, channel_id, duration_s, kept_at)
SELECT $2, ${copyId}, title, channel, channel_id, duration_s, kept_at
FROM o, counted`;

const copyVersions = `
WITH o AS (${original}), counted AS (SELECT count(*) FROM o),
places AS (
  SELECT place - 1 AS place, size, sum(size) OVER () AS total, sum(size) OVER (ORDER BY place) - size AS before
  FROM unnest($4::integer[]) WITH ORDINALITY AS of (size, place)
)
INSERT INTO library_versions (library_id, video_id, version, language, source, content_sha256, first_seen_at,
  captions, times, stems, first_passage, passages, terms)
SELECT $2, ${copyId}, 1, v.language, v.source, v.content_sha256, v.first_seen_at, v.captions, v.times, v.stems,
  $3::integer * places.total + places.before, v.passages, v.terms
FROM o
JOIN places USING (place)
JOIN library_versions AS v USING (library_id, video_id), counted`;

const insertTerms = `
INSERT INTO library_terms (library_id, term, grams)
SELECT $1, given.term, given.grams::integer[] FROM unnest($2::text[], $3::text[]) AS given (term, grams)`;
