import type { Transaction } from '../../eventlog/event-log.ts';
import type { PassageIndex } from '../../insights/extractive/passage-index.ts';
import { gramsOf } from '../../library/grams.ts';
import { termOf } from '../../library/library-store.ts';
import {
  decodePostings,
  encodePostings,
  mergePostings,
  type PostingsPart,
  type StoredPostings,
} from '../../library/postings.ts';

/*
 * The index of a library, as a log-structured merge tree. The postings of a new text stand in its own row (`recent`). Sixteen of
 * those become a run of level 1, sixteen runs of a level one of the next. So a text is written some four times, no row grows,
 * and a search reads few rows of each term.
 */

/** Texts, or runs of one level, that become one run of the next. */
export const defaultFanOut = 16;

/** A run of the highest level holds 4,096 texts: merging sixteen of those would take a minute. */
const highestLevel = 3;

type Parts = Map<string, PostingsPart[]>;

/** Adds the newest text, whose passages begin at `first`, and merges what has to be merged. */
export const addToIndex = async (
  transaction: Transaction,
  libraryId: number,
  added: { readonly first: number; readonly videoId: string; readonly version: number; readonly index: PassageIndex },
  fanOut: number,
): Promise<void> => {
  const { first, videoId, version, index } = added;
  const recent = Object.fromEntries(
    index.postings.map(([term, pairs]) => {
      const postings = pairs.flatMap((passage, at) =>
        at % 2 === 0 ? [{ passage: first + passage, impact: pairs[at + 1] ?? 0 }] : [],
      );
      return [termOf(index.language, term), Buffer.from(encodePostings(first, postings)).toString('base64')];
    }),
  );
  await transaction.query(
    'UPDATE library_versions SET recent = $4 WHERE library_id = $1 AND video_id = $2 AND version = $3',
    [libraryId, videoId, version, JSON.stringify(recent)],
  );
  const terms = Object.keys(recent);
  await transaction.query(insertTerms, [
    libraryId,
    terms,
    terms.map((term) => `{${gramsOf(libraryId, term).join(',')}}`),
  ]);
  await transaction.query(countPassages, [libraryId, index.language, 1, index.passages.length]);
  await mergeRecent(transaction, libraryId, fanOut);
  for (let level = 1; level < highestLevel; level += 1) await mergeRuns(transaction, libraryId, level, fanOut);
};

const mergeRecent = async (transaction: Transaction, libraryId: number, fanOut: number): Promise<void> => {
  const { rows } = await transaction.query<{ first_passage: number }>(
    'SELECT first_passage FROM library_versions WHERE library_id = $1 AND recent IS NOT NULL ORDER BY first_passage',
    [libraryId],
  );
  const [oldest] = rows;
  if (oldest === undefined || rows.length < fanOut) return;
  const texts = await transaction.query<{ first_passage: number; recent: Record<string, string> }>(
    `UPDATE library_versions AS v SET recent = NULL
    FROM (
      SELECT first_passage, recent FROM library_versions WHERE library_id = $1 AND recent IS NOT NULL
    ) AS before
    WHERE v.library_id = $1 AND v.first_passage = before.first_passage
    RETURNING before.first_passage, before.recent`,
    [libraryId],
  );
  const parts: Parts = new Map();
  for (const { first_passage: start, recent } of texts.rows.toSorted((a, b) => a.first_passage - b.first_passage)) {
    for (const [term, postings] of Object.entries(recent)) {
      addPart(parts, term, { start, postings: Buffer.from(postings, 'base64') });
    }
  }
  await insertRun(transaction, libraryId, { start: oldest.first_passage, level: 1 }, parts);
};

const mergeRuns = async (transaction: Transaction, libraryId: number, level: number, fanOut: number): Promise<void> => {
  const { rows } = await transaction.query<{ start: number }>(
    'SELECT start FROM library_runs WHERE library_id = $1 AND level = $2 ORDER BY start',
    [libraryId, level],
  );
  const [oldest] = rows;
  if (oldest === undefined || rows.length < fanOut) return;
  const starts = rows.map(({ start }) => start);
  const stored = await transaction.query<StoredPostings>(
    `DELETE FROM library_postings WHERE library_id = $1 AND start = ANY ($2) RETURNING term, start, passages, postings`,
    [libraryId, starts],
  );
  const parts: Parts = new Map();
  for (const { term, start, postings } of stored.rows.toSorted((a, b) => a.start - b.start)) {
    addPart(parts, term, { start, postings });
  }
  await transaction.query('DELETE FROM library_runs WHERE library_id = $1 AND start = ANY ($2)', [libraryId, starts]);
  await insertRun(transaction, libraryId, { start: oldest.start, level: level + 1 }, parts);
};

const addPart = (parts: Parts, term: string, part: PostingsPart): void => {
  const known = parts.get(term);
  if (known === undefined) parts.set(term, [part]);
  else known.push(part);
};

