import { columnsOf } from '../../eventlog/connection.ts';
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
import {
  cutPostings,
  decodePostings,
  encodePostings,
  type Posting,
  type PostingsPart,
  splitPostings,
  type TailPart,
} from '../../library/postings.ts';

/*
 * The index of a library, as a log-structured merge tree. A new text is a run of level 0; some runs of a level become one of
 * the next (`library-merge-postgres.ts`). So a text is written a few times, no row grows, and a search reads few rows of each
 * term. A row of a run is a block of many terms: a row for each would be several times as large as its postings. Of a long
 * list, only the head stands in its block: the postings that add most to a score.
 */

export type IndexShape = {
  /** Runs of one level that become one run of the next. */
  readonly fanOut: number;
  /** Runs of this level are not merged. */
  readonly highestLevel: number;
  /** Postings of a term that a search reads in one run. */
  readonly headSize: number;
  /** Postings in a row of a tail. */
  readonly partSize: number;
  /** Blocks that a transaction of a merge reads, and postings that it moves. */
  readonly blocksAtOnce: number;
  readonly mergedAtOnce: number;
};

/**
 * A library of 100,000 texts has ten runs, and a text is moved eight times. Of 120 queries of random words in 20,000 texts, the
 * first hit was that of whole lists for 93; with heads of 512 for 91, and in runs of sixteen, for more work, for 97.
 */
export const usualShape: IndexShape = {
  fanOut: 4,
  highestLevel: 8,
  headSize: 1_024,
  partSize: 2_048,
  blocksAtOnce: 256,
  mergedAtOnce: 100_000,
};

/** The index of one library in a transaction. The first parameter of each statement is the id of the library. */
export type LibraryIndex = {
  readonly libraryId: number;
  readonly shape: IndexShape;
  readonly query: Transaction['query'];
};

export const indexOf = (transaction: Transaction, libraryId: number, shape: IndexShape): LibraryIndex => ({
  libraryId,
  shape,
  query: (text, values = []) => transaction.query(text, [libraryId, ...values]),
});

/** A block of the run that begins at `start`. */
export type StoredBlock = Block & { readonly start: number };

/** Terms of the run that begins at `start`, with all their postings in it. */
export type Run = { readonly start: number; readonly terms: readonly BlockTerm[] };

/** Adds the newest text, whose passages begin at `first`, as a run of its own. */
export const addToIndex = async (library: LibraryIndex, first: number, index: PassageIndex): Promise<void> => {
  const added = index.postings.map(([term, pairs]): BlockTerm => {
    const postings = pairs.flatMap((passage, at): Posting[] =>
      at % 2 === 0 ? [{ passage: first + passage, impact: pairs[at + 1] ?? 0 }] : [],
    );
    const encoded = encodePostings(first, postings);
    return { term: termOf(index.language, term), passages: postings.length, postings: encoded };
  });
  await Promise.all([
    addRun(library, { start: first, terms: added, level: 0 }),
    addTerms(
      library,
      added.map(({ term }) => term),
    ),
    library.query(countPassages, [index.language, 1, index.passages.length]),
  ]);
};

/** Most terms of a text are known: their grams are neither made nor sent. */
const addTerms = async ({ query, libraryId }: LibraryIndex, terms: readonly string[]): Promise<void> => {
  const { rows } = await query<{ term: string }>(selectTerms, [terms]);
  const known = new Set(rows.map(({ term }) => term));
  const added = terms.filter((term) => !known.has(term));
  const grams = added.map((term) => `{${gramsOf(libraryId, term).join(',')}}`);
  if (added.length > 0) await query(insertTerms, [added, grams]);
};

/** Writes a run to the index of a library: its blocks, and the tails of its long lists. */
export const addRun = async (
  library: LibraryIndex,
  { level, ...run }: Run & { readonly level: number },
): Promise<void> => {
  const { heads, tails } = splitRun(run, library.shape);
  await Promise.all([
    library.query('INSERT INTO library_runs (library_id, start, level) VALUES ($1, $2, $3)', [run.start, level]),
    insertBlocks(library, [heads]),
    insertTails(library, tails),
  ]);
};

/** A part of a tail of the run that begins at `start`. */
export type StoredTail = TailPart & { readonly start: number; readonly term: string };

