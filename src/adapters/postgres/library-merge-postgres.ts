import { type BlockTerm, byBytes, decodeBlock } from '../../library/posting-blocks.ts';
import { mergePostings } from '../../library/postings.ts';
import {
  deleteEmptyRun,
  deleteTails,
  insertBlocks,
  insertTails,
  type LibraryIndex,
  type Run,
  type StoredBlock,
  splitRun,
  wholePart,
} from './library-index-postgres.ts';

/*
 * Merges of runs. The oldest of the runs takes up the others, which name it in `merged_into`: in every transaction some terms
 * with all their postings, in the order of the terms, until nothing is left of the others. So every posting is in one place at
 * any moment: a search, a removal and a process that goes on after a crash need no other state.
 */

type Merge = {
  /** The start of the run that takes up the others. */
  readonly target: number;
  /** Theirs, in their order. */
  readonly sources: readonly number[];
};

/** Marks the merges that are due: the oldest `fanOut` runs of a level become one of the next. */
export const beginMerges = async ({ query, shape }: LibraryIndex): Promise<void> => {
  await query(markMerges, [shape.fanOut, shape.highestLevel]);
};

/** Moves some terms; false: no merge is under way. */
export const mergeSome = async (library: LibraryIndex): Promise<boolean> => {
  const [merge] = (await library.query<Merge>(selectMerge)).rows;
  if (merge === undefined) return false;
  const moved = await sourceTerms(library, merge);
  if (moved.terms.length > 0) await moveTerms(library, merge, moved);
  if (moved.end === null) {
    await library.query('DELETE FROM library_runs WHERE library_id = $1 AND merged_into = $2', [merge.target]);
    await library.query(deleteEmptyRun, [merge.target]);
    await beginMerges(library);
  }
  return true;
};

type Decoded = Run & { readonly term: string };

const decoded = ({ start, term, block }: StoredBlock): Decoded => ({ start, term, terms: decodeBlock(block) });

type Moved = {
  readonly blocks: readonly Decoded[];
  /** In their order, each once. */
  readonly terms: readonly string[];
  /** The first term that is not moved; null: all are. */
  readonly end: string | null;
};

/** The next terms of the sources: whole terms, at most `mergedAtOnce` postings unless one term has more. */
const sourceTerms = async ({ query, shape }: LibraryIndex, { sources }: Merge): Promise<Moved> => {
  const most = Math.max(2, Math.floor(shape.blocksAtOnce / sources.length));
  const { rows } = await query<StoredBlock>(selectFirstBlocks, [sources, most]);
  // The last block of those that were read may not be the last of its run: terms before it are known to be complete.
  const lasts = [...Map.groupBy(rows, ({ start }) => start).values()].flatMap((of) =>
    of.length < most ? [] : of.slice(-1).map(({ term }) => term),
  );
  let [end = null] = lasts.toSorted(byBytes);
  const blocks = rows.filter(({ term }) => isBefore(term, end)).map(decoded);
  const sizes = new Map<string, number>();
  for (const { term, passages } of blocks.flatMap(({ terms }) => terms)) {
    if (isBefore(term, end)) sizes.set(term, (sizes.get(term) ?? 0) + passages);
  }
  const terms: string[] = [];
  let postings = 0;
  for (const term of [...sizes.keys()].toSorted(byBytes)) {
    if (postings >= shape.mergedAtOnce) {
      end = term;
      break;
    }
    postings += sizes.get(term) ?? 0;
    terms.push(term);
  }
  return { blocks: blocks.filter(({ term }) => isBefore(term, end)), terms, end };
};

const isBefore = (term: string, end: string | null): boolean => end === null || byBytes(term, end) < 0;

