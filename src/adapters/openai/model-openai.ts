import type OpenAI from 'openai';
import { BadRequestError } from 'openai';
import {
  type Completion,
  type Embeddings,
  type Model,
  ModelFailure,
  type ModelOptions,
  type Prompt,
} from '../../insights/model.ts';
import { type Endpoint, openAiClient, unusable, withFailures } from './client.ts';

/** The ways to request structured output, from the strictest to none. */
const structuredModes = ['json_schema', 'json_object', 'none'] as const;

export type StructuredMode = (typeof structuredModes)[number];

export type OpenAiSettings = Endpoint & {
  readonly model: string;
  readonly embeddingModel: string | null;
  /** The first mode to try; a mode that the endpoint refuses is not used again. */
  readonly structured: StructuredMode;
};

const temperature = 0.2;

/**
 * Any OpenAI-compatible endpoint, through chat completions and embeddings only, which OpenAI, Azure, Ollama, vLLM and
 * llama.cpp share. Every failure, also a body that is not JSON, is a `ModelFailure` without the prompt or the key.
 */
export const openAiModel = (settings: OpenAiSettings): Model => {
  const client = openAiClient(settings);
  const accepted = { structured: settings.structured, temperature: true };
  let width: number | null = null;

  /** Falls back to the next mode if the error says that a parameter is unsupported; false for other errors. */
  const stepDown = (error: unknown): boolean => {
    if (!(error instanceof BadRequestError)) return false;
    const said = `${error.param ?? ''} ${error.message}`;
    const next = structuredModes[structuredModes.indexOf(accepted.structured) + 1];
    if (/response_format|json_schema|json_object/.test(said) && next !== undefined) {
      accepted.structured = next;
      return true;
    }
    if (!/temperature/.test(said) || !accepted.temperature) return false;
    accepted.temperature = false;
    return true;
  };

  const create = async (prompt: Prompt, signal: AbortSignal): Promise<OpenAI.ChatCompletion> => {
    for (;;) {
      try {
        return await client.chat.completions.create(requestOf(settings.model, prompt, accepted), { signal });
      } catch (error) {
        if (!stepDown(error)) throw error;
      }
    }
  };

  return {
    name: settings.model,
    embeddingName: settings.embeddingModel,
    complete: (prompt, { signal }) => withFailures(signal, async () => completionOf(await create(prompt, signal))),
    embed: (texts, { signal }: ModelOptions) =>
      withFailures(signal, async () => {
        const { embeddingModel } = settings;
        if (embeddingModel === null) throw new ModelFailure('not_configured', 'no embedding model');
        // The default is base64, which several local servers answer with zeros or a quarter of the width.
        const answer = await client.embeddings.create(
          { model: embeddingModel, input: [...texts], encoding_format: 'float' },
          { signal },
        );
        const embeddings = embeddingsOf(answer, texts.length);
        const [first] = embeddings.vectors;
        width ??= first?.length ?? null;
        if (first !== undefined && first.length !== width) throw unusable('embeddings changed width');
        return embeddings;
      }),
  };
};

const requestOf = (
  model: string,
  { name, system, user, schema, maxOutputTokens }: Prompt,
  accepted: { readonly structured: StructuredMode; readonly temperature: boolean },
): OpenAI.ChatCompletionCreateParamsNonStreaming => ({
  model,
  messages: [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ],
  max_completion_tokens: maxOutputTokens,
  ...(accepted.temperature ? { temperature } : {}),
  ...(accepted.structured === 'json_schema'
    ? { response_format: { type: 'json_schema', json_schema: { name, schema, strict: true } } }
    : {}),
  ...(accepted.structured === 'json_object' ? { response_format: { type: 'json_object' } } : {}),
});

/** Validates every field: compatible endpoints omit fields that the types declare. */
const completionOf = (answer: OpenAI.ChatCompletion): Completion => {
  const choice = answer?.choices?.[0];
  if (choice === undefined) throw unusable('the answer has no choice', true);
  const { message, finish_reason: reason } = choice;
  if (message?.refusal || reason === 'content_filter') {
    throw new ModelFailure('refused', 'the model refused to answer');
  }
  if (reason === 'length') throw new ModelFailure('truncated', 'the answer was cut at its limit');
  const text = message?.content;
  if (typeof text !== 'string' || text === '') throw unusable('the answer is empty');
  return {
    text,
    inputTokens: countOf(answer.usage?.prompt_tokens),
    outputTokens: countOf(answer.usage?.completion_tokens),
  };
};

const countOf = (tokens: unknown): number =>
  typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;

const narrowest = 8;

const embeddingsOf = (answer: OpenAI.CreateEmbeddingResponse, count: number): Embeddings => {
  const data = answer?.data;
  if (!Array.isArray(data) || data.length !== count) throw unusable('embeddings are missing');
  const vectors = data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => unit(embedding));
  const [first] = vectors;
  if (vectors.some(({ length }) => length !== first?.length)) throw unusable('embeddings differ in width');
  return { vectors, inputTokens: countOf(answer.usage?.prompt_tokens), outputTokens: 0 };
};

const unit = (vector: unknown): readonly number[] => {
  const isVector = Array.isArray(vector) && vector.length >= narrowest && vector.every(Number.isFinite);
  if (!isVector) throw unusable('an embedding is no vector');
  const norm = Math.hypot(...vector);
  if (!(norm > 1e-6)) throw unusable('an embedding is zero');
  return vector.map((value: number) => value / norm);
};
