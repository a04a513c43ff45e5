import type { Operation } from '../credits/prices.ts';
import type { Asking } from './ask-model.ts';
import type { Source } from './source.ts';

/** The operations that are made of a transcript. */
export type InsightOperation = Extract<
  Operation,
  'ask' | 'summarize' | 'chapters' | 'search' | 'quotes' | 'repurpose' | 'clips' | 'translate'
>;

/**
 * One operation on a transcript in its two forms: with a model, whose answer it verifies against the captions, and
 * without one. `withModel` throws `ModelFailure` for an answer that cannot be used.
 */
export type Insight<Params, Result> = {
  readonly operation: InsightOperation;
  readonly withModel: (source: Source, params: Params, asking: Asking) => Promise<Result>;
  readonly withoutModel: (source: Source, params: Params) => Result | Promise<Result>;
  /** What the result depends on besides the captions, the prompts and the model. */
  readonly cacheKeyOf: (params: Params) => unknown;
};
