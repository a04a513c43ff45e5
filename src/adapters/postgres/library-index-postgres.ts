import type { Transaction } from '../../eventlog/event-log.ts';
import type { PassageIndex } from '../../insights/extractive/passage-index.ts';
import { gramsOf } from '../../library/grams.ts';
import { termOf } from '../../library/library-store.ts';
import {
  type Block,
  type BlockTerm,
  blocksOf,
  byBytes,
  decodeBlock,
  encodeBlock,
} from '../../library/posting-blocks.ts';
import { decodePostings, encodePostings, mergePostings, type PostingsPart } from '../../library/postings.ts';

/*
 * The index of a library, as a log-structured merge tree. The postings of a new text stand in its own row (`recent`). Sixteen of
 * those become a run of level 1, sixteen runs of a level one of the next. So a text is written some four times, no row grows,
 * and a search reads few rows of each term. A row of a run is a block of many terms: a row for each would be several times
 * as large as its postings.
 */

/** Texts, or runs of one level, that become one run of the next. */
export const defaultFanOut = 16;

/** A run of the highest level holds 4,096 texts: merging sixteen of those would take a minute. */
const highestLevel = 3;

/** A block of the run that begins at `start`. */
export type StoredBlock = Block & { readonly start: number };

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
  const stored = await transaction.query<StoredBlock>(
    'DELETE FROM library_postings WHERE library_id = $1 AND start = ANY ($2) RETURNING start, term, block',
    [libraryId, starts],
  );
  const parts: Parts = new Map();
  for (const { start, block } of stored.rows.toSorted((a, b) => a.start - b.start)) {
    for (const { term, postings } of decodeBlock(block)) addPart(parts, term, { start, postings });
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
    .toSorted((a, b) => byBytes(a.term, b.term));
  const blocks = blocksOf(merged);
  await transaction.query('INSERT INTO library_runs (library_id, start, level) VALUES ($1, $2, $3)', [
    ...[libraryId, start, level],
  ]);
  await transaction.query(insertBlocks, [
    ...[libraryId, start],
    blocks.map(({ term }) => term),
    blocks.map(({ block }) => Buffer.from(block)),
  ]);
};

/** Takes the passages of one text out of the index. Terms that no other text holds leave the vocabulary. */
export const removeFromIndex = async (
  transaction: Transaction,
  libraryId: number,
  { first, size, stems }: { readonly first: number; readonly size: number; readonly stems: string },
): Promise<void> => {
  await transaction.query(countPassages, [libraryId, stems, -1, -size]);
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
  await transaction.query('DELETE FROM library_vectors WHERE library_id = $1 AND passage >= $2 AND passage < $3', [
    libraryId,
    first,
    first + size,
  ]);
  const recent = rows[0]?.terms ?? [];
  const gone = recent.length > 0 ? recent : await removeFromRun(transaction, libraryId, first, first + size);
  const others = await transaction.query<StoredBlock>(selectBlocks, [libraryId, gone]);
  const held = new Set(others.rows.flatMap(({ block }) => decodeBlock(block).map(({ term }) => term)));
  await transaction.query(deleteUnusedTerms, [libraryId, gone.filter((term) => !held.has(term))]);
};

/** Rewrites the run that holds some passages; resolves to the terms of which it holds no others. */
const removeFromRun = async (
  transaction: Transaction,
  libraryId: number,
  first: number,
  end: number,
): Promise<readonly string[]> => {
  const { rows } = await transaction.query<StoredBlock>(
    `SELECT start, term, block FROM library_postings
    WHERE library_id = $1 AND start = (
      SELECT max(start) FROM library_runs WHERE library_id = $1 AND start <= $2
    )`,
    [libraryId, first],
  );
  const emptied: string[] = [];
  const changed = rows.flatMap(({ start, term, block }) => {
    const terms = decodeBlock(block);
    const left = terms.map((each) => without(start, each, { first, end }));
    if (left.every((each, at) => each === terms[at])) return [];
    const [kept, empty] = [left.filter(({ passages }) => passages > 0), left.filter(({ passages }) => passages === 0)];
    emptied.push(...empty.map((each) => each.term));
    return [{ start, term, block: encodeBlock(kept) }];
  });
  await transaction.query(updateBlocks, [
    ...[libraryId, changed[0]?.start ?? first],
    changed.map(({ term }) => term),
    changed.map(({ block }) => Buffer.from(block)),
  ]);
  await transaction.query("DELETE FROM library_postings WHERE library_id = $1 AND start = $2 AND block = ''", [
    ...[libraryId, changed[0]?.start ?? first],
  ]);
  return emptied;
};

/** The same object where the term stands in none of the passages. */
const without = (start: number, held: BlockTerm, gone: { readonly first: number; readonly end: number }): BlockTerm => {
  const all = decodePostings({ start, postings: held.postings });
  const left = all.filter(({ passage }) => passage < gone.first || passage >= gone.end);
  if (left.length === all.length) return held;
  return { term: held.term, passages: left.length, postings: encodePostings(start, left) };
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

const insertBlocks = `
INSERT INTO library_postings (library_id, start, term, block)
SELECT $1, $2, * FROM unnest($3::text[], $4::bytea[])`;

const updateBlocks = `
UPDATE library_postings AS known SET block = given.block
FROM unnest($3::text[], $4::bytea[]) AS given (term, block)
WHERE known.library_id = $1 AND known.start = $2 AND known.term = given.term`;

/** Of every run of a library, the blocks in which some terms would stand. */
export const selectBlocks = `
SELECT DISTINCT ON (b.start, b.term) b.start, b.term, b.block
FROM library_runs AS r
CROSS JOIN unnest($2::text[]) AS sought (term)
CROSS JOIN LATERAL (
  SELECT start, term, block FROM library_postings
  WHERE library_id = $1 AND start = r.start AND term <= sought.term COLLATE "C"
  ORDER BY term DESC LIMIT 1
) AS b
WHERE r.library_id = $1`;

const deleteUnusedTerms = `
DELETE FROM library_terms AS t
WHERE t.library_id = $1 AND t.term = ANY ($2)
AND NOT EXISTS (
  SELECT FROM library_versions AS v
  WHERE v.library_id = $1 AND v.recent IS NOT NULL AND v.recent ? t.term)`;