/** A run with the heads of its long lists, and their tails. */
export const splitRun = ({ start, terms }: Run, shape: IndexShape): { heads: Run; tails: readonly StoredTail[] } => {
  const tails: StoredTail[] = [];
  const heads = terms.map((whole) => {
    const split = splitPostings(start, whole, shape);
    if (split === null) return whole;
    tails.push(...split.tail.map((part) => ({ ...part, start, term: whole.term })));
    return { ...whole, postings: split.head };
  });
  return { heads: { start, terms: heads }, tails };
};

/** Writes blocks of terms that stand in no block of these runs. */
export const insertBlocks = async ({ query }: LibraryIndex, runs: readonly Run[]): Promise<void> => {
  const blocks = runs.flatMap(({ start, terms }) =>
    blocksOf(terms.toSorted((a, b) => byBytes(a.term, b.term))).map((each) => ({ ...each, start })),
  );
  await query(insertIntoPostings, columnsOf(blocks, 'start', 'term', 'block'));
};

/** Writes tails as `splitRun` returns them; without tails, nothing. */
export const insertTails = async ({ query }: LibraryIndex, tails: readonly StoredTail[]): Promise<void> => {
  if (tails.length > 0) await query(insertIntoTails, tailColumns(tails));
};

const tailColumns = (tails: readonly StoredTail[]) => columnsOf(tails, 'start', 'term', 'base', 'postings');

/** What a library holds of a text in its index. `terms`: null where they are not stored. */
export type IndexedText = {
  readonly first: number;
  readonly size: number;
  readonly stems: string;
  readonly terms: readonly string[] | null;
};

/**
 * Takes a text out of the index: its passages, and the terms that no other text holds. What it holds is what was put in, not
 * what its words would be read as today.
 */
export const removeFromIndex = async (
  library: LibraryIndex,
  { first, size, stems, terms }: IndexedText,
): Promise<void> => {
  const { query } = library;
  const end = first + size;
  await query(countPassages, [stems, -1, -size]);
  await query(
    'UPDATE library_versions SET first_passage = NULL, terms = NULL WHERE library_id = $1 AND first_passage = $2',
    [first],
  );
  await query('DELETE FROM library_vectors WHERE library_id = $1 AND passage >= $2 AND passage < $3', [first, end]);
  const { rows } = await query<{ start: number }>(selectRunsHolding, [first]);
  const gone = new Set<string>();
  for (const { start } of rows) {
    const own = terms?.map((term) => termOf(stems, term));
    for await (const some of own === undefined ? termsOfRun(library, start) : [own]) {
      const emptied = await removeFromRun(library, { start, first, end, terms: some });
      for (const term of emptied) gone.add(term);
    }
    await query(deleteEmptyRun, [start]);
  }
  const others = await query<StoredBlock>(selectBlocks, [[...gone]]);
  for (const { term } of others.rows.flatMap(({ block }) => decodeBlock(block))) gone.delete(term);
  await query('DELETE FROM library_terms WHERE library_id = $1 AND term = ANY ($2)', [[...gone]]);
};

/** All terms of a run, some at a time. */
async function* termsOfRun({ query }: LibraryIndex, start: number): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const { rows } = await query<Block>(selectNextBlocks, [start, after]);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.flatMap(({ block }) => decodeBlock(block).map(({ term }) => term));
    after = last.term;
  }
}

/** Passages of a run that are removed from it. */
type Removal = {
  readonly start: number;
  readonly first: number;
  readonly end: number;
  readonly terms: readonly string[];
};

/** Rewrites a run without some passages; resolves to the terms of which it holds no others. */
const removeFromRun = async (library: LibraryIndex, gone: Removal): Promise<readonly string[]> => {
  const { query, shape } = library;
  const { start } = gone;
  const { rows } = await query<Block>(selectBlocksOfRun, [start, gone.terms]);
  const removedFromTails = await removeFromTails(library, gone);
  const blocks = rows.map(({ term, block }) => {
    const before = decodeBlock(block);
    return { term, before, left: before.map((each) => without(each, gone, removedFromTails.get(each.term) ?? 0)) };
  });
  const short = blocks.flatMap(({ before, left }) => left.filter((each, at) => isShort(before[at], each, shape)));
  const refilled = await refillHeads(library, { start, terms: short });
  const emptied: string[] = [];
  const changed = blocks.flatMap(({ term, before, left }) => {
    if (left.every((each, at) => each === before[at])) return [];
    const [kept, empty] = [left.filter(({ passages }) => passages > 0), left.filter(({ passages }) => passages === 0)];
    emptied.push(...empty.map((each) => each.term));
    const block = encodeBlock(kept.map((each) => refilled.get(each.term) ?? each));
    return [{ term, first: kept[0]?.term ?? term, block }];
  });
  await query(updateBlocks, [start, ...columnsOf(changed, 'term', 'first', 'block')]);
  await query("DELETE FROM library_postings WHERE library_id = $1 AND start = $2 AND term = ANY ($3) AND block = ''", [
    start,
    changed.map(({ term }) => term),
  ]);
  return emptied;
};

