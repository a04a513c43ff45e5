import type { ModelSession } from './ask-model.ts';
import { type Chunk, chunksOf, numbered } from './captions-prompt.ts';
import { ModelFailure } from './model.ts';
import type { Source } from './source.ts';

/** Longer transcripts are answered without a model: what one operation may cost is bounded. */
const mostChunks = 40;
/** Requests of one operation at a time. */
const atOnce = 3;

/** Runs a step on each part of a transcript, a few at a time; results in the order of the parts. */
export const mapCaptions = async <Part>(
  { segments }: Source,
  { chunkTokens }: ModelSession,
  step: (chunk: Chunk, parts: { readonly of: number }) => Promise<Part>,
): Promise<readonly Part[]> => {
  const chunks = chunksOf(numbered(segments), chunkTokens);
  if (chunks.length > mostChunks) {
    throw new ModelFailure('too_long', `the transcript makes ${chunks.length} requests`);
  }
  return await mapAtMost(chunks, atOnce, (chunk) => step(chunk, { of: chunks.length }));
};

/** Runs a step on each item, at most `limit` at the same time; the first failure ends the work. */
export const mapAtMost = async <Item, Result>(
  items: readonly Item[],
  limit: number,
  step: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  const queue = items.entries();
  const run = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await step(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, run));
  return results;
};
