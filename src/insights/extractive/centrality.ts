import { memoizeByObject } from '../../kernel/memoize.ts';
import { checkCancelled } from './cancellation.ts';
import { type Document, termCounts } from './document.ts';

/** Weights of the terms of a sentence, by TF-IDF over sentences; its length is 1. */
export type Vector = ReadonlyMap<string, number>;

const normalised = (weights: Map<string, number>): Vector => {
  let squares = 0;
  for (const weight of weights.values()) squares += weight * weight;
  const length = Math.sqrt(squares);
  if (length > 0) for (const [term, weight] of weights) weights.set(term, weight / length);
  return weights;
};

/** The dot product: of vectors of length 1, their cosine similarity. */
export const dot = (a: Vector, b: Vector): number => {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [term, weight] of small) sum += weight * (large.get(term) ?? 0);
  return sum;
};

export const sentenceVectors = memoizeByObject((document: Document): Vector[] => {
  const { sentences } = document;
  const holding = new Map<string, number>();
  const counted = sentences.map((sentence) => {
    checkCancelled();
    const counts = termCounts(document, sentence);
    for (const term of counts.keys()) holding.set(term, (holding.get(term) ?? 0) + 1);
    return counts;
  });
  for (const counts of counted) {
    checkCancelled();
    for (const [term, count] of counts) {
      const rarity = Math.log(1 + sentences.length / (holding.get(term) ?? 1));
      counts.set(term, (1 + Math.log(count)) * rarity);
    }
  }
  return counted.map(normalised);
});

/** The middle of several sentences. */
export const centroidOf = (vectors: readonly Vector[]): Vector => {
  const sum = new Map<string, number>();
  for (const vector of vectors) {
    checkCancelled();
    for (const [term, weight] of vector) sum.set(term, (sum.get(term) ?? 0) + weight);
  }
  return normalised(sum);
};
