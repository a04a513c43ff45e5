/** One request to a language model: the static part first, so that a provider can keep it. */
export type Prompt = {
  /** Names the schema of the answer. */
  readonly name: string;
  readonly system: string;
  readonly user: string;
  /** JSON Schema of the answer. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly maxOutputTokens: number;
};

export type Tokens = { readonly inputTokens: number; readonly outputTokens: number };

/** The text of an answer, as the model wrote it. */
export type Completion = Tokens & { readonly text: string };

export type Embeddings = Tokens & { readonly vectors: readonly (readonly number[])[] };

export type ModelFailureReason =
  | 'not_configured'
  | 'unreachable'
  | 'timeout'
  | 'refused'
  | 'truncated'
  | 'invalid_answer'
  | 'circuit_open'
  | 'too_long';

/** The model gave nothing that can be used. Its caller answers without a model; a caller of the service never sees it. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly reason: ModelFailureReason;
  /** Whether the provider itself is in trouble, which counts for the circuit breaker. */
  readonly isOutage: boolean;

  constructor(
    reason: ModelFailureReason,
    message: string,
    { isOutage = false, cause }: { readonly isOutage?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.reason = reason;
    this.isOutage = isOutage;
  }
}

export type ModelOptions = { readonly signal: AbortSignal };

/** An AI provider. Every method throws `ModelFailure`, or the reason of the signal when that aborts. */
export type Model = {
  readonly name: string;
  /** Null: no embeddings are used. */
  readonly embeddingName: string | null;
  complete(prompt: Prompt, options: ModelOptions): Promise<Completion>;
  /** One vector of length 1 for each text, all of one width. */
  embed(texts: readonly string[], options: ModelOptions): Promise<Embeddings>;
};
