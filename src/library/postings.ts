/** A passage of a library that holds a term, with what the term adds to its score before its rarity (1 to 255). */
export type Posting = { readonly passage: number; readonly impact: number };

/** Postings of one term in one run, as they are stored; their passages count from `start`. */
export type StoredPostings = {
  readonly term: string;
  /** The passage from which the first distance counts. */
  readonly start: number;
  /** The first passage of the run that takes it up during a merge, else of the run itself. A passage is in one of these alone. */
  readonly run: number;
  /** How many the run holds; 0 for a tail, which its head counts. */
  readonly passages: number;
  readonly postings: Uint8Array;
  /** There are more, in a tail. */
  readonly isHead: boolean;
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

/** Postings in the order of their passages. */
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
    const distance: number[] = [];
    writeNumber(distance, first - before);
    const { end } = readNumber(part.postings, 0);
    merged.push(Uint8Array.from(distance), part.postings.subarray(end));
    before = last;
  }
  return { passages: count, postings: Buffer.concat(merged) };
};

/** Postings that count from `base`. */
export type TailPart = { readonly base: number; readonly postings: Uint8Array };

/** The `headSize` postings with the highest impacts, and the others in parts of `partSize`; null: there are no others. */
export const splitPostings = (
  start: number,
  { passages, postings }: Pick<StoredPostings, 'passages' | 'postings'>,
  { headSize, partSize }: { readonly headSize: number; readonly partSize: number },
): { readonly head: Uint8Array; readonly tail: readonly TailPart[] } | null => {
  if (passages <= headSize) return null;
  const all = decodePostings({ start, postings });
  // The least impact of the head, and how many of those that have it belong to it.
  const counts = new Uint32Array(256);
  for (const { impact } of all) counts[impact] = (counts[impact] ?? 0) + 1;
  let [least, left] = [255, headSize];
  while (least > 0 && left > (counts[least] ?? 0)) left -= counts[least--] ?? 0;
  const isInHead = ({ impact }: Posting): boolean => impact > least || (impact === least && left-- > 0);
  const [head, others]: [Posting[], Posting[]] = [[], []];
  for (const each of all) (isInHead(each) ? head : others).push(each);
  const tail: TailPart[] = [];
  for (let at = 0; at < others.length; at += partSize) {
    const part = others.slice(at, at + partSize);
    const base = part[0]?.passage ?? start;
    tail.push({ base, postings: encodePostings(base, part) });
  }
  return { head: encodePostings(start, head), tail };
};

/** Postings without those of the passages from `first` to before `end`, and how many those were. */
export const cutPostings = (
  { start, postings }: PostingsPart,
  { first, end }: { readonly first: number; readonly end: number },
): { readonly removed: number; readonly postings: Uint8Array } => {
  let [passage, at, removed] = [start, 0, 0];
  // Where those that are removed begin, and the passage before them.
  let [from, before] = [0, start];
  while (at < postings.length) {
    const { value, end: next } = readNumber(postings, at);
    const own = passage + value;
    if (own >= end) {
      if (removed === 0) break;
      const distance: number[] = [];
      writeNumber(distance, own - before);
      const kept = [postings.subarray(0, from), Uint8Array.from(distance), postings.subarray(next)];
      return { removed, postings: Buffer.concat(kept) };
    }
    if (own >= first) {
      if (removed === 0) [from, before] = [at, passage];
      removed += 1;
    }
    passage = own;
    at = next + 1;
  }
  return { removed, postings: removed === 0 ? postings : postings.subarray(0, from) };
};

/** What a term of a query weighs: its rarity and how well it resembles the word of the query. */
export type TermWeights = ReadonlyMap<string, number>;

export type ScoredPassage = { readonly passage: number; readonly score: number };

/**
 * Passages of which the sums are computed at a time: such an array stays in the cache of a processor, one for a run of a
 * million passages does not. Sums, and the places that have one: of one search after the other, which never waits meanwhile.
 */
const windowSize = 32_768;
const [sums, touched] = [new Float64Array(windowSize), new Uint32Array(windowSize)];