/** Moves terms into the target, of which it rewrites the blocks that hold such terms. */
const moveTerms = async (library: LibraryIndex, { target, sources }: Merge, moved: Moved): Promise<void> => {
  const { query, shape } = library;
  const { rows } = await query<StoredBlock>(selectRange, [target, moved.terms[0], moved.end]);
  const [own, theirs] = [rows.map(decoded), moved.blocks.map((each) => ({ each, ...parted(each.terms, moved.end) }))];
  const moving = new Set(moved.terms);
  const blocks = [...own, ...theirs.map(({ each, before }) => ({ ...each, terms: before }))];
  const parts = blocks
    .toSorted((a, b) => a.start - b.start)
    .flatMap(({ start, terms }) => terms.flatMap((each) => (moving.has(each.term) ? [{ ...each, start }] : [])));
  const long = parts.flatMap(({ term, passages }) => (passages > shape.headSize ? [term] : []));
  const tails = await deleteTails(library, [target, ...sources], long);
  const merged = [...Map.groupBy(parts, ({ term }) => term)].map(([term, of]) => ({
    term,
    ...mergePostings(
      target,
      of.map((each) => wholePart(each, tails.get(`${each.start} ${term}`) ?? [])),
    ),
  }));
  const split = splitRun({ start: target, terms: merged }, shape);
  const untouched = own.flatMap(({ terms }) => terms.filter(({ term }) => !moving.has(term)));
  const left = theirs.flatMap(({ each, after }) => (after.length === 0 ? [] : [{ start: each.start, terms: after }]));
  await query(deleteBlocks, [blocks.map(({ start }) => start), blocks.map(({ term }) => term)]);
  await insertBlocks(library, [{ start: target, terms: [...untouched, ...split.heads.terms] }, ...left]);
  await insertTails(library, split.tails);
};

/** Terms, which come in their order, before one and from it on. */
const parted = (terms: readonly BlockTerm[], end: string | null) => {
  const at = terms.findIndex(({ term }) => !isBefore(term, end));
  return { before: at < 0 ? terms : terms.slice(0, at), after: at < 0 ? [] : terms.slice(at) };
};

/** A run that takes up others is not taken up itself before it has them all: a passage is in two runs at most. */
const markMerges = `
WITH complete AS (
  SELECT start, level,
    row_number() OVER (PARTITION BY level ORDER BY start) AS place, count(*) OVER (PARTITION BY level) AS runs
  FROM library_runs AS r
  WHERE library_id = $1 AND merged_into IS NULL AND level < $3
  AND NOT EXISTS (SELECT FROM library_runs WHERE library_id = $1 AND merged_into = r.start)
), due AS (
  SELECT start, min(start) OVER (PARTITION BY level) AS target FROM complete WHERE runs >= $2 AND place <= $2
)
UPDATE library_runs AS r
SET level = r.level + (r.start = target)::integer, merged_into = nullif(target, r.start)
FROM due
WHERE r.library_id = $1 AND r.start = due.start`;

/** The merge of the lowest level: new texts make most runs. */
const selectMerge = `
SELECT merged_into AS target, array_agg(start ORDER BY start) AS sources
FROM library_runs
WHERE library_id = $1 AND merged_into IS NOT NULL
GROUP BY merged_into
ORDER BY min(level), merged_into
LIMIT 1`;

const deleteBlocks = `
DELETE FROM library_postings AS p
USING unnest($2::integer[], $3::text[]) AS given (start, term)
WHERE p.library_id = $1 AND p.start = given.start AND p.term = given.term`;

/** Of each of some runs, the first blocks. */
const selectFirstBlocks = `
SELECT b.start, b.term, b.block
FROM unnest($2::integer[]) AS r (start)
CROSS JOIN LATERAL (
  SELECT start, term, block FROM library_postings
  WHERE library_id = $1 AND start = r.start
  ORDER BY term LIMIT $3
) AS b
ORDER BY b.start, b.term`;

/** The blocks of a run in which terms from one to before another would stand; null: to the last. */
const selectRange = `
SELECT start, term, block FROM library_postings
WHERE library_id = $1 AND start = $2 AND ($4::text IS NULL OR term < $4 COLLATE "C")
AND term >= coalesce((
  SELECT max(term) FROM library_postings WHERE library_id = $1 AND start = $2 AND term <= $3 COLLATE "C"
), '')
ORDER BY term`;
