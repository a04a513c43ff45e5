import {
  type ChargingLedger,
  chargeOnSuccess,
  type Receipt,
} from '../credits/charge-on-success.ts';
import { priceOf } from '../credits/prices.ts';
import type { Engine, Extraction } from '../extraction/types.ts';
import { requireVideoId } from '../extraction/video-id.ts';
import type { Call } from '../kernel/call.ts';
import { elapsedMs } from '../kernel/clock.ts';
import { type Answer, type AskParams, ask } from './ask.ts';
import { type Chapters, type ChaptersParams, chapters } from './chapters.ts';
import type { CircuitState } from './circuit-breaker.ts';
import { type Clips, clips } from './clips.ts';
import type { Insight, InsightOperation } from './insight.ts';
import { type ProduceDeps, type Produced, producer } from './produce.ts';
import { type Quotes, quotes } from './quotes.ts';
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

/** A video, and the language of its captions; null: their default. */
export type OfVideo = { readonly reference: string; readonly language: string | null };

/** A result as it was delivered and charged. `model` null: no model made it. */
export type InsightAnswer<Result> = Receipt & {
  readonly videoId: string;
  /** Of the captions. */
  readonly language: string | null;
  readonly result: Result;
  readonly model: string | null;
  /** Whether the extractive result was given in place of a model's. */
  readonly isFallback: boolean;
};

type Command<Params, Result> = (
  call: Call,
  input: OfVideo & Params,
) => Promise<InsightAnswer<Result>>;

/** The operations on a transcript. Refusals: INVALID_VIDEO_ID, INSUFFICIENT_CREDITS, those of the engine. */
export type InsightCommands = {
  readonly ask: Command<AskParams, Answer>;
  readonly summarize: Command<SummarizeParams, Summary>;
  readonly chapters: Command<ChaptersParams, Chapters>;
  readonly search: Command<SearchParams, readonly Hit[]>;
  readonly quotes: Command<Readonly<Record<never, never>>, Quotes>;
  readonly repurpose: Command<RepurposeParams, Repurposed>;
  readonly clips: Command<Readonly<Record<never, never>>, Clips>;
  readonly translate: Command<TranslateParams, Translation>;
  /** What an operation would cost now; nothing is done. Refuses what is no video. */
  readonly quoteInsight: (input: QuoteInput) => InsightQuote;
};

export type QuoteInput = {
  readonly operation: InsightOperation;
  readonly reference: string;
  /** The operation only shows the original captions. */
  readonly isOriginal?: boolean;
};

/** Credits: at most, and if the extractive result is given. */
export type InsightQuote = {
  readonly videoId: string;
  readonly credits: number;
  readonly creditsIfFallback: number;
};

/** What the service can do now, for its status. */
export type AiStatus = {
  /** The speech of videos without captions can be recognized. */
  readonly recognizesSpeech: boolean;
  readonly isEnabled: boolean;
  readonly model: string | null;
  readonly embeddingModel: string | null;
  /** Open: the provider failed, and extractive results are given for a while. Null: there is no provider. */
  readonly circuit: CircuitState | null;
};

export const aiStatusOf = (
  { provider }: Pick<ProduceDeps, 'provider'>,
  recognizesSpeech: boolean,
): AiStatus => ({
  recognizesSpeech,
  isEnabled: provider !== null,
  model: provider?.model.name ?? null,
  embeddingModel: provider?.model.embeddingName ?? null,
  circuit: provider?.breaker.state() ?? null,
});

export type InsightDeps = ProduceDeps & {
  readonly engine: Pick<Engine, 'extract'>;
  readonly ledger: ChargingLedger;
};

/**
 * Reads the captions, makes the result and charges what was delivered: the balance must cover the price of the model's
 * result before the work starts, and an extractive one costs 1.
 */
export const insightCommands = (deps: InsightDeps): InsightCommands => {
  const { engine, ledger, provider } = deps;
  const { produce, search } = producer(deps);

  const charged = async <Result>(
    call: Call,
    { operation, reference, language, mayUseModel }: ChargedInput,
    make: (extraction: Extraction, startedMs: number) => Promise<Made<Result>>,
  ): Promise<InsightAnswer<Result>> => {
    const startedMs = elapsedMs();
    const videoId = requireVideoId(reference);
    const chargeFor = (usesModel: boolean) => ({
      what: videoId,
      operation,
      amount: priceOf(operation, { usesModel }),
      requests: 1,
      videoId,
    });
    const { made, creditsCharged, eventId } = await chargeOnSuccess(ledger)(call, {
      operation,
      quote: [chargeFor(mayUseModel && provider !== null)],
      run: async () => {
        const extraction = await engine.extract({ videoId, language }, { signal: call.signal });
        const answer = await make(extraction, startedMs);
        const { use } = answer;
        const charge = {
          ...chargeFor(answer.model !== null),
          ...(use === null ? {} : { modelUse: use }),
        };
        return { made: { ...answer, language: extraction.track.language }, charges: [charge] };
      },
    });
    const { result, model, isFallback } = made;
    return { videoId, language: made.language, result, model, isFallback, creditsCharged, eventId };
  };

  const command =
    <Params, Result>(insight: Insight<Params, Result>): Command<Params, Result> =>
    (call, input) =>
      charged(
        call,
        { ...of(insight.operation, input), mayUseModel: true },
        async (extraction, startedMs) =>
          byModelOrNot(await produce(insight, extraction, input, optionsOf(call, startedMs))),
      );

  return {
    ask: command(ask),
    summarize: command(summarize),
    chapters: command(chapters),
    quotes: command(quotes),
    repurpose: command(repurpose),
    clips: command(clips),
    search: (call, input) =>
      charged(
        call,
        { ...of('search', input), mayUseModel: true },
        async (extraction, startedMs) => {
          const found = await search(extraction, input, optionsOf(call, startedMs));
          return { ...found, isFallback: false, use: found.model === null ? null : found.use };
        },
      ),
    translate: (call, input) =>
      charged(
        call,
        { ...of('translate', input), mayUseModel: input.mode !== 'original' },
        async (extraction, startedMs) => {
          const source = sourceOf(extraction);
          if (!needsTranslation(source, input)) {
            return { result: originalOf(source, input), model: null, isFallback: false, use: null };
          }
          return byModelOrNot(
            await produce(translate, extraction, input, optionsOf(call, startedMs)),
          );
        },
      ),
    quoteInsight: ({ operation, reference, isOriginal = false }) => ({
      videoId: requireVideoId(reference),
      credits: priceOf(operation, { usesModel: provider !== null && !isOriginal }),
      creditsIfFallback: priceOf(operation, { usesModel: false }),
    }),
  };
};

type ChargedInput = OfVideo & {
  readonly operation: InsightOperation;
  readonly mayUseModel: boolean;
};

type Made<Result> = Omit<Produced<Result>, 'use'> & {
  readonly use: Produced<Result>['use'] | null;
  readonly isFallback: boolean;
};

const of = (operation: InsightOperation, { reference, language }: OfVideo) => ({
  operation,
  reference,
  language,
});

const byModelOrNot = <Result>(produced: Produced<Result>): Made<Result> => ({
  ...produced,
  isFallback: produced.model === null,
});

const optionsOf = ({ accountId, signal }: Call, startedMs: number) => ({
  accountId,
  signal,
  startedMs,
});
