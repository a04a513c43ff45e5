import type { Hit, SearchInput } from '../contract/operations/search.ts';
import type { ModelUse } from '../credits/charge-credits.ts';
import type { Extraction } from '../extraction/captions/caption-track.ts';
import { singleFlight } from '../extraction/single-flight.ts';
import { elapsedMs, timeLimit } from '../kernel/clock.ts';
import type { Semaphore } from '../kernel/semaphore.ts';
import { askingOf, type ModelSession } from './ask-model.ts';
import { promptVersion } from './captions-prompt.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { type Extractor, extractFor } from './extractive/extract-thread-pool.ts';
import { type Embeddings, extract as searchExtract } from './extractive/search.ts';
import { extract as windowsExtract } from './extractive/windows.ts';
import { guardedModel } from './guarded-model.ts';
import type { Steps } from './implementation.ts';
import { type Model, ModelFailure, type Tokens } from './model.ts';
import { fromKept, hashOf, type KeptVectors, toKept } from './model-cache.ts';
import { plainLine } from './model-text.ts';
import { type Excerpt, sourceOf } from './source.ts';

/** The AI provider that is configured, and how much it is used. */
export type Provider = {
  readonly model: Model;
  readonly breaker: CircuitBreaker;
  readonly limit: Semaphore;
  /** Captions of at most so many tokens go into one request. */
  readonly chunkTokens: number;
  /** An operation waits so long for the model, counted from its own start. */
  readonly deadlineMs: number;
};

/** Results of models by the hash of all that they depend on. It throws when its store does not answer. */
export type ResultCache = {
  readonly read: (key: string) => Promise<unknown>;
  readonly save: (key: string, value: unknown) => Promise<void>;
};

export type ProduceDeps = {
  /** Null: none is configured. */
  readonly provider: Provider | null;
  readonly cache: ResultCache;
  /** Told why a model was not used, without prompts, keys or answers; and of faults of ours. */
  readonly onFailure: (failure: { readonly operation: string; readonly error: unknown }) => void;
};

/** For whom, until when. */
export type ProduceOptions = {
  /** Whose share of the model and of the thread it takes. */
  readonly caller: string;
  /** Work of jobs: in the thread, all of it together takes turns with the callers that wait for an answer. */
  readonly isBackground?: boolean;
  readonly signal: AbortSignal;
  /** Monotonic; the deadline counts from here. */
  readonly startedMs: number;
  /** Told that the work begins: it is extracted in its turn, or the model is asked. May be told several times. */
  readonly onBegun?: (by: WorkKind) => void;
};

export type WorkKind = 'extract' | 'model';

/** The caller of all work of jobs in the thread. */
const background = 'jobs';

const extractorOf = ({ caller, isBackground, signal, onBegun }: ProduceOptions): Extractor =>
  extractFor({ caller: isBackground === true ? background : caller, signal, onBegun: () => onBegun?.('extract') });

export type ModelResult<Result> = {
  readonly result: Result;
  /** Null: no model made it. */
  readonly model: string | null;
  /** What was used of a model; null: nothing. */
  readonly use: ModelUse | null;
};

/** What a flight of several callers comes to. */
type FlightResult = Tokens & { readonly value: unknown };

/** Runs the work of a model: once for equal work at the same time, from the cache where it was done before. */
const modelWork = (cache: ResultCache) => {
  const flights = singleFlight<FlightResult>();
  return (
    provider: Provider,
    key: string,
    options: ProduceOptions,
    make: (asking: ModelSession) => Promise<unknown>,
  ): Promise<FlightResult> => {
    const work = async (shared: AbortSignal, begun: () => void): Promise<FlightResult> => {
      const kept = await cache.read(key).catch(() => null);
      if (kept !== null) return { value: kept, inputTokens: 0, outputTokens: 0 };
      const { chunkTokens, deadlineMs } = provider;
      const leftMs = deadlineMs - (elapsedMs() - options.startedMs);
      const tookTooLong = () => new ModelFailure('timeout', 'the model took too long', { isOutage: true });
      using deadline = timeLimit(leftMs, tookTooLong);
      const signal = AbortSignal.any([shared, deadline.signal]);
      const asking = askingOf(guardedModel(provider, options.caller, begun), {
        signal,
        chunkTokens,
        extract: extractorOf({ ...options, signal }),
      });
      const value = await make(asking);
      await cache.save(key, value).catch(() => {});
      return { value, ...asking.used() };
    };
    return flights(key, options.signal, work, () => options.onBegun?.('model'));
  };
};

