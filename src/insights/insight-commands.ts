import { needsModel, type OperationCall, operationNamed, outputLanguageOf } from '../contract/operations.ts';
import type { AdmitWork } from '../credits/admit-work.ts';
import type { Charge } from '../credits/charge-credits.ts';
import { type ChargingLedger, chargeOnSuccess, type Receipt } from '../credits/charge-on-success.ts';
import type { Ledger } from '../credits/ledger/ledger-service.ts';
import { priceOf, recognitionPrice } from '../credits/prices.ts';
import type { Engine, Extraction } from '../extraction/captions/caption-track.ts';
import { chooseTrack } from '../extraction/tracks.ts';
import { requireVideoId } from '../extraction/video-id.ts';
import { type Call, callerOf } from '../kernel/call.ts';
import { elapsedMs } from '../kernel/clock.ts';
import { answerLost, Refusal } from '../kernel/refusal.ts';
import { deliveryOf, resultDelivery } from '../transcripts/delivery.ts';
import { type CaptionKeeper, preparingToKeep } from '../transcripts/keep-captions.ts';
import { type CaptionRequest, isRecognized, mayRecognize, wantedOf } from '../transcripts/read-transcript.ts';
import type { ChargedPart } from '../transcripts/show-transcript.ts';
import { requireCaptionsIn } from '../transcripts/time-range.ts';
import { authorsResult, mostOf, type PerformedOperation, type PerformInsight, runOperation } from './run-operation.ts';
import { type ProduceDeps, producer, type WorkKind } from './run-with-model.ts';

export type InsightCommands = {
  /** Does one operation on a transcript. Refusals: INVALID_VIDEO_ID, INSUFFICIENT_CREDITS, those of the engine. */
  readonly performInsight: PerformInsight;
  /** An operation on captions as a part of what is charged as a whole. */
  readonly prepareInsight: (
    call: Call,
    videoId: string,
    wanted: OperationCall,
    /** Which captions; absent: those of the language that was asked for. */
    asked?: CaptionRequest,
  ) => Promise<ChargedPart<PerformedOperation>>;
  /** What an operation would cost now; nothing is done. Refuses what is no video. */
  readonly quoteInsight: (input: QuoteInput) => Promise<InsightQuote>;
};

export type QuoteInput = {
  readonly operation: OperationCall['operation'];
  readonly reference: string;
  readonly language?: string | null;
  /** Absent: what it takes is not known yet. */
  readonly call?: OperationCall;
} & Pick<CaptionRequest, 'captions' | 'asr'>;

/** Credits: at most, and if the extractive result is given. `unavailable`: what would not be done now, for want of a model. */
export type InsightQuote = {
  readonly videoId: string;
  readonly credits: number;
  readonly creditsIfFallback: number;
  /** When it costs less; null: never. */
  readonly note: string | null;
  readonly unavailable: string | null;
};

/** What the service can do now, for its status. */
export type AiStatus = ReturnType<typeof aiStatusOf>;

/** The state of the AI provider in this process, for callers and metrics. */
export const aiStatusOf = ({ provider }: Pick<ProduceDeps, 'provider'>, recognizesSpeech: boolean) => ({
  /** The speech of videos without captions can be recognized. */
  recognizesSpeech,
  isEnabled: provider !== null,
  model: provider?.model.name ?? null,
  embeddingModel: provider?.model.embeddingName ?? null,
  /** Open: the provider failed, and extractive results are given for a while. Null: there is no provider. */
  circuit: provider?.breaker.state() ?? null,
});

export type InsightDeps = ProduceDeps & {
  readonly engine: Pick<Engine, 'extract' | 'knownVideo' | 'readVideo'>;
  readonly ledger: ChargingLedger & Pick<Ledger, 'chargeOf'>;
  readonly admit: AdmitWork;
  readonly keeper: CaptionKeeper;
};

