import { checkCancelled } from './cancellation.ts';

/** How often each term stands in each passage, for ranking. */
export type TermIndex = {
  readonly size: number;
  readonly lengths: Float64Array;
  readonly averageLength: number;
  /** Pairs of passage and count, by term. */
  readonly postings: ReadonlyMap<string, readonly number[]>;
};

/** Indexes passages, each a list of its terms; an empty term counts for the length only. */
export const indexTerms = (passages: readonly (readonly string[])[]): TermIndex => {
  const postings = new Map<string, number[]>();
  const lengths = new Float64Array(passages.length);
  let sum = 0;
  for (const [passage, terms] of passages.entries()) {
    checkCancelled();
    lengths[passage] = terms.length;
    sum += terms.length;
    for (const term of terms) {
      if (term === '') continue;
      const list = postings.get(term);
      if (list === undefined) postings.set(term, [passage, 1]);
      else if (list.at(-2) === passage) list[list.length - 1] = (list.at(-1) ?? 0) + 1;
      else list.push(passage, 1);
    }
  }
  const averageLength = sum / Math.max(1, passages.length);
  return { size: passages.length, lengths, averageLength, postings };
};

/** How rare a term is: 0 where every passage has it, highest where none has. */
export const idf = ({ size, postings }: TermIndex, term: string): number =>
  rarityOf((postings.get(term)?.length ?? 0) / 2, size);

/** The same of a term that `holding` of `size` passages hold. */
export const rarityOf = (holding: number, size: number): number =>
  Math.log(1 + (size - holding + 0.5) / (holding + 0.5));

export type WeightedTerm = { readonly term: string; readonly weight: number };

/** The usual constants of BM25. */
const [k1, b] = [1.2, 0.75];

/** What a term that stands `count` times in a passage adds, before its rarity: below 2.2. `length`: as a share of the average. */
export const saturation = (count: number, length: number): number =>
  (count * (k1 + 1)) / (count + k1 * (1 - b + b * length));

/** Okapi BM25 of every passage. A weight below 1 is for a term that the query only resembles. */
export const bm25 = (index: TermIndex, query: readonly WeightedTerm[]): Float64Array => {
  const scores = new Float64Array(index.size);
  for (const { term, weight } of query) {
    checkCancelled();
    const list = index.postings.get(term) ?? [];
    const rarity = weight * idf(index, term);
    for (let at = 0; at < list.length; at += 2) {
      const [passage = 0, count = 0] = [list[at], list[at + 1]];
      const length = (index.lengths[passage] ?? 0) / Math.max(1e-9, index.averageLength);
      scores[passage] = (scores[passage] ?? 0) + rarity * saturation(count, length);
    }
  }
  return scores;
};

/** The passages with a score above zero, the best first. */
export const ranking = (scores: Float64Array): number[] =>
  [...scores.keys()]
    .filter((passage) => (scores[passage] ?? 0) > 0)
    .toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);

/** The constant of reciprocal rank fusion in the literature. */
const rankOffset = 60;

/** Reciprocal rank fusion: a passage counts by its places in several rankings. */
export const fuseRankings = (
  size: number,
  rankings: readonly { readonly ranked: readonly number[]; readonly weight: number }[],
): Float64Array => {
  const scores = new Float64Array(size);
  for (const { ranked, weight } of rankings) {
    for (const [rank, passage] of ranked.entries()) {
      scores[passage] = (scores[passage] ?? 0) + weight / (rankOffset + rank + 1);
    }
  }
  return scores;
};
