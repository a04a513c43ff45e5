import { z } from 'zod';
import type { AnyOperation, InputOf } from './operation.ts';
import { ask } from './operations/ask.ts';
import { chapters } from './operations/chapters.ts';
import { clips } from './operations/clips.ts';
import { quotes } from './operations/quotes.ts';
import { repurpose } from './operations/repurpose.ts';
import { search } from './operations/search.ts';
import { summarize } from './operations/summarize.ts';
import { translate } from './operations/translate.ts';

const all = [summarize, chapters, ask, search, quotes, clips, repurpose, translate] as const;

type KnownOperation = (typeof all)[number];

export type OperationName = KnownOperation['name'];

/** The declaration of an operation by its name. */
export type OperationNamed<Name extends OperationName> = Extract<KnownOperation, { readonly name: Name }>;

/** Every operation on a transcript, in the order in which faces show them. */
export const operations: readonly (AnyOperation & { readonly name: OperationName })[] = all;

const byName = new Map(operations.map((each) => [each.name, each]));

/** The operation of a name. */
export const operationNamed = (name: OperationName): AnyOperation & { name: OperationName } => {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found;
};

/** An operation with what it takes, as a job names it. */
export type OperationCall = {
  [Each in KnownOperation as Each['name']]: { readonly operation: Each['name'] } & InputOf<Each>;
}[OperationName];

const callOf = ({ name, input }: (typeof operations)[number]) =>
  z.object({ operation: z.literal(name).describe('Name of the operation.'), ...input });

/** The operation whose places divide a transcript: its page can show them among the lines. */
export const outline = chapters;

/** A call of it as it is. */
export const outlineCall: OperationCall = { operation: outline.name };

/** The operation that looks for words: the page of a transcript has its form among the lines. */
export const finder = search;

/** The schema of `OperationCall`. */
export const operationCall = z.discriminatedUnion(
  'operation',
  operations.map(callOf) as [ReturnType<typeof callOf>, ...ReturnType<typeof callOf>[]],
) as z.ZodType<OperationCall>;

/** Whether what is called needs a model. */
export const needsModel = (call: OperationCall): boolean =>
  operationNamed(call.operation).needsModel?.(call as never) ?? true;

/** The language that a result is to be written in; null: that of the captions. */
export const outputLanguageOf = (call: OperationCall): string | null =>
  'output_lang' in call ? (call.output_lang ?? null) : null;

/** An operation that was done. */
export type OperationResult = {
  readonly call: OperationCall;
  /** What its contract says. */
  readonly result: object;
  readonly videoId: string;
  /** Null: no model made it. */
  readonly model: string | null;
  /** Whether the extractive result was given in place of a model's. */
  readonly isFallback: boolean;
  /** Why the result is not what was asked for; absent where it is. */
  readonly unavailable?: string;
};

/** What was asked for and is not in an answer. */
export const unavailableJson = (message: string | null | undefined) =>
  message ? { code: 'FEATURE_UNAVAILABLE' as const, message } : {};

/** What an operation answers, by itself and in a job. */
export const operationAnswer = (done: OperationResult): Record<string, unknown> => {
  const { call, result, videoId, model, isFallback } = done;
  const { echoes = [], hasFallback } = operationNamed(call.operation);
  return {
    video_id: videoId,
    ...Object.fromEntries(echoes.map((member) => [member, Reflect.get(call, member)])),
    ...result,
    ...(hasFallback ? { model, fallback: isFallback } : {}),
    ...unavailableJson(done.unavailable),
  };
};

/** The parts of a result that people are shown. */
export const shownOf = ({ call, result }: Pick<OperationResult, 'call' | 'result'>) =>
  operationNamed(call.operation).shown(result as never);