/**
 * Reads the captions, makes the result and charges what was delivered: the balance must cover the price of the model's
 * result before the work starts, and an extractive one costs 1. An operation that comes again under its key is answered
 * with what its charge paid for: an extract or the result of a model.
 */
export const insightCommands = (deps: InsightDeps): InsightCommands => {
  const { engine, ledger, admit, keeper, provider } = deps;
  const byModel = producer(deps);
  const byExtract = producer({ ...deps, provider: null });
  const prepareInsight: InsightCommands['prepareInsight'] = async (call, videoId, wanted, asked) => {
    const startedMs = elapsedMs();
    const { operation } = wanted;
    const charge = { what: videoId, operation, requests: 1, videoId };
    const paid = await ledger.chargeOf(call, charge);
    const producing = paid?.model === null ? byExtract : byModel;
    const caller = callerOf(call);
    return {
      quote: [{ ...charge, amount: mostOf(wanted, provider !== null) }],
      run: async (extraction, begun) => {
        const onBegun = (by: WorkKind) => begun(videoId, priceOf(operation, { usesModel: by === 'model' }));
        const options = { caller, signal: call.signal, startedMs, onBegun };
        const { done, credits } = await runOperation(producing, extraction, wanted, options);
        // What was free before stays free; a charge of an earlier attempt for a result of a model is refunded.
        if (credits === 0) return { made: done, charges: [] };
        if (paid !== null && paid.amount > credits) throw modelAway();
        const modelUse = done.use === null ? {} : { modelUse: done.use };
        const pricedBy = { usesModel: done.model !== null };
        const delivery = resultDelivery(wanted, done.result, asked ?? { language: extraction.requestedLanguage });
        return { made: done, charges: [{ ...charge, amount: credits, pricedBy, delivery, ...modelUse }] };
      },
    };
  };
  const performCharged: PerformInsight = async (call, { range, ...of }, wanted) => {
    const videoId = requireVideoId(of.reference);
    const isKept = await keeper.wants(call, of.keep, videoId);
    // An operation has the captions in its price, and speech besides it.
    const speech: Charge = {
      ...{ what: videoId, operation: 'transcript', amount: recognitionPrice, requests: 0, videoId },
      pricedBy: { isRecognized: true },
    };
    const { quote, run } = await prepareInsight(call, videoId, wanted, of);
    let read: Extraction | null = null;
    const { made, creditsCharged, eventId } = await admit(call, (begun) =>
      chargeOnSuccess(ledger)(call, {
        operation: wanted.operation,
        quote: mayRecognize(of) ? [...quote, speech] : quote,
        run: async () => {
          const onRecognizing = () => begun('speech', recognitionPrice);
          const extraction = await engine.extract(wantedOf(videoId, of), { signal: call.signal, onRecognizing });
          read = extraction;
          if (range !== undefined) {
            const { video, segments: cues } = extraction;
            requireCaptionsIn(range, { durationS: video.durationS, cues });
          }
          const { made, charges } = await run(extraction, begun);
          // What is free needed no speech.
          const isSpeechDue = isRecognized(extraction) && charges.length > 0;
          const delivery = deliveryOf(extraction, of);
          const due = isSpeechDue ? [...charges, { ...speech, delivery }] : charges;
          const kept = due.slice(0, 1).map((charge) => ({ extraction, charge }));
          return { made, charges: due, ...preparingToKeep(keeper, isKept, kept) };
        },
      }),
    );
    if (isKept && read !== null) await keeper.keep(call, read);
    return { ...made, creditsCharged, eventId };
  };
  return {
    // What is known already needs no captions, unless they are to be kept.
    performInsight: (call, video, wanted) =>
      (video.keep === true ? performCharged : orOfAuthor(deps, performCharged))(call, video, wanted),
    prepareInsight,
    quoteInsight: async ({ operation, reference, language = null, captions = 'any', asr = 'off', call }) => {
      const videoId = requireVideoId(reference);
      const authors = await knownOfAuthor(engine, videoId, { operation } as OperationCall, { language, captions });
      if (authors !== null) return { videoId, credits: 0, creditsIfFallback: 0, note: null, unavailable: null };
      const hasModel = provider !== null && provider.breaker.state() !== 'open';
      const usesModel = provider !== null && (call === undefined || needsModel(call));
      return {
        videoId,
        note: operationNamed(operation).credits.author === undefined ? null : mayBeFree,
        credits: priceOf(operation, { usesModel }) + (asr === 'off' ? 0 : recognitionPrice),
        creditsIfFallback: priceOf(operation, { usesModel: false }) + (asr === 'force' ? recognitionPrice : 0),
        unavailable: hasModel || call === undefined ? null : shortfallOf(call),
      };
    },
  };
};

