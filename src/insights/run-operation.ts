import type { ModelUse } from '../credits/charge-credits.ts';
import { priceOf } from '../credits/prices.ts';
import type { Extraction } from '../extraction/types.ts';
import { type Answer, type AskParams, ask } from './ask.ts';
import { type Chapters, type ChaptersParams, chapters } from './chapters.ts';
import { type Clips, clips } from './clips.ts';
import type { Insight, InsightOperation } from './insight.ts';
import type { ProduceOptions, producer } from './produce.ts';
import { type NoParams, type Quotes, quotes } from './quotes.ts';
import { type Repurposed, type RepurposeParams, repurpose } from './repurpose.ts';
import type { Hit, SearchParams } from './search.ts';
import { sourceOf } from './source.ts';
import { type SummarizeParams, type Summary, summarize } from './summarize.ts';
import {
  needsTranslation,
  originalOf,
  type TranslateParams,
  type Translation,
  translate,
} from './translate.ts';

/** What each operation takes, and what it gives. */
type Operations = {
  readonly ask: [AskParams, Answer];
  readonly summarize: [SummarizeParams, Summary];
  readonly chapters: [ChaptersParams, Chapters];
  readonly search: [SearchParams, readonly Hit[]];
  readonly quotes: [NoParams, Quotes];
  readonly repurpose: [RepurposeParams, Repurposed];
  readonly clips: [NoParams, Clips];
  readonly translate: [TranslateParams, Translation];
};

/** One operation with its parameters, as a job names it. */
export type OperationWanted<Name extends InsightOperation = InsightOperation> = {
  [Each in Name]: { readonly operation: Each; readonly params: Operations[Each][0] };
}[Name];

/** An operation with what it made. */
export type OperationDone<Name extends InsightOperation = InsightOperation> = {
  [Each in Name]: OperationWanted<Each> & {
    readonly result: Operations[Each][1];
    readonly videoId: string;
    /** Of the captions. */
    readonly language: string | null;
    /** Null: no model made it. */
    readonly model: string | null;
    /** Whether the extractive result was given in place of a model's. */
    readonly isFallback: boolean;
    /** What was used of a model; null: the operation needs none. */
    readonly use: ModelUse | null;
  };
}[Name];

/** A result of an operation of a job, as it is kept. `chargeId` null: it is not charged yet. */
export type OperationResult = {
  readonly itemId: string;
  readonly place: number;
  readonly credits: number;
  readonly chargeId: string | null;
  readonly done: OperationDone;
};

/** Credits: the most that an operation may cost. */
export const mostOf = ({ operation, params }: OperationWanted, hasModel: boolean): number => {
  const isOriginal = operation === 'translate' && params.mode === 'original';
  return priceOf(operation, { usesModel: hasModel && !isOriginal });
};

const insights: {
  readonly [Name in Exclude<InsightOperation, 'search'>]: Insight<
    Operations[Name][0],
    Operations[Name][1]
  >;
} = { ask, summarize, chapters, quotes, repurpose, clips, translate };

/** Runs one operation on captions that were read, with what it costs. */
export const runOperation = async (
  { produce, search }: ReturnType<typeof producer>,
  extraction: Extraction,
  wanted: OperationWanted,
  options: ProduceOptions,
): Promise<{ readonly done: OperationDone; readonly credits: number }> => {
  const make = async () => {
    if (wanted.operation === 'search') {
      const found = await search(extraction, wanted.params, options);
      return { ...found, isFallback: false, use: found.model === null ? null : found.use };
    }
    const source = sourceOf(extraction);
    if (wanted.operation === 'translate' && !needsTranslation(source, wanted.params)) {
      const result = originalOf(source, wanted.params);
      return { result, model: null, use: null, isFallback: false };
    }
    const insight: Insight<never, unknown> = insights[wanted.operation];
    const made = await produce(insight, extraction, wanted.params as never, options);
    return { ...made, isFallback: made.model === null };
  };
  const made = await make();
  const about = { videoId: extraction.video.videoId, language: extraction.track.language };
  const credits = priceOf(wanted.operation, { usesModel: made.model !== null });
  return { done: { ...wanted, ...about, ...made } as OperationDone, credits };
};
