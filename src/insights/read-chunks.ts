import { LRUCache } from 'lru-cache';
import type { Chunks } from '../contract/chunks.ts';
import { chapters } from '../contract/operations/chapters.ts';
import type { Receipt } from '../credits/charge-on-success.ts';
import { priceOf } from '../credits/prices.ts';
import type { Engine, Extraction } from '../extraction/captions/caption-track.ts';
import { momentLink } from '../extraction/platform-links.ts';
import { type Call, callerOf } from '../kernel/call.ts';
import { captionsSha256 } from '../transcripts/delivery.ts';
import { type BesidesDeps, type CaptionRequest, readCharged } from '../transcripts/read-transcript.ts';
import { timestampOf } from '../transcripts/timestamp.ts';
import type { WordCounter } from '../transcripts/tokens.ts';
import { type ChunkLengths, cutChunks } from './cut-chunks.ts';
import { extract as chaptersExtract } from './extractive/chapters.ts';
import { type ExtractFor, extractFor } from './extractive/extract-thread-pool.ts';
import { sourceOf } from './source.ts';

export type ChunkOptions = ChunkLengths & { readonly by: 'sentences' | 'chapters' };

/** Chunks that were made are kept up to so many characters of their texts. */
const mostKept = 32_000_000;
/** A chunk beside its text. */
const besideText = 400;
const hashDigits = 16;

type ChunkerDeps = { readonly engine: Pick<Engine, 'readVideo'>; readonly tokens: WordCounter };

/** Makes the chunks of captions, and keeps them by the hash of the content: the same ones are the same object. */
export const chunker = ({ engine, tokens }: ChunkerDeps) => {
  const kept = new LRUCache<string, Chunks>({
    maxSize: mostKept,
    sizeCalculation: ({ chunks }) => chunks.reduce((sum, { text }) => sum + text.length + besideText, 1),
  });
  const authorsStarts = async ({ video }: Extraction, signal: AbortSignal): Promise<readonly number[] | null> => {
    const details = video.details ?? (await engine.readVideo(video.videoId, { signal })).video.details;
    return details?.chapters?.map(({ startS }) => startS) ?? null;
  };
  return async (extraction: Extraction, { by, ...lengths }: ChunkOptions, options: ExtractFor): Promise<Chunks> => {
    const contentHash = captionsSha256(extraction);
    const starts = by === 'chapters' ? await authorsStarts(extraction, options.signal) : [];
    const key = [contentHash, lengths.maxTokens, lengths.overlap, by, starts?.join(',')].join(' ');
    const known = kept.get(key);
    if (known !== undefined) return known;
    const extracted =
      starts ?? (await extractFor(options)(chaptersExtract, sourceOf(extraction))).map(({ start }) => start);
    const { track, segments, video } = extraction;
    const cut = await cutChunks(segments, track.language, { ...lengths, chapterStartsS: extracted }, tokens);
    const made: Chunks = {
      video_id: video.videoId,
      language: track.language,
      content_hash: contentHash,
      tokenizer: tokens.tokenizer,
      chunks: cut.map(({ from, to, text, startMs, endMs, tokens: count }) => ({
        id: `${contentHash.slice(0, hashDigits)}-${from}-${to}`,
        start: startMs / 1_000,
        end: endMs / 1_000,
        timestamp: timestampOf(startMs),
        text,
        token_count: count,
        url: momentLink(video.videoId, Math.floor(startMs / 1_000)),
      })),
    };
    kept.set(key, made);
    return made;
  };
};

export type Chunker = ReturnType<typeof chunker>;

/**
 * Reads captions in chunks, charged as a transcript. Refusals: INVALID_VIDEO_ID, INSUFFICIENT_CREDITS, those of the engine.
 */
export const readChunks =
  (deps: BesidesDeps & { readonly chunksOf: Chunker }) =>
  (
    call: Call,
    { maxTokens, overlap, by, ...wanted }: CaptionRequest & ChunkOptions,
  ): Promise<
    Receipt & { readonly chunks: Chunks; readonly source: Extraction['track']['kind']; readonly isCacheHit: boolean }
  > => {
    const choices = { max_tokens: maxTokens, overlap, by };
    const isAdmitted = by === 'chapters';
    return readCharged(deps, call, 'transcript', { ...wanted, choices, isAdmitted }, async (extraction, begun) => {
      // Chapters are extracted where the author wrote none.
      const onBegun = () => begun(extraction.video.videoId, priceOf(chapters.name, { usesModel: false }));
      const options = { caller: callerOf(call), signal: call.signal, onBegun };
      const chunks = await deps.chunksOf(extraction, { maxTokens, overlap, by }, options);
      return { chunks, source: extraction.track.kind, isCacheHit: extraction.isCacheHit };
    });
  };