/** How many postings left the tail of each term. */
const removeFromTails = async ({ query }: LibraryIndex, gone: Removal): Promise<ReadonlyMap<string, number>> => {
  const { start, first, end, terms } = gone;
  const { rows } = await query<Omit<StoredTail, 'start'>>(selectTailsHolding, [start, terms, first, end]);
  const changed = rows.flatMap(({ term, base, postings }) => {
    const cut = cutPostings({ start: base, postings }, gone);
    return cut.removed === 0 ? [] : [{ ...cut, start, term, base }];
  });
  await query(updateTails, tailColumns(changed));
  await query("DELETE FROM library_tails WHERE library_id = $1 AND start = $2 AND term = ANY ($3) AND postings = ''", [
    start,
    changed.map(({ term }) => term),
  ]);
  const removed = new Map<string, number>();
  for (const each of changed) removed.set(each.term, (removed.get(each.term) ?? 0) + each.removed);
  return removed;
};

/** The same object where the term stands in none of the passages. */
const without = (held: BlockTerm, gone: Removal, removedFromTail: number): BlockTerm => {
  const { removed, postings } = cutPostings({ start: gone.start, postings: held.postings }, gone);
  if (removed + removedFromTail === 0) return held;
  return { term: held.term, passages: held.passages - removed - removedFromTail, postings };
};

/**
 * Whether the head of a list that has a tail holds too little after a removal: a list that fits into a head has no tail, and
 * a search finds passages by heads alone.
 */
const isShort = (before: BlockTerm | undefined, { passages, postings }: BlockTerm, { headSize }: IndexShape): boolean =>
  before !== undefined &&
  before.passages > headSize &&
  before.passages > passages &&
  (passages <= headSize || decodePostings({ start: 0, postings }).length < headSize / 2);

/** Terms of a run with heads of the best postings of their whole lists. */
const refillHeads = async (library: LibraryIndex, { start, terms }: Run): Promise<ReadonlyMap<string, BlockTerm>> => {
  if (terms.length === 0) return new Map();
  const names = terms.map(({ term }) => term);
  const tails = await deleteTails(library, [start], names);
  const whole = terms.map((each) => {
    const { postings } = wholePart({ start, postings: each.postings }, tails.get(`${start} ${each.term}`) ?? []);
    return { ...each, postings };
  });
  const split = splitRun({ start, terms: whole }, library.shape);
  await insertTails(library, split.tails);
  return new Map(split.heads.terms.map((each) => [each.term, each]));
};

