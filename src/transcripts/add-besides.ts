import type { Engine, Extraction } from '../extraction/captions/caption-track.ts';
import { videoOf } from './read-video.ts';
import type { ShapedTranscript } from './shape-transcript.ts';
import { type WordCounter, wordsOf } from './tokens.ts';

/** What a transcript has besides, where it was asked for. */
export type Besides = { readonly includesVideo?: boolean; readonly countsTokens?: boolean };

/** Adds the video and the number of tokens to a transcript. Without either it stays the same object. */
export const addBesides =
  ({ engine, tokens }: { readonly engine: Pick<Engine, 'readVideo'>; readonly tokens: WordCounter }) =>
  async <Of extends ShapedTranscript>(
    shaped: Of,
    extraction: Extraction,
    { includesVideo = false, countsTokens = false }: Besides,
    signal: AbortSignal,
  ): Promise<Of> => {
    if (!includesVideo && !countsTokens) return shaped;
    const { transcript } = shaped;
    const text = transcript.cues.flatMap((cue) => wordsOf(cue.text));
    return {
      ...shaped,
      transcript: {
        ...transcript,
        ...(includesVideo ? { video: await videoOf(engine, extraction, signal) } : {}),
        ...(countsTokens ? { tokenCount: await tokens.countText(text) } : {}),
      },
    };
  };