type ModelWork = ReturnType<typeof modelWork>;

/** Some thirty hours of speech; a longer transcript is searched by words alone. */
const mostWindows = 4_000;
/** Texts in one request for embeddings. */
const textsAtOnce = 128;

/** The vectors of a query and of the windows of a transcript; those of the windows are kept. */
const embeddingsFor = async (
  byModel: ModelWork,
  provider: Provider,
  { contentSha256 }: Extraction,
  { windows, query }: { readonly windows: readonly Excerpt[]; readonly query: string },
  options: ProduceOptions,
): Promise<{ readonly embeddings: Embeddings; readonly inputTokens: number }> => {
  const vectorsOf = (name: string, what: string, textsOf: () => readonly string[]) =>
    byModel(provider, hashOf(['embeddings', provider.model.embeddingName, name, what]), options, async ({ embed }) => {
      if (embed === null) return null;
      const texts = textsOf();
      const vectors: (readonly number[])[] = [];
      for (let from = 0; from < texts.length; from += textsAtOnce) {
        vectors.push(...(await embed(texts.slice(from, from + textsAtOnce))));
      }
      return toKept(vectors);
    });
  const embedded = await vectorsOf('windows', contentSha256, () => windows.map(({ text }) => plainLine(text)));
  const asked = await vectorsOf('query', query, () => [query]);
  const [vector] = fromKept(asked.value as KeptVectors);
  const rest = fromKept(embedded.value as KeptVectors);
  if (vector === undefined || rest.some(({ length }) => length !== vector.length)) {
    throw new ModelFailure('invalid_answer', 'the embeddings have different widths');
  }
  return { embeddings: { query: vector, windows: rest }, inputTokens: embedded.inputTokens + asked.inputTokens };
};

/**
 * Makes results of transcripts: by the model where one is configured, else extractive. Whatever is wrong with the
 * provider or its answer, the extractive result is given instead.
 */
export const producer = ({ provider, cache, onFailure }: ProduceDeps) => {
  const byModel = modelWork(cache);

  /** Null: the model gave nothing that can be used. */
  const attempt = async <Result>(
    operation: string,
    { signal }: ProduceOptions,
    work: () => Promise<Result>,
  ): Promise<Result | null> => {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      onFailure({ operation, error });
      return null;
    }
  };

  return {
    produce: async <Input extends { readonly operation: string }, Result>(
      steps: Steps<Input, Result>,
      extraction: Extraction,
      input: Input,
      options: ProduceOptions,
    ): Promise<ModelResult<Result>> => {
      const source = sourceOf(extraction);
      const { operation } = input;
      if (provider !== null) {
        const { name } = provider.model;
        const { contentSha256, video } = extraction;
        const parts = [video.videoId, contentSha256, operation, promptVersion, name];
        const key = hashOf([...parts, steps.cacheKeyOf(input)]);
        const made = await attempt(operation, options, () =>
          byModel(provider, key, options, (asking) => steps.withModel(source, input, asking)),
        );
        if (made !== null) {
          const { inputTokens, outputTokens } = made;
          const use = { model: name, promptVersion, inputTokens, outputTokens };
          return { result: made.value as Result, model: name, use };
        }
      }
      const result = await steps.withoutModel(source, input, extractorOf(options));
      return { result, model: null, use: { model: null, promptVersion, inputTokens: 0, outputTokens: 0 } };
    },

    /** The passages that fit a query best; embeddings add what means the same in other words. */
    search: async (
      extraction: Extraction,
      input: SearchInput,
      options: ProduceOptions,
    ): Promise<ModelResult<readonly Hit[]>> => {
      const source = sourceOf(extraction);
      const query = plainLine(input.query);
      const extract = extractorOf(options);
      const model = provider?.model.embeddingName ?? null;
      const windows = model === null ? [] : await extract(windowsExtract, source);
      const isEmbedded = model !== null && windows.length <= mostWindows;
      const found =
        provider !== null && isEmbedded
          ? await attempt('search', options, () =>
              embeddingsFor(byModel, provider, extraction, { windows, query }, options),
            )
          : null;
      const embeddings = found?.embeddings ?? null;
      const result = await extract(searchExtract, source, { query, limit: input.limit, embeddings });
      if (found === null) return { result, model: null, use: null };
      return { result, model, use: { model, promptVersion, inputTokens: found.inputTokens, outputTokens: 0 } };
    },
  };
};
