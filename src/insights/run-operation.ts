import {
  needsModel,
  type OperationCall,
  type OperationName,
  type OperationNamed,
  type OperationResult,
  outputLanguageOf,
  shownOf,
} from '../contract/operations.ts';
import type { ModelUse } from '../credits/charge-credits.ts';
import type { Receipt } from '../credits/charge-on-success.ts';
import { priceOf } from '../credits/prices.ts';
import type { Extraction, Video } from '../extraction/captions/caption-track.ts';
import type { Call } from '../kernel/call.ts';
import { isSameLanguage } from '../kernel/languages.ts';
import type { CaptionRequest } from '../transcripts/read-transcript.ts';
import type { TimeRange } from '../transcripts/time-range.ts';
import { ask } from './ask.ts';
import { chapters } from './chapters.ts';
import { clips } from './clips.ts';
import type { Implementation, Steps } from './implementation.ts';
import { quotes } from './quotes.ts';
import { repurpose } from './repurpose.ts';
import type { ProduceOptions, producer } from './run-with-model.ts';
import { type Source, sourceOf } from './source.ts';
import { summarize } from './summarize.ts';
import { translate } from './translate.ts';

/** An operation that was done on captions. */
export type PerformedOperation = OperationResult & {
  /** Of the captions. */
  readonly language: string | null;
  /** What was used of a model; null: the operation needed none. */
  readonly use: ModelUse | null;
};

/** Does an operation on captions of a video, and charges it. `range`: see `readTranscript`. */
export type PerformInsight = (
  call: Call,
  video: CaptionRequest & { readonly range?: TimeRange },
  wanted: OperationCall,
) => Promise<PerformedOperation & Receipt>;

/** A result of an operation of a job, as it is kept. `chargeId` null: it is not charged yet. */
export type JobOperationResult = {
  readonly itemId: string;
  readonly place: number;
  readonly credits: number;
  readonly chargeId: string | null;
  readonly done: PerformedOperation;
};

/** Credits: the most that an operation may cost. */
export const mostOf = (call: OperationCall, hasModel: boolean): number =>
  priceOf(call.operation, { usesModel: hasModel && needsModel(call) });

/** `search` asks its model for embeddings; the others ask for text. */
const implementations: {
  readonly [Name in Exclude<OperationName, 'search'>]: Implementation<OperationNamed<Name>>;
} = { ask, summarize, chapters, quotes, repurpose, clips, translate };

/** What an extract does not give: it is in the language of the captions. The sentence that says that there is no answer is translated. */
const shortfallOf = (
  { language }: Pick<Source, 'language'>,
  call: OperationCall,
  result: object,
): { readonly unavailable?: string } => {
  const wanted = outputLanguageOf(call);
  const isNoAnswer = shownOf({ call, result }).isNegative === true;
  if (wanted === null || isNoAnswer || isSameLanguage(language, wanted)) return {};
  const message = `Nothing is written in ${wanted} without a model: this is an extract of the captions, in their language.`;
  return { unavailable: message };
};

/** What the author of a video made of it, where that is the result of an operation; null: nothing. */
export const authorsResult = (
  video: Video,
  call: OperationCall,
): { readonly done: Omit<PerformedOperation, 'language'>; readonly credits: number } | null => {
  if (call.operation === 'search') return null;
  const steps: Steps<never, object> = implementations[call.operation];
  const result = steps.ofAuthor?.(video) ?? null;
  if (result === null) return null;
  const done = { call, videoId: video.videoId, result, model: null, use: null, isFallback: false };
  return { done, credits: priceOf(call.operation, { isOfAuthor: true }) };
};

/** Runs one operation on captions that were read, with what it costs. */
export const runOperation = async (
  { produce, search }: ReturnType<typeof producer>,
  extraction: Extraction,
  call: OperationCall,
  options: ProduceOptions,
): Promise<{ readonly done: PerformedOperation; readonly credits: number }> => {
  const authors = authorsResult(extraction.video, call);
  if (authors !== null) {
    const { done, credits } = authors;
    return { done: { ...done, language: extraction.track.language }, credits };
  }
  const make = async (): Promise<Omit<PerformedOperation, 'call' | 'videoId' | 'language'>> => {
    if (call.operation === 'search') {
      const { result: results, ...found } = await search(extraction, call, options);
      return { ...found, result: { results }, isFallback: false };
    }
    const steps: Steps<never, object> = implementations[call.operation];
    const source = sourceOf(extraction);
    const unchanged = steps.unchanged?.(source, call as never) ?? null;
    if (unchanged !== null) {
      return { result: unchanged, model: null, use: null, isFallback: false };
    }
    const made = await produce(steps, extraction, call as never, options);
    const isFallback = made.model === null;
    return { ...made, isFallback, ...(isFallback ? shortfallOf(source, call, made.result) : {}) };
  };
  const made = await make();
  const about = { videoId: extraction.video.videoId, language: extraction.track.language };
  const credits = priceOf(call.operation, { usesModel: made.model !== null });
  return { done: { call, ...about, ...made }, credits };
};
