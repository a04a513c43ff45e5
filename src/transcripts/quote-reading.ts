import { priceOf, type UsageKind } from '../credits/prices.ts';
import { parseVideoId, requireVideoId } from '../extraction/video-id.ts';
import { type CaptionOptions, mayRecognize } from './read-transcript.ts';

/** What an operation would cost now. Credits: at most. */
export type ReadingQuote = {
  readonly operation: UsageKind;
  readonly credits: number;
  /** Distinct videos that it would read; null: none. */
  readonly videos: number | null;
  /** When it costs less; null: never. */
  readonly note: string | null;
};

/** What reading one video would cost; nothing is read. Refuses what is no video. */
export const quoteReading = (
  operation: Extract<UsageKind, 'transcript' | 'raw'>,
  { reference, asr = 'off' }: Pick<CaptionOptions, 'asr'> & { readonly reference: string },
): ReadingQuote => {
  requireVideoId(reference);
  const isRecognized = mayRecognize({ asr });
  const note = asr === 'auto' ? noteOfSpeech : null;
  return { operation, credits: priceOf(operation, { isRecognized }), videos: 1, note };
};

/** What a batch would cost where each distinct video succeeds. */
export const quoteBatch = ({
  references,
  asr = 'off',
}: Pick<CaptionOptions, 'asr'> & { readonly references: readonly string[] }): ReadingQuote => {
  const videos = new Set(references.flatMap((reference) => parseVideoId(reference) ?? [])).size;
  const credits = videos * priceOf('batch', { isRecognized: mayRecognize({ asr }) });
  return { operation: 'batch', credits, videos, note: 'Videos that fail cost nothing.' };
};

const noteOfSpeech = 'If the video has captions, no speech is recognized and it costs 1 credit.';
