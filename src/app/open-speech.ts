import type { Config } from '../config.ts';
import type { RecognizeSpeech } from '../extraction/recognized-transcript.ts';
import { circuitBreaker } from '../insights/circuit-breaker.ts';
import { detectLanguage } from '../insights/extractive/detect-language.ts';
import { guardedCalls } from '../insights/guarded-model.ts';
import { ModelFailure } from '../insights/model.ts';
import { elapsedMs } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { semaphore } from '../kernel/semaphore.ts';

/** Longer than any timeout of speech recognition, so that the caller's signal decides. */
const timeoutMs = 300_000;
const key = 'speech';

/** Speech recognition by the AI provider; null: none is configured. */
export const openSpeech = async (
  { ai }: Pick<Config, 'ai'>,
  logger: Pick<Logger, 'warn'>,
): Promise<RecognizeSpeech | null> => {
  const { transcriptionModel: model } = ai;
  if (!ai.isEnabled || model === null) return null;
  // Loaded only if a provider is configured.
  const { openAiSpeech } = await import('../adapters/openai/speech.ts');
  const { apiKey, baseUrl } = ai;
  const transcribe = openAiSpeech({ apiKey, baseUrl, model, timeoutMs });
  const limit = semaphore({ total: ai.concurrency });
  const guarded = guardedCalls({ breaker: circuitBreaker(elapsedMs), limit });
  return async (audio, { signal }) => {
    try {
      const { language, lines } = await guarded(key, signal, () => transcribe(audio, { signal }));
      const text = lines.map((line) => line.text).join(' ');
      return { language: language ?? (detectLanguage(null, text) || 'und'), lines };
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      const { reason, message } = error;
      if (reason !== 'circuit_open') logger.warn('speech was not recognized', { reason, message });
      return null;
    }
  };
};
