import { z } from 'zod';
import { type Chunk, chunksOf, numbered, preamble } from './captions-prompt.ts';
import type { Extractor } from './extractive/extract-thread-pool.ts';
import { type Completion, type Model, ModelFailure, type Prompt, type Tokens } from './model.ts';
import { jsonIn } from './model-text.ts';
import type { Source } from './source.ts';

/** What a model is asked for. `task` never depends on the transcript; `content` does. */
export type Question<Answer> = {
  readonly name: string;
  readonly task: string;
  readonly content: string;
  readonly answer: z.ZodType<Answer>;
  readonly maxOutputTokens: number;
};

/** A model during one operation: it counts what the operation used. */
export type ModelSession = {
  readonly ask: <Answer>(question: Question<Answer>) => Promise<Answer>;
  readonly embed: ((texts: readonly string[]) => Promise<readonly (readonly number[])[]>) | null;
  /** Captions of at most so many tokens fit into one request. */
  readonly chunkTokens: number;
  /** Makes extracts for who asks. */
  readonly extract: Extractor;
  readonly used: () => Tokens;
};

/**
 * Asks and checks the shape of the answer. What is not JSON of that shape is asked for once more, with what is wrong
 * about it; then it is a `ModelFailure`.
 */
export const askingOf = (
  model: Model,
  { signal, ...given }: Pick<ModelSession, 'chunkTokens' | 'extract'> & { readonly signal: AbortSignal },
): ModelSession => {
  let inputTokens = 0;
  let outputTokens = 0;
  const complete = async (prompt: Prompt): Promise<Completion> => {
    const completion = await model.complete(prompt, { signal });
    inputTokens += completion.inputTokens;
    outputTokens += completion.outputTokens;
    return completion;
  };
  return {
    ...given,
    used: () => ({ inputTokens, outputTokens }),
    async ask(question) {
      const prompt = promptOf(question);
      const first = read(question.answer, (await complete(prompt)).text);
      if (first.success) return first.data;
      const user = `${prompt.user}\n\nYour last answer could not be read: ${first.why} Answer again, with the JSON object alone.`;
      const second = read(question.answer, (await complete({ ...prompt, user })).text);
      if (second.success) return second.data;
      throw new ModelFailure('invalid_answer', `the model's answer has the wrong shape`);
    },
    embed:
      model.embeddingName === null
        ? null
        : async (texts) => {
            const embeddings = await model.embed(texts, { signal });
            inputTokens += embeddings.inputTokens;
            return embeddings.vectors;
          },
  };
};

const promptOf = <Answer>({ name, task, content, answer, maxOutputTokens }: Question<Answer>): Prompt => {
  const { $schema: _, ...schema } = z.toJSONSchema(answer, { override: withoutBounds });
  const form = `The schema:\n${JSON.stringify(schema)}`;
  return { name, system: `${preamble}\n\n${task}\n\n${form}`, user: content, schema, maxOutputTokens };
};

/** Strict schemas of providers know few bounds; what is out of bounds is dropped by the server anyway. */
const withoutBounds = ({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void => {
  for (const bound of ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'default']) {
    delete jsonSchema[bound];
  }
};

type ParsedAnswer<Answer> =
  | { readonly success: true; readonly data: Answer }
  | { readonly success: false; readonly why: string };

const read = <Answer>(answer: z.ZodType<Answer>, text: string): ParsedAnswer<Answer> => {
  let value: unknown;
  try {
    value = jsonIn(text);
  } catch {
    return { success: false, why: 'it is not JSON.' };
  }
  const parsed = answer.safeParse(value);
  if (parsed.success) return parsed;
  const [issue] = parsed.error.issues;
  return { success: false, why: `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}.` };
};

/** Longer transcripts are answered without a model: what one operation may cost is bounded. */
const mostChunks = 40;
/** Requests of one operation at a time. */
const atOnce = 3;

/** Runs a step on each part of a transcript, a few at a time; results in the order of the parts. */
export const mapCaptions = async <Part>(
  { segments }: Source,
  { chunkTokens }: ModelSession,
  step: (chunk: Chunk, parts: { readonly of: number }) => Promise<Part>,
): Promise<readonly Part[]> => {
  const chunks = chunksOf(numbered(segments), chunkTokens);
  if (chunks.length > mostChunks) {
    throw new ModelFailure('too_long', `the transcript makes ${chunks.length} requests`);
  }
  return await mapAtMost(chunks, atOnce, (chunk) => step(chunk, { of: chunks.length }));
};

/** Runs a step on each item, at most `limit` at the same time; the first failure ends the work. */
export const mapAtMost = async <Item, Result>(
  items: readonly Item[],
  limit: number,
  step: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  const queue = items.entries();
  const run = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await step(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, run));
  return results;
};
