import { createHash } from 'node:crypto';
import type { Hit, SearchInput } from '../contract/operations/search.ts';
import type { ModelSession } from './ask-model.ts';
import type { Extractor } from './extractive/extract-thread-pool.ts';
import { type Embeddings, extract as searchExtract } from './extractive/search.ts';
import { plainLine } from './model-text.ts';
import type { Excerpt, Source } from './source.ts';

/** The passages that fit a query best; `embeddings` adds what means the same in other words. */
export const search = (
  extract: Extractor,
  source: Source,
  { query, limit }: SearchInput,
  embeddings: Embeddings | null,
): Promise<readonly Hit[]> => extract(searchExtract, source, { query: plainLine(query), limit, embeddings });

/** Texts in one request for embeddings. */
const textsAtOnce = 128;
/** Some thirty hours of speech; a longer transcript is searched by words alone. */
export const mostWindows = 4_000;

/** The vectors of all windows of a transcript, in their order. */
export const embedWindows = async (
  windows: readonly Excerpt[],
  embed: NonNullable<ModelSession['embed']>,
): Promise<readonly (readonly number[])[]> => {
  const texts = windows.map(({ text }) => plainLine(text));
  const vectors: (readonly number[])[] = [];
  for (let from = 0; from < texts.length; from += textsAtOnce) {
    vectors.push(...(await embed(texts.slice(from, from + textsAtOnce))));
  }
  return vectors;
};

/** Vectors as they are kept: 32-bit floats in base64, a quarter of their size as JSON. */
export type KeptVectors = { readonly width: number; readonly floats: string };

/** All vectors must have the same width. */
export const toKept = (vectors: readonly (readonly number[])[]): KeptVectors => ({
  width: vectors[0]?.length ?? 0,
  floats: Buffer.from(Float32Array.from(vectors.flat()).buffer).toString('base64'),
});

/** The vectors that `toKept` stored, with the precision of 32-bit floats. */
export const fromKept = ({ width, floats }: KeptVectors): readonly (readonly number[])[] => {
  const bytes = Uint8Array.from(Buffer.from(floats, 'base64'));
  const all = new Float32Array(bytes.buffer);
  return Array.from({ length: width === 0 ? 0 : all.length / width }, (_, index) =>
    Array.from(all.subarray(index * width, (index + 1) * width)),
  );
};

/** SHA-256, hexadecimal, of a list of values. */
export const hashOf = (values: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('hex');
