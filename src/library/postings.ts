/** A passage of a library that holds a term, with what the term adds to its score before its rarity (1 to 255). */
export type Posting = { readonly passage: number; readonly impact: number };

/** Postings of one term in one run, as they are stored; their passages count from `start`. */
export type StoredPostings = {
  readonly term: string;
  readonly start: number;
  /** How many there are. */
  readonly passages: number;
  readonly postings: Uint8Array;
};

/** The postings of some term in one run or text. */
export type PostingsPart = Pick<StoredPostings, 'start' | 'postings'>;

/** Writes a whole number of at most 31 bits: seven a byte, the low ones first. */
export const writeNumber = (bytes: number[], number: number): void => {
  let left = number;
  for (; left > 0x7f; left >>>= 7) bytes.push((left & 0x7f) | 0x80);
  bytes.push(left);
};

/** Such a number, and where the next byte is. */
export const readNumber = (bytes: Uint8Array, from: number): { readonly value: number; readonly end: number } => {
  let [value, shift, end] = [0, 0, from];
  let byte = bytes[end++] ?? 0;
  for (; byte > 0x7f; byte = bytes[end++] ?? 0) {
    value |= (byte & 0x7f) << shift;
    shift += 7;
  }
  return { value: value | (byte << shift), end };
};

/**
 * Postings in the order of their passages: the difference to the passage before as a variable-length number (seven bits a
 * byte, the low ones first), then the impact in one byte.
 */
export const encodePostings = (start: number, postings: readonly Posting[]): Uint8Array => {
  const bytes: number[] = [];
  let before = start;
  for (const { passage, impact } of postings) {
    writeNumber(bytes, passage - before);
    bytes.push(impact);
    before = passage;
  }
  return Uint8Array.from(bytes);
};

/** Calls `each` with every posting; it makes no object, because a search reads a million of them. */
export const eachPosting = (
  { start, postings }: PostingsPart,
  each: (passage: number, impact: number) => void,
): void => {
  let passage = start;
  let at = 0;
  while (at < postings.length) {
    let [step, shift] = [0, 0];
    let byte = postings[at++] ?? 0;
    for (; byte > 0x7f; byte = postings[at++] ?? 0) {
      step |= (byte & 0x7f) << shift;
      shift += 7;
    }
    passage += step | (byte << shift);
    each(passage, postings[at++] ?? 0);
  }
};

export const decodePostings = (stored: PostingsPart): Posting[] => {
  const found: Posting[] = [];
  eachPosting(stored, (passage, impact) => found.push({ passage, impact }));
  return found;
};

/** How many postings there are, and what they are as one run: the parts come in the order of their passages. */
export const mergePostings = (
  start: number,
  parts: readonly PostingsPart[],
): { readonly passages: number; readonly postings: Uint8Array } => {
  const merged: Uint8Array[] = [];
  let [count, before] = [0, start];
  for (const part of parts) {
    let [first, last] = [-1, before];
    eachPosting(part, (passage) => {
      if (first < 0) first = passage;
      last = passage;
      count += 1;
    });
    if (first < 0) continue;
    // Only the distance to the first passage of a part is another one.
    const rest = part.postings.subarray(part.postings.findIndex((byte) => byte <= 0x7f) + 1);
    merged.push(encodePostings(before, [{ passage: first, impact: 0 }]).slice(0, -1), rest);
    before = last;
  }
  return { passages: count, postings: Buffer.concat(merged) };
};

/** What a term of a query weighs: its rarity and how well it resembles the word of the query. */
export type TermWeights = ReadonlyMap<string, number>;

export type ScoredPassage = { readonly passage: number; readonly score: number };

/** The passages with the highest sums of weight and impact, the best first; `accepts`: which may be found. */
export const bestPassages = (
  stored: readonly StoredPostings[],
  weights: TermWeights,
  { limit, accepts }: { readonly limit: number; readonly accepts: (passage: number) => boolean },
): ScoredPassage[] => {
  let best: ScoredPassage[] = [];
  let least = 0;
  for (const [start, run] of Map.groupBy(stored, (one) => one.start)) {
    const scores = scoresIn(start, run, weights);
    for (let at = 0; at < scores.length; at += 1) {
      const score = scores[at] ?? 0;
      if (score <= least || !accepts(start + at)) continue;
      best.push({ passage: start + at, score });
      if (best.length < 4 * limit) continue;
      best = topOf(best, limit);
      least = best.at(-1)?.score ?? 0;
    }
  }
  return topOf(best, limit);
};

const topOf = (passages: readonly ScoredPassage[], limit: number): ScoredPassage[] =>
  passages.toSorted((a, b) => b.score - a.score || a.passage - b.passage).slice(0, limit);

/** By passage, counted from the start of the run. */
const scoresIn = (start: number, run: readonly StoredPostings[], weights: TermWeights): Float32Array => {
  let scores = new Float32Array(1_024);
  let end = 0;
  for (const one of run) {
    const weight = weights.get(one.term) ?? 0;
    if (weight === 0) continue;
    eachPosting(one, (passage, impact) => {
      const at = passage - start;
      if (at >= scores.length) {
        const wider = new Float32Array(Math.max(at + 1, 2 * scores.length));
        wider.set(scores);
        scores = wider;
      }
      if (at >= end) end = at + 1;
      scores[at] = (scores[at] ?? 0) + weight * impact;
    });
  }
  return scores.subarray(0, end);
};
