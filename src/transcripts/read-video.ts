import type { VideoDetails } from '../contract/video-details.ts';
import { type ChargingLedger, chargeOnSuccess, type Receipt } from '../credits/charge-on-success.ts';
import type { Engine, Extraction } from '../extraction/captions/caption-track.ts';
import { requireVideoId } from '../extraction/video-id.ts';
import type { Call } from '../kernel/call.ts';
import { videoJson } from './formats/video-json.ts';
import type { ShapedTranscript } from './shape-transcript.ts';
import { type WordCounter, wordsOf } from './tokens.ts';

/** What is known of a video: free of charge, counted by usage. Refusals: INVALID_VIDEO_ID, those of the engine. */
export const readVideo =
  ({ engine, ledger }: { readonly engine: Pick<Engine, 'readVideo'>; readonly ledger: ChargingLedger }) =>
  async (call: Call, input: { readonly reference: string }): Promise<Receipt & { readonly video: VideoDetails }> => {
    const videoId = requireVideoId(input.reference);
    const { made, creditsCharged, eventId } = await chargeOnSuccess(ledger)(call, {
      operation: 'video',
      quote: [],
      run: async () => ({ made: await engine.readVideo(videoId, { signal: call.signal }), charges: [] }),
    });
    return { video: videoJson(made), creditsCharged, eventId };
  };

/** The video of captions that were read. The platform is asked only where they were kept without its details. */
const videoOf = async (
  engine: Pick<Engine, 'readVideo'>,
  { video, tracks, track }: Extraction,
  signal: AbortSignal,
): Promise<VideoDetails> => {
  if (video.details === undefined) return videoJson(await engine.readVideo(video.videoId, { signal }));
  // Where speech was recognized, the platform has no captions.
  return videoJson({ video, tracks: track.kind === 'recognized' ? [] : tracks });
};

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