const insertRun = async (
  transaction: Transaction,
  libraryId: number,
  { start, level }: { readonly start: number; readonly level: number },
  parts: Parts,
): Promise<void> => {
  const merged = [...parts]
    .map(([term, of]) => ({ term, ...mergePostings(start, of) }))
    .toSorted((a, b) => (a.term < b.term ? -1 : 1));
  await transaction.query('INSERT INTO library_runs (library_id, start, level) VALUES ($1, $2, $3)', [
    ...[libraryId, start, level],
  ]);
  await transaction.query(insertPostings, [
    ...[libraryId, start],
    merged.map(({ term }) => term),
    merged.map(({ passages }) => passages),
    merged.map(({ postings }) => Buffer.from(postings)),
  ]);
};

/** Takes the passages of one text out of the index. Terms that no other text holds leave the vocabulary. */
export const removeFromIndex = async (
  transaction: Transaction,
  libraryId: number,
  { first, size, stems }: { readonly first: number; readonly size: number; readonly stems: string },
): Promise<void> => {
  await transaction.query(countPassages, [libraryId, stems, -1, -size]);
  await transaction.query('DELETE FROM library_vectors WHERE library_id = $1 AND passage >= $2 AND passage < $3', [
    libraryId,
    first,
    first + size,
  ]);
  const { rows } = await transaction.query<{ terms: string[] | null }>(
    `UPDATE library_versions AS v SET first_passage = NULL, recent = NULL
    FROM (
      SELECT video_id, version, ARRAY(SELECT jsonb_object_keys(recent)) AS terms
      FROM library_versions WHERE library_id = $1 AND first_passage = $2
    ) AS before
    WHERE v.library_id = $1 AND v.video_id = before.video_id AND v.version = before.version
    RETURNING before.terms`,
    [libraryId, first],
  );
  const recent = rows[0]?.terms ?? [];
  const gone = recent.length > 0 ? recent : await removeFromRun(transaction, libraryId, first, first + size);
  await transaction.query(deleteUnusedTerms, [libraryId, gone]);
};

/** Rewrites the run that holds some passages; resolves to the terms of which it holds no others. */
const removeFromRun = async (
  transaction: Transaction,
  libraryId: number,
  first: number,
  end: number,
): Promise<readonly string[]> => {
  const { rows } = await transaction.query<StoredPostings>(
    `SELECT term, start, passages, postings FROM library_postings
    WHERE library_id = $1 AND start = (
      SELECT max(start) FROM library_runs WHERE library_id = $1 AND start <= $2
    )`,
    [libraryId, first],
  );
  const changed = rows.flatMap((stored) => {
    const all = decodePostings(stored);
    const left = all.filter(({ passage }) => passage < first || passage >= end);
    if (left.length === all.length) return [];
    return [{ ...stored, passages: left.length, postings: encodePostings(stored.start, left) }];
  });
  await transaction.query(updatePostings, [
    libraryId,
    changed.map(({ start }) => start),
    changed.map(({ term }) => term),
    changed.map(({ passages }) => passages),
    changed.map(({ postings }) => Buffer.from(postings)),
  ]);
  const emptied = changed.filter(({ passages }) => passages === 0).map(({ term }) => term);
  await transaction.query('DELETE FROM library_postings WHERE library_id = $1 AND passages = 0 AND start = $2', [
    ...[libraryId, changed[0]?.start ?? first],
  ]);
  return emptied;
};

const insertTerms = `
INSERT INTO library_terms (library_id, term, grams)
SELECT $1, given.term, given.grams::integer[]
FROM unnest($2::text[], $3::text[]) AS given (term, grams)
ON CONFLICT DO NOTHING`;

const countPassages = `
INSERT INTO library_languages AS known (library_id, stems, versions, passages) VALUES ($1, $2, $3, $4)
ON CONFLICT (library_id, stems) DO UPDATE
SET versions = known.versions + excluded.versions, passages = known.passages + excluded.passages`;

const insertPostings = `
INSERT INTO library_postings (library_id, start, term, passages, postings)
SELECT $1, $2, * FROM unnest($3::text[], $4::integer[], $5::bytea[])`;

const updatePostings = `
UPDATE library_postings AS known SET passages = given.passages, postings = given.postings
FROM unnest($2::integer[], $3::text[], $4::integer[], $5::bytea[]) AS given (start, term, passages, postings)
WHERE known.library_id = $1 AND known.start = given.start AND known.term = given.term`;

const deleteUnusedTerms = `
DELETE FROM library_terms AS t
WHERE t.library_id = $1 AND t.term = ANY ($2)
AND NOT EXISTS (
  SELECT FROM library_runs AS r
  JOIN library_postings AS p ON p.library_id = r.library_id AND p.start = r.start AND p.term = t.term
  WHERE r.library_id = $1)
AND NOT EXISTS (
  SELECT FROM library_versions AS v
  WHERE v.library_id = $1 AND v.recent IS NOT NULL AND v.recent ? t.term)`;
