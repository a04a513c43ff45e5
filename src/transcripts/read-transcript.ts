import type { AdmitWork, Begun } from '../credits/admit-work.ts';
import type { Charge, Delivery } from '../credits/charge-credits.ts';
import { type ChargingLedger, chargeOnSuccess, type Receipt } from '../credits/charge-on-success.ts';
import { type PriceFacts, priceOf, recognitionPrice, type UsageKind } from '../credits/prices.ts';
import type { Engine, Extraction, TrackListing, WantedTranscript } from '../extraction/captions/caption-track.ts';
import { languagesOf } from '../extraction/tracks.ts';
import { requireVideoId } from '../extraction/video-id.ts';
import type { Call } from '../kernel/call.ts';
import { Refusal } from '../kernel/refusal.ts';
import { deliveryOf } from './delivery.ts';
import { type CaptionKeeper, preparingToKeep } from './keep-captions.ts';
import { notePaid, type PaidCaptionsStore } from './paid-captions.ts';
import { addBesides, type Besides } from './read-video.ts';
import { type Shape, type ShapedTranscript, shapeTranscript } from './shape-transcript.ts';
import { requireCaptionsIn, type TimeRange } from './time-range.ts';
import type { WordCounter } from './tokens.ts';

export type RecognizingDeps = {
  readonly engine: Pick<Engine, 'extract' | 'listTracks' | 'readVideo'>;
  readonly ledger: ChargingLedger;
  readonly paid: Pick<PaidCaptionsStore, 'note'>;
  readonly keeper: CaptionKeeper;
  /** The recognition of speech has to be admitted. */
  readonly admit: AdmitWork;
};

/** Whose transcripts can have more in them. */
export type BesidesDeps = RecognizingDeps & { readonly tokens: WordCounter };

/** Which captions, and what of them. */
export type CaptionOptions = Pick<WantedTranscript, 'language' | 'captions' | 'mayTranslate' | 'words'> & {
  /**
   * `auto`: the speech of a video without captions is recognized, `force`: of any video, at its own price. Absent or `off`:
   * of none.
   */
  readonly asr?: 'off' | 'auto' | 'force';
  /** Whether it is kept in the library; absent: as the account has chosen. */
  readonly keep?: boolean;
};

/** Which captions of which video. */
export type CaptionRequest = CaptionOptions & { readonly reference: string };

/** So long a caller waits for speech to be recognized; a job has more time. */
export const recognitionTimeoutMs = 25_000;

/** Whether a request may have speech recognized, and pay for it. */
export const mayRecognize = ({ asr = 'off' }: Pick<CaptionOptions, 'asr'>): boolean => asr !== 'off';

/** What the engine is asked for. */
export const wantedOf = (
  videoId: string,
  { language, captions = 'any', mayTranslate = false, asr = 'off', words = false }: CaptionOptions,
  timeoutMs = recognitionTimeoutMs,
): WantedTranscript => ({
  ...{ videoId, language, captions, mayTranslate, words },
  ...(asr === 'off' ? {} : { recognitionTimeoutMs: timeoutMs }),
  ...(asr === 'force' ? { isRecognitionForced: true } : {}),
});

export const isRecognized = ({ track }: Extraction): boolean => track.kind === 'recognized';

/**
 * Reads one transcript and charges it when it succeeds; `available`: the languages of all captions of the video.
 * Refusals: INVALID_VIDEO_ID, INSUFFICIENT_CREDITS, those of the engine.
 */
export const readTranscript =
  (deps: BesidesDeps) =>
  (
    call: Call,
    /** `range`: the part that is shown; without a caption in it, the request is refused and costs nothing. */
    input: Shape & CaptionRequest & Besides & { readonly range?: TimeRange },
  ): Promise<ShapedTranscript & Receipt & { readonly isCacheHit: boolean; readonly available: readonly string[] }> =>
    readCharged(deps, call, 'transcript', input, async (extraction) => {
      const shaped = await addBesides(deps)(shapeTranscript(extraction, input), extraction, input, call.signal);
      if (input.range !== undefined) requireCaptionsIn(input.range, shaped.transcript);
      return { ...shaped, isCacheHit: extraction.isCacheHit, available: languagesOf(extraction.tracks) };
    });

