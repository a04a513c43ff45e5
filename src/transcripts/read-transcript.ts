import type { Charge } from '../credits/charge-credits.ts';
import type { Ledger } from '../credits/keep-ledger.ts';
import { type Operation, prices } from '../credits/prices.ts';
import type { Engine, Extraction, TrackListing } from '../extraction/extraction.ts';
import { languagesOf } from '../extraction/tracks.ts';
import { requireVideoId } from '../extraction/video-id.ts';
import type { Call } from '../kernel/call.ts';
import { Refusal, type RefusalCode } from '../kernel/refusal.ts';
import { type Shape, type Shaped, shapeTranscript } from './shape-transcript.ts';

export type ReadDeps = {
  readonly engine: Pick<Engine, 'extract' | 'listTracks'>;
  readonly ledger: Pick<Ledger, 'hold' | 'charge' | 'giveBack' | 'record'>;
};

/** What a charged answer can prove. */
export type Paid = { readonly creditsCharged: number; readonly eventId: string | null };

/**
 * Reads one transcript and charges it when it is there: the balance is held before the platform is asked, and
 * the charge is durable before this resolves. Refusals: INVALID_VIDEO_ID, INSUFFICIENT_CREDITS, those of the engine.
 */
export const readTranscript =
  ({ engine, ledger }: ReadDeps) =>
  async (
    call: Call,
    input: Shape & { readonly reference: string; readonly language: string | null },
  ): Promise<Shaped & Paid & { readonly isCacheHit: boolean }> => {
    const { made, ...paid } = await paidFor(
      { engine, ledger },
      call,
      'transcript',
      input,
      (read) => ({
        ...shapeTranscript(read, input),
        isCacheHit: read.isCacheHit,
      }),
    );
    return { ...made, ...paid };
  };

/** The same as the engine sees it: every track, raw timing, where it came from. */
export const readRaw =
  ({ engine, ledger }: ReadDeps) =>
  async (
    call: Call,
    input: { readonly reference: string; readonly language: string | null },
  ): Promise<Paid & { readonly extraction: Extraction }> => {
    const { made, ...paid } = await paidFor({ engine, ledger }, call, 'raw', input, (read) => read);
    return { extraction: made, ...paid };
  };

/** Which languages a video has captions in: free of charge, counted by usage. */
export const listLanguages =
  ({ engine, ledger }: ReadDeps) =>
  async (call: Call, input: { readonly reference: string }) => {
    const videoId = requireVideoId(input.reference);
    const { tracks, defaultTrackId } = await tracksOf(engine, videoId, call.signal);
    const { eventId } = await ledger.record(call, { operation: 'languages', code: null });
    return {
      videoId,
      available: languagesOf(tracks),
      defaultLanguage: tracks.find(({ id }) => id === defaultTrackId)?.language ?? null,
      hasCaptions: tracks.length > 0,
      creditsCharged: 0,
      eventId,
    };
  };

/** A video that is live, still to come or being processed is there without captions: that is an answer too. */
const tracksOf = async (
  engine: ReadDeps['engine'],
  videoId: string,
  signal: AbortSignal,
): Promise<Pick<TrackListing, 'tracks' | 'defaultTrackId'>> => {
  try {
    return await engine.listTracks(videoId, { signal });
  } catch (error) {
    const isThere = error instanceof Refusal && error.code === 'TRANSCRIPT_NOT_AVAILABLE';
    if (!isThere) throw error;
    return { tracks: [], defaultTrackId: null };
  }
};

/** Charges what `make` made of the captions: what cannot be shown is not paid for, nor what nobody waits for. */
const paidFor = async <Made>(
  { engine, ledger }: ReadDeps,
  call: Call,
  operation: Extract<Operation, 'transcript' | 'raw'>,
  input: { readonly reference: string; readonly language: string | null },
  make: (extraction: Extraction) => Made,
): Promise<Paid & { readonly made: Made }> => {
  const videoId = requireVideoId(input.reference);
  const amount = prices[operation];
  const charges: readonly Charge[] = [{ what: videoId, operation, amount, requests: 1, videoId }];
  const hold = await ledger.hold(call, charges);
  try {
    const wanted = { videoId, language: input.language };
    const made = make(await engine.extract(wanted, { signal: call.signal }));
    call.signal.throwIfAborted();
    const posted = await ledger.charge(call, charges);
    return { made, creditsCharged: posted.credits, eventId: posted.eventId };
  } catch (error) {
    if (call.isRepeatable && isFinal(error)) await ledger.giveBack(call, charges);
    throw error;
  } finally {
    hold.release();
  }
};

/** Kept as the answer of an Idempotency-Key: no later try finds what an earlier one was charged for. */
export const isFinal = (error: unknown): boolean =>
  error instanceof Refusal && finalCodes.has(error.code);

const finalCodes: ReadonlySet<RefusalCode> = new Set([
  'VIDEO_NOT_FOUND',
  'VIDEO_UNAVAILABLE',
  'TRANSCRIPT_NOT_AVAILABLE',
  'LANGUAGE_NOT_AVAILABLE',
  'PLAYLIST_NOT_FOUND',
  'CHANNEL_NOT_FOUND',
]);