/** By the start of the run and the term. */
export const deleteTails = async (
  { query }: LibraryIndex,
  starts: readonly number[],
  terms: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredTail[]>> => {
  const { rows } = await query<StoredTail>(
    `DELETE FROM library_tails WHERE library_id = $1 AND start = ANY ($2) AND term = ANY ($3)
     RETURNING start, term, base, postings`,
    [starts, terms],
  );
  return Map.groupBy(rows, ({ start, term }) => `${start} ${term}`);
};

/** The postings of a head with those of its tail. */
export const wholePart = ({ start, postings: head }: PostingsPart, tail: readonly StoredTail[]): PostingsPart => {
  if (tail.length === 0) return { start, postings: head };
  const parts = [{ start, postings: head }, ...tail.map(({ base, postings }) => ({ start: base, postings }))];
  const all = parts.flatMap(decodePostings);
  return {
    start,
    postings: encodePostings(
      start,
      all.toSorted((a, b) => a.passage - b.passage),
    ),
  };
};

/** Deletes the whole index of a library. Texts that are in it are found by no search afterwards. */
export const dropIndex = async (transaction: Transaction, libraryId: number): Promise<void> => {
  for (const table of ['postings', 'tails', 'runs', 'terms', 'vectors']) {
    await transaction.query(`DELETE FROM library_${table} WHERE library_id = $1`, [libraryId]);
  }
};

export const selectTerms = 'SELECT term FROM library_terms WHERE library_id = $1 AND term = ANY ($2)';

const insertTerms = `
INSERT INTO library_terms (library_id, term, grams)
SELECT $1, given.term, given.grams::integer[]
FROM unnest($2::text[], $3::text[]) AS given (term, grams)
ON CONFLICT DO NOTHING`;

const countPassages = `
INSERT INTO library_languages AS known (library_id, stems, versions, passages) VALUES ($1, $2, $3, $4)
ON CONFLICT (library_id, stems) DO UPDATE
SET versions = known.versions + excluded.versions, passages = known.passages + excluded.passages`;

const insertIntoPostings = `
INSERT INTO library_postings (library_id, start, term, block)
SELECT $1, * FROM unnest($2::integer[], $3::text[], $4::bytea[])`;

const insertIntoTails = `
INSERT INTO library_tails (library_id, start, term, base, postings)
SELECT $1, * FROM unnest($2::integer[], $3::text[], $4::integer[], $5::bytea[])`;

/** No block keeps the name of a term that is in no block any more. */
const updateBlocks = `
UPDATE library_postings AS known SET term = given.first, block = given.block
FROM unnest($3::text[], $4::text[], $5::bytea[]) AS given (term, first, block)
WHERE known.library_id = $1 AND known.start = $2 AND known.term = given.term`;

const updateTails = `
UPDATE library_tails AS known SET postings = given.postings
FROM unnest($2::integer[], $3::text[], $4::integer[], $5::bytea[]) AS given (start, term, base, postings)
WHERE known.library_id = $1 AND known.start = given.start AND known.term = given.term AND known.base = given.base`;

/** Of the tails of some terms in a run, the parts that may hold passages from the first to before the second. */
const selectTailsHolding = `
SELECT t.term, t.base, t.postings
FROM unnest($3::text[]) AS sought (term)
JOIN library_tails AS t ON t.library_id = $1 AND t.start = $2 AND t.term = sought.term AND t.base < $5
WHERE t.base >= coalesce((
  SELECT max(base) FROM library_tails WHERE library_id = $1 AND start = $2 AND term = sought.term AND base <= $4
), 0)`;

const selectNextBlocks = `
SELECT term, block FROM library_postings
WHERE library_id = $1 AND start = $2 AND term > $3 COLLATE "C"
ORDER BY term LIMIT 256`;

/** The run of a passage and, during a merge, the run that takes it up. */
const selectRunsHolding = `
SELECT unnest(ARRAY[start, merged_into]) AS start FROM (
  SELECT start, merged_into FROM library_runs WHERE library_id = $1 AND start <= $2 ORDER BY start DESC LIMIT 1
) AS own`;

/** A run of which every text was removed, unless it is about to take up others. */
export const deleteEmptyRun = `
DELETE FROM library_runs
WHERE library_id = $1 AND start = $2
AND NOT EXISTS (SELECT FROM library_postings WHERE library_id = $1 AND start = $2)
AND NOT EXISTS (SELECT FROM library_runs WHERE library_id = $1 AND merged_into = $2)`;

/** Of one run, the blocks in which some terms would stand. */
const selectBlocksOfRun = `
SELECT DISTINCT ON (b.term) b.term, b.block
FROM unnest($3::text[]) AS sought (term)
CROSS JOIN LATERAL (
  SELECT term, block FROM library_postings
  WHERE library_id = $1 AND start = $2 AND term <= sought.term COLLATE "C"
  ORDER BY term DESC LIMIT 1
) AS b`;

/** Of every run of a library, the blocks in which some terms would stand. `run`: the one that they belong to after a merge. */
export const selectBlocks = `
SELECT DISTINCT ON (b.start, b.term) coalesce(r.merged_into, r.start) AS run, b.start, b.term, b.block
FROM library_runs AS r
CROSS JOIN unnest($2::text[]) AS sought (term)
CROSS JOIN LATERAL (
  SELECT start, term, block FROM library_postings
  WHERE library_id = $1 AND start = r.start AND term <= sought.term COLLATE "C"
  ORDER BY term DESC LIMIT 1
) AS b
WHERE r.library_id = $1`;
