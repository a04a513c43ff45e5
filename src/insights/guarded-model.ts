import type { Semaphore } from '../kernel/semaphore.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { type Model, ModelFailure } from './model.ts';

type Guard = { readonly breaker: CircuitBreaker; readonly limit: Semaphore };

/**
 * Calls of a provider behind its circuit breaker and the limits on concurrent calls of a caller and in all. Failures of the
 * provider count for the circuit; an answer that cannot be used does not.
 */
export const guardedCalls =
  ({ breaker, limit }: Guard) =>
  async <Result>(caller: string, signal: AbortSignal, call: () => Promise<Result>): Promise<Result> => {
    using _ = await limit.acquire(signal, caller);
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

/** `onAsked` is called before each request to the provider. */
export const guardedModel = (
  { model, ...guard }: Guard & { readonly model: Model },
  caller: string,
  onAsked: () => void,
): Model => {
  const calls = guardedCalls(guard);
  const guarded = <Result>(signal: AbortSignal, ask: () => Promise<Result>): Promise<Result> =>
    calls(caller, signal, () => {
      onAsked();
      return ask();
    });
  return {
    name: model.name,
    embeddingName: model.embeddingName,
    complete: (prompt, options) => guarded(options.signal, () => model.complete(prompt, options)),
    embed: (texts, options) => guarded(options.signal, () => model.embed(texts, options)),
  };
};
