import { postgresResultCache } from '../adapters/postgres/result-cache-postgres.ts';
import type { Config } from '../config.ts';
import { circuitBreaker } from '../insights/circuit-breaker.ts';
import { ModelFailure } from '../insights/model.ts';
import type { ProduceDeps, Provider } from '../insights/run-with-model.ts';
import { elapsedMs } from '../kernel/clock.ts';
import { semaphore } from '../kernel/semaphore.ts';
import type { CoreParts } from './application-core.ts';

/** The share of a model's context for captions; prompts and answers need the rest. */
const captionShare = 0.6;

/** The AI provider, if one is configured, and the cache of its results. */
export const openInsights = async (
  { ai }: Config,
  { pool, logger }: Pick<CoreParts, 'pool' | 'logger'>,
): Promise<ProduceDeps> => ({
  provider: await openProvider(ai),
  cache: postgresResultCache({ pool }),
  onFailure: ({ operation, error }) => {
    if (error instanceof ModelFailure) {
      const { reason, message } = error;
      logger.warn('a result was made without the model', { operation, reason, message });
    } else logger.error('verifying the answer of a model failed', { operation, error });
  },
});

const openProvider = async (ai: Config['ai']): Promise<Provider | null> => {
  if (!ai.isEnabled) return null;
  // Loaded only if a provider is configured.
  const { openAiModel } = await import('../adapters/openai/model-openai.ts');
  return {
    model: openAiModel({ ...ai, timeoutMs: ai.deadlineMs }),
    breaker: circuitBreaker(elapsedMs),
    limit: semaphore({ total: ai.concurrency, perKey: ai.concurrencyPerAccount }),
    chunkTokens: Math.floor(ai.contextTokens * captionShare),
    deadlineMs: ai.deadlineMs,
  };
};