/** The passages with the highest sums of weight and impact, the best first; `accepts`: which may be found. */
export const bestPassages = (
  stored: readonly StoredPostings[],
  weights: TermWeights,
  { limit, accepts }: { readonly limit: number; readonly accepts: (passage: number) => boolean },
): ScoredPassage[] => {
  let best: ScoredPassage[] = [];
  let least = 0;
  const cut = (): void => {
    best = topOf(best, limit);
    if (best.length === limit) least = best.at(-1)?.score ?? 0;
  };
  for (const [start, run] of Map.groupBy(stored, (one) => one.run)) {
    const terms = heaviestOf(run, weights);
    for (let from = start; terms.some(isUnread); from += windowSize) {
      const count = addUp(terms, { from, least });
      for (let index = 0; index < count; index += 1) {
        const place = touched[index] ?? 0;
        const score = sums[place] ?? 0;
        sums[place] = 0;
        if (score <= least || !accepts(from + place)) continue;
        best.push({ passage: from + place, score });
        if (best.length >= 4 * limit) cut();
      }
    }
    cut();
  }
  return best;
};

const topOf = (passages: readonly ScoredPassage[], limit: number): ScoredPassage[] =>
  passages.toSorted((a, b) => b.score - a.score || a.passage - b.passage).slice(0, limit);

/** Postings of which some are read. `passage`: the last that was read, or where they begin. */
type Cursor = { readonly postings: Uint8Array; at: number; passage: number };

/** A term of a run. A passage is in one of its lists. */
type WeighedTerm = { readonly weight: number; readonly lists: readonly Cursor[] };

/** The terms of a run, those that weigh most first. */
const heaviestOf = (run: readonly StoredPostings[], weights: TermWeights): readonly WeighedTerm[] =>
  [...Map.groupBy(run, ({ term }) => term)]
    .map(([term, of]) => ({
      weight: weights.get(term) ?? 0,
      lists: of.map(({ start, postings }) => ({ postings, at: 0, passage: start })),
    }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight);

const isUnread = ({ lists }: WeighedTerm): boolean => lists.some(({ postings, at }) => at < postings.length);

const highestImpact = 255;

/**
 * Adds what the terms of a run weigh to the sums of a window; the number of passages that have one. Once the terms that are
 * left cannot lift a passage above `least` by themselves, they are added to passages with a sum alone (the pruning of
 * MaxScore): frequent words weigh little, and most postings are theirs.
 */
const addUp = (
  terms: readonly WeighedTerm[],
  { from, least }: { readonly from: number; readonly least: number },
): number => {
  let [most, count] = [terms.reduce((sum, { weight }) => sum + weight * highestImpact, 0), 0];
  for (const { weight, lists } of terms) {
    const isNewSeen = most > least;
    for (const list of lists) count = addList(list, { from, weight, count, isNewSeen });
    most -= weight * highestImpact;
  }
  return count;
};

/** The loop of `eachPosting` within a window, without a call for each posting: a search reads a hundred thousand of them. */
const addList = (
  list: Cursor,
  added: { readonly from: number; readonly weight: number; readonly count: number; readonly isNewSeen: boolean },
): number => {
  const { postings } = list;
  const { from, weight, isNewSeen } = added;
  const length = postings.length;
  let { at, passage } = list;
  let end = added.count;
  while (at < length) {
    let [step, shift, next] = [0, 0, at];
    let byte = postings[next++] ?? 0;
    for (; byte > 0x7f; byte = postings[next++] ?? 0) {
      step |= (byte & 0x7f) << shift;
      shift += 7;
    }
    step |= byte << shift;
    const place = passage + step - from;
    if (place >= windowSize) break;
    passage += step;
    at = next + 1;
    const before = sums[place] ?? 0;
    if (before === 0) {
      if (!isNewSeen) continue;
      touched[end++] = place;
    }
    sums[place] = before + weight * (postings[next] ?? 0);
  }
  list.at = at;
  list.passage = passage;
  return end;
};

/** Which of some passages, in their order, postings hold. The loop of `eachPosting` up to the last of them, without a call: half the time. */
export const heldPassages = ({ start, postings }: PostingsPart, passages: readonly number[]): readonly number[] => {
  const held: number[] = [];
  let [passage, at, next] = [start, 0, 0];
  while (at < postings.length) {
    let [step, shift] = [0, 0];
    let byte = postings[at++] ?? 0;
    for (; byte > 0x7f; byte = postings[at++] ?? 0) {
      step |= (byte & 0x7f) << shift;
      shift += 7;
    }
    passage += step | (byte << shift);
    at += 1;
    while ((passages[next] ?? Number.POSITIVE_INFINITY) < passage) next += 1;
    if (next === passages.length) break;
    if (passages[next] === passage) held.push(passage);
  }
  return held;
};