/** Reads the captions as the engine sees them: every track, raw timing, where they came from. Charged as a transcript. */
export const readRaw =
  (deps: RecognizingDeps) =>
  (
    call: Call,
    input: Omit<CaptionRequest, 'asr' | 'mayTranslate'>,
  ): Promise<Receipt & { readonly extraction: Extraction }> =>
    readCharged(deps, call, 'raw', input, async (extraction) => ({ extraction }));

/** Which languages a video has captions in: free of charge, counted by usage. */
export const listLanguages =
  ({ engine, ledger }: Pick<RecognizingDeps, 'engine' | 'ledger'>) =>
  async (call: Call, input: { readonly reference: string }) => {
    const videoId = requireVideoId(input.reference);
    // A video that is live, still to come or being processed is there without captions: that is an answer too.
    const orNone = (error: unknown): Pick<TrackListing, 'tracks' | 'defaultTrackId'> => {
      if (error instanceof Refusal && error.code === 'TRANSCRIPT_NOT_AVAILABLE') {
        return { tracks: [], defaultTrackId: null };
      }
      throw error;
    };
    const listed = await chargeOnSuccess(ledger)(call, {
      operation: 'languages',
      quote: [],
      run: async () => ({ made: await engine.listTracks(videoId, { signal: call.signal }).catch(orNone), charges: [] }),
    });
    const { tracks, defaultTrackId } = listed.made;
    return {
      videoId,
      available: languagesOf(tracks),
      tracks,
      defaultLanguage: tracks.find(({ id }) => id === defaultTrackId)?.language ?? null,
      hasCaptions: tracks.length > 0,
      creditsCharged: listed.creditsCharged,
      eventId: listed.eventId,
    };
  };

/** Reads the captions of one video, and charges what `make` makes of them: captions that cannot be shown cost nothing. */
export const readCharged = async <Result extends object>(
  { engine, ledger, admit, paid, keeper }: RecognizingDeps,
  call: Call,
  operation: Extract<UsageKind, 'transcript' | 'raw'>,
  {
    reference,
    isAdmitted = false,
    ...options
  }: CaptionRequest &
    Partial<Shape> & {
      /** What its receipt says besides. */
      readonly choices?: NonNullable<Delivery['options']>;
      /** `make` has to be admitted. */
      readonly isAdmitted?: boolean;
    },
  make: (extraction: Extraction, begun: Begun) => Promise<Result>,
): Promise<Result & Receipt> => {
  const chargeOf = (videoId: string, pricedBy: PriceFacts): Charge => {
    const amount = priceOf(operation, pricedBy);
    return { what: videoId, operation, amount, requests: 1, videoId, pricedBy };
  };
  const read = async (begun: Begun) => {
    const videoId = requireVideoId(reference);
    const isKept = await keeper.wants(call, options.keep, videoId);
    const { made, creditsCharged, eventId } = await chargeOnSuccess(ledger)(call, {
      operation,
      quote: [chargeOf(videoId, { isRecognized: mayRecognize(options) })],
      run: async () => {
        const onRecognizing = () => begun(reference, recognitionPrice);
        const extraction = await engine.extract(wantedOf(videoId, options), { signal: call.signal, onRecognizing });
        const result = await make(extraction, begun);
        const delivery = deliveryOf(extraction, options);
        const charge = { ...chargeOf(videoId, { isRecognized: isRecognized(extraction) }), delivery };
        const prepared = preparingToKeep(keeper, isKept, [{ extraction, charge }]);
        return { made: { extraction, result }, charges: [charge], ...prepared };
      },
    });
    notePaid(paid, call, made.extraction);
    if (isKept) await keeper.keep(call, made.extraction);
    return { ...made.result, creditsCharged, eventId };
  };
  return await (isAdmitted || mayRecognize(options) ? admit(call, read) : read(() => {}));
};
