import { APIConnectionTimeoutError, APIError } from 'openai';
import { type Endpoint, openAiClient } from './client.ts';

/** The models of a provider. Not every compatible endpoint has a list. */
export type ModelList =
  | { readonly outcome: 'listed'; readonly models: ReadonlySet<string> }
  | { readonly outcome: 'no_list' }
  | { readonly outcome: 'refused'; readonly status: number }
  | { readonly outcome: 'unreachable'; readonly why: string };

/** Longer lists are truncated. */
const mostModels = 2_000;

/** Lists the models of a provider, which uses no tokens. */
export const listModels = async (endpoint: Endpoint): Promise<ModelList> => {
  const models = new Set<string>();
  try {
    for await (const { id } of openAiClient(endpoint).models.list()) {
      models.add(id);
      if (models.size === mostModels) break;
    }
    return models.size === 0 ? { outcome: 'no_list' } : { outcome: 'listed', models };
  } catch (error) {
    const status: unknown = error instanceof APIError ? error.status : undefined;
    if (status === 401 || status === 403) return { outcome: 'refused', status };
    if (status === 404 || status === 405 || status === 501) return { outcome: 'no_list' };
    return { outcome: 'unreachable', why: whyOf(error, status) };
  }
};

/** Returns only the kind of failure: messages of providers may repeat a part of the key. */
const whyOf = (error: unknown, status: unknown): string => {
  if (typeof status === 'number') return `it answered ${status}`;
  if (error instanceof APIConnectionTimeoutError) return 'no answer in time';
  return error instanceof APIError ? 'no connection' : 'it answered no JSON';
};
