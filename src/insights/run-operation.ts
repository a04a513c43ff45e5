import type { ModelUse } from '../credits/charge-credits.ts';
import { priceOf } from '../credits/prices.ts';
import type { Extraction } from '../extraction/types.ts';
import { type Answer, type AskParams, ask } from './ask.ts';
import { type Chapters, type ChaptersParams, chapters } from './chapters.ts';
import { type Clips, clips } from './clips.ts';
import type { Insight, InsightOperation } from './insight.ts';
import type { Produced, ProduceOptions, producer } from './produce.ts';
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

type Wanted<Operation extends InsightOperation, Params> = {
  readonly operation: Operation;
  readonly params: Params;
};

/** One operation with its parameters, as a job names it. */
export type OperationWanted =
  | Wanted<'ask', AskParams>
  | Wanted<'summarize', SummarizeParams>
  | Wanted<'chapters', ChaptersParams>
  | Wanted<'search', SearchParams>
  | Wanted<'quotes', NoParams>
  | Wanted<'repurpose', RepurposeParams>
  | Wanted<'clips', NoParams>
  | Wanted<'translate', TranslateParams>;

type Done<Operation extends InsightOperation, Params, Result> = Wanted<Operation, Params> & {
  readonly result: Result;
  readonly videoId: string;
  /** Of the captions. */
  readonly language: string | null;
  readonly model: string | null;
  readonly isFallback: boolean;
  /** What was used of a model; null: the operation needs none. */
  readonly use: ModelUse | null;
};

/** An operation with what it made. */
export type OperationDone =
  | Done<'ask', AskParams, Answer>
  | Done<'summarize', SummarizeParams, Summary>
  | Done<'chapters', ChaptersParams, Chapters>
  | Done<'search', SearchParams, readonly Hit[]>
  | Done<'quotes', NoParams, Quotes>
  | Done<'repurpose', RepurposeParams, Repurposed>
  | Done<'clips', NoParams, Clips>
  | Done<'translate', TranslateParams, Translation>;

/** A result of an operation of a job, as it is kept. `chargeId` null: it is not charged yet. */
export type OperationResult = {
  readonly itemId: string;
  readonly place: number;
  readonly credits: number;
  readonly chargeId: string | null;
  readonly done: OperationDone;
};

/** What an operation of a job may cost. */
export const mostOf = ({ operation, params }: OperationWanted, hasModel: boolean): number => {
  const isOriginal = operation === 'translate' && params.mode === 'original';
  return priceOf(operation, { usesModel: hasModel && !isOriginal });
};

/** Runs one operation on captions that were read, with what it costs. */
export const runOperation = async (
  { produce, search }: ReturnType<typeof producer>,
  extraction: Extraction,
  wanted: OperationWanted,
  options: ProduceOptions,
): Promise<{ readonly done: OperationDone; readonly credits: number }> => {
  const about = { videoId: extraction.video.videoId, language: extraction.track.language };
  const by = async <Params, Result>(insight: Insight<Params, Result>, params: Params) => {
    const made: Produced<Result> = await produce(insight, extraction, params, options);
    const { result, model, use } = made;
    return { ...about, result, model, use, isFallback: model === null };
  };
  const doneBy = async (): Promise<OperationDone> => {
    switch (wanted.operation) {
      case 'ask':
        return { ...wanted, ...(await by(ask, wanted.params)) };
      case 'summarize':
        return { ...wanted, ...(await by(summarize, wanted.params)) };
      case 'chapters':
        return { ...wanted, ...(await by(chapters, wanted.params)) };
      case 'quotes':
        return { ...wanted, ...(await by(quotes, wanted.params)) };
      case 'repurpose':
        return { ...wanted, ...(await by(repurpose, wanted.params)) };
      case 'clips':
        return { ...wanted, ...(await by(clips, wanted.params)) };
      case 'search': {
        const found = await search(extraction, wanted.params, options);
        const { result, model } = found;
        const use = model === null ? null : found.use;
        return { ...wanted, ...about, result, model, use, isFallback: false };
      }
      case 'translate': {
        const source = sourceOf(extraction);
        if (needsTranslation(source, wanted.params)) {
          return { ...wanted, ...(await by(translate, wanted.params)) };
        }
        const result = originalOf(source, wanted.params);
        return { ...wanted, ...about, result, model: null, use: null, isFallback: false };
      }
    }
  };
  const done = await doneBy();
  return { done, credits: priceOf(done.operation, { usesModel: done.model !== null }) };
};
