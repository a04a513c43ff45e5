import type { AnyOperation, InputOf, ResultOf } from '../contract/operation.ts';
import type { Video } from '../extraction/captions/caption-track.ts';
import type { ModelSession } from './ask-model.ts';
import type { Extractor } from './extractive/extract-thread-pool.ts';
import type { Source } from './source.ts';

/** What does the work of an operation; see `Implementation`. */
export type Steps<Input, Result> = {
  readonly withModel: (source: Source, input: Input, asking: ModelSession) => Promise<Result>;
  readonly withoutModel: (source: Source, input: Input, extract: Extractor) => Result | Promise<Result>;
  /** What the result depends on besides the captions, the prompts and the model. */
  readonly cacheKeyOf: (input: Input) => unknown;
  /** The result where the author of the video made it; null: not so. It has its own price, and no model is asked. */
  readonly ofAuthor?: (video: Video) => Result | null;
  /** The result where this source needs no model for this input; null: it does. */
  readonly unchanged?: (source: Source, input: Input) => Result | null;
};

/**
 * The two forms of an operation of the contract: with a model, whose answer it verifies against the captions, and without
 * one. `withModel` throws `ModelFailure` for an answer that cannot be used.
 */
export type Implementation<Of extends Pick<AnyOperation, 'input' | 'result'>> = Steps<InputOf<Of>, ResultOf<Of>>;
