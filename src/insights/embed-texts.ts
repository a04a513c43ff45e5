import { timeLimit } from '../kernel/clock.ts';
import { guardedModel } from './guarded-model.ts';
import { ModelFailure } from './model.ts';
import { plainLine } from './model-text.ts';
import type { ProduceDeps, ProduceOptions } from './run-with-model.ts';

/** Vectors of texts in their order, and the model that made them. */
export type TextVectors = { readonly model: string; readonly vectors: readonly (readonly number[])[] };

/**
 * Embeds texts for a search that also finds without it: null where no embedding model is configured, where it does not
 * answer within `timeoutMs`, and where its vectors have different widths.
 */
export const embedTexts =
  ({ provider, onFailure }: Pick<ProduceDeps, 'provider' | 'onFailure'>) =>
  async (
    texts: readonly string[],
    { caller, signal, timeoutMs }: Pick<ProduceOptions, 'caller' | 'signal'> & { readonly timeoutMs: number },
  ): Promise<TextVectors | null> => {
    const model = provider?.model.embeddingName ?? null;
    if (provider === null || model === null) return null;
    using deadline = timeLimit(timeoutMs, () => new ModelFailure('timeout', 'no vectors came', { isOutage: true }));
    const guarded = guardedModel(provider, caller, () => {});
    try {
      const { vectors } = await guarded.embed(texts.map(plainLine), {
        signal: AbortSignal.any([signal, deadline.signal]),
      });
      const [first] = vectors;
      const isWhole = vectors.length === texts.length && vectors.every(({ length }) => length === first?.length);
      if (!isWhole) throw new ModelFailure('invalid_answer', 'the embeddings have different widths');
      return { model, vectors };
    } catch (error) {
      signal.throwIfAborted();
      onFailure({ operation: 'search', error });
      return null;
    }
  };

export type EmbedTexts = ReturnType<typeof embedTexts>;
