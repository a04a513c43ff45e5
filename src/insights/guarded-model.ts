import type { CircuitBreaker } from './circuit-breaker.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import { type Model, ModelFailure } from './model.ts';

/**
 * A model behind its circuit breaker and the limits on concurrent calls of an account and in all. Failures of the
 * provider count for the circuit; an answer that cannot be used does not.
 */
export const guardedModel = (
  model: Model,
  {
    breaker,
    limit,
    accountId,
  }: {
    readonly breaker: CircuitBreaker;
    readonly limit: ConcurrencyLimit;
    readonly accountId: string;
  },
): Model => {
  const guarded = async <Result>(
    signal: AbortSignal,
    call: () => Promise<Result>,
  ): Promise<Result> => {
    using _ = await limit.take(accountId, signal);
    if (!breaker.tryPass()) {
      throw new ModelFailure('circuit_open', 'the provider failed several times just now');
    }
    try {
      const result = await call();
      breaker.succeeded();
      return result;
    } catch (error) {
      if (!(error instanceof ModelFailure)) breaker.abandoned();
      else if (error.isOutage) breaker.failed();
      else breaker.succeeded();
      throw error;
    }
  };
  return {
    name: model.name,
    embeddingName: model.embeddingName,
    complete: (prompt, options) => guarded(options.signal, () => model.complete(prompt, options)),
    embed: (texts, options) => guarded(options.signal, () => model.embed(texts, options)),
  };
};