const mayBeFree = 'Free of charge if the author of the video made it, which is known once the video has been read.';

/** What an operation does not do without a model. */
const shortfallOf = (call: OperationCall): string | null => {
  const { substitute } = operationNamed(call.operation);
  if (substitute !== undefined && needsModel(call)) return `No model is available now: ${substitute}.`;
  const language = outputLanguageOf(call);
  if (language === null) return null;
  return `No model is available now: the result would be an extract in the language of the captions, not in ${language}.`;
};

const modelAway = (): Refusal => {
  const message = 'The result of the model was charged and cannot be reproduced now. Send the request again.';
  return new Refusal('SERVICE_UNAVAILABLE', message, answerLost, 30);
};

/** Whether the author of a video may have made the result, which is free then. */
const mayBeAuthors = ({ operation }: OperationCall): boolean => operationNamed(operation).credits.author === 0;

/** What the author made of a video that was read before, with nothing read now; null: nothing that is known. */
const knownOfAuthor = async (
  { knownVideo }: Pick<Engine, 'knownVideo'>,
  videoId: string,
  call: OperationCall,
  { language, captions }: Pick<CaptionRequest, 'language' | 'captions'>,
): Promise<PerformedOperation | null> => {
  if (!mayBeAuthors(call)) return null;
  const known = await knownVideo(videoId);
  // A language that the video lacks is refused by the reading, as everywhere.
  const choice = known === null ? null : chooseTrack(known, language, captions);
  const made = known === null || choice === null ? null : authorsResult(known.video, call);
  return made === null || choice === null ? null : { ...made.done, language: choice.track.language };
};

/**
 * Performs an operation, unless the author of the video made its result. That is free whatever the balance is: where the
 * balance does not cover the operation, the video is read first, which costs nothing.
 */
const orOfAuthor =
  ({ engine, ledger }: Pick<InsightDeps, 'engine' | 'ledger'>, perform: PerformInsight): PerformInsight =>
  async (call, video, wanted) => {
    const videoId = requireVideoId(video.reference);
    const giveKnown = async () => {
      const known = await knownOfAuthor(engine, videoId, wanted, video);
      return known === null ? null : await giveFree(ledger, call, known);
    };
    const given = await giveKnown();
    if (given !== null) return given;
    try {
      return await perform(call, video, wanted);
    } catch (error) {
      const isShort = error instanceof Refusal && error.code === 'INSUFFICIENT_CREDITS';
      if (!isShort || !mayBeAuthors(wanted)) throw error;
      await engine.readVideo(videoId, { signal: call.signal });
      const read = await giveKnown();
      if (read === null) throw error;
      return read;
    }
  };

/** Recorded as served, without a charge. */
const giveFree = async (
  ledger: ChargingLedger,
  call: Call,
  made: PerformedOperation,
): Promise<PerformedOperation & Receipt> => {
  const free = { operation: made.call.operation, quote: [], run: async () => ({ made, charges: [] }) };
  const { creditsCharged, eventId } = await chargeOnSuccess(ledger)(call, free);
  return { ...made, creditsCharged, eventId };
};
