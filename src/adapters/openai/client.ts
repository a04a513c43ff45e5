import OpenAI, { APIConnectionTimeoutError, APIError } from 'openai';
import { ModelFailure } from '../../insights/model.ts';
import { orAborted } from '../../kernel/abortable.ts';

/** Where an OpenAI-compatible provider is. */
export type Endpoint = {
  /** Null for an endpoint without authentication. */
  readonly apiKey: string | null;
  /** Null for OpenAI. */
  readonly baseUrl: string | null;
  /** Timeout of one attempt. */
  readonly timeoutMs: number;
};

/** One retry for transient failures; the caller's signal ends the pause. */
const maxRetries = 1;

/** A client that takes its settings from `Endpoint` alone: the library would read environment variables for what is absent. */
export const openAiClient = ({ apiKey, baseUrl, timeoutMs }: Endpoint): OpenAI =>
  new OpenAI({
    apiKey: apiKey ?? 'none',
    baseURL: baseUrl ?? 'https://api.openai.com/v1',
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    timeout: timeoutMs,
    maxRetries,
    logLevel: 'off',
  });

/** A failure for an answer that cannot be used; `isOutage`: it counts against the provider. */
export const unusable = (why: string, isOutage = false): ModelFailure =>
  new ModelFailure('invalid_answer', why, { isOutage });

/** Runs a call, also where the client waits between attempts without looking at the signal. */
export const withFailures = async <Result>(signal: AbortSignal, call: () => Promise<Result>): Promise<Result> => {
  signal.throwIfAborted();
  try {
    return await orAborted(call(), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error);
  }
};

/** Keeps only the kind of failure: messages of providers may repeat the prompt or a part of the key. */
const failureOf = (error: unknown): ModelFailure => {
  if (error instanceof ModelFailure) return error;
  if (error instanceof APIConnectionTimeoutError) {
    return new ModelFailure('timeout', 'the provider did not answer in time', { isOutage: true });
  }
  if (!(error instanceof APIError)) return unusable('the provider answered no JSON', true);
  if (error.code === 'context_length_exceeded') {
    return new ModelFailure('too_long', 'the prompt is longer than the context of the model');
  }
  const status: unknown = error.status;
  const isOutage = status !== 400 && status !== 413 && status !== 422;
  const told = typeof status === 'number' ? `answered ${status}` : 'could not be reached';
  return new ModelFailure('unreachable', `the provider ${told}`, { isOutage });
};
