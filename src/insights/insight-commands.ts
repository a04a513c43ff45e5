import {
  type ChargingLedger,
  chargeOnSuccess,
  type Receipt,
} from '../credits/charge-on-success.ts';
import { priceOf } from '../credits/prices.ts';
import type { Engine } from '../extraction/types.ts';
import { requireVideoId } from '../extraction/video-id.ts';
import type { Call } from '../kernel/call.ts';
import { elapsedMs } from '../kernel/clock.ts';
import type { CircuitState } from './circuit-breaker.ts';
import type { InsightOperation } from './insight.ts';
import { type ProduceDeps, producer } from './produce.ts';
import { mostOf, type OperationDone, type OperationWanted, runOperation } from './run-operation.ts';

/** A video, and the language of its captions; null: their default. */
type OfVideo = { readonly reference: string; readonly language: string | null };

export type InsightCommands = {
  /** Does one operation on a transcript. Refusals: INVALID_VIDEO_ID, INSUFFICIENT_CREDITS, those of the engine. */
  readonly performInsight: <Name extends InsightOperation>(
    call: Call,
    video: OfVideo,
    wanted: OperationWanted<Name>,
  ) => Promise<OperationDone<Name> & Receipt>;
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
  const producing = producer(deps);
  const perform = async (
    call: Call,
    { reference, language }: OfVideo,
    wanted: OperationWanted,
  ): Promise<OperationDone & Receipt> => {
    const startedMs = elapsedMs();
    const videoId = requireVideoId(reference);
    const { operation } = wanted;
    const charge = { what: videoId, operation, requests: 1, videoId };
    const { made, creditsCharged, eventId } = await chargeOnSuccess(ledger)(call, {
      operation,
      quote: [{ ...charge, amount: mostOf(wanted, provider !== null) }],
      run: async () => {
        const { accountId, signal } = call;
        const extraction = await engine.extract({ videoId, language }, { signal });
        const options = { accountId, signal, startedMs };
        const { done, credits } = await runOperation(producing, extraction, wanted, options);
        const modelUse = done.use === null ? {} : { modelUse: done.use };
        return { made: done, charges: [{ ...charge, amount: credits, ...modelUse }] };
      },
    });
    return { ...made, creditsCharged, eventId };
  };
  return {
    performInsight: perform as InsightCommands['performInsight'],
    quoteInsight: ({ operation, reference, isOriginal = false }) => ({
      videoId: requireVideoId(reference),
      credits: priceOf(operation, { usesModel: provider !== null && !isOriginal }),
      creditsIfFallback: priceOf(operation, { usesModel: false }),
    }),
  };
};
