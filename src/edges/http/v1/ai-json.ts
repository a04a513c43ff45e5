import type { z } from 'zod';
import type {
  AiStatus,
  InsightOperation,
  InsightQuote,
  OperationResult,
  OperationWanted,
} from '../../../commands.ts';
import type { namedOperation, quoteSchema } from './ai-endpoints.ts';

type Body = Record<string, unknown>;

/** An operation by its name, with its fields as the API names them. */
export type Given = z.output<typeof namedOperation>;

export const operationOf = (given: Given): OperationWanted => {
  const outputLanguage = 'output_lang' in given ? (given.output_lang ?? null) : null;
  switch (given.operation) {
    case 'ask':
      return { operation: 'ask', params: { question: given.question, outputLanguage } };
    case 'summarize':
      return { operation: 'summarize', params: { length: given.length, outputLanguage } };
    case 'chapters':
      return { operation: 'chapters', params: { outputLanguage } };
    case 'search':
      return { operation: 'search', params: { query: given.query, limit: given.limit } };
    case 'repurpose':
      return { operation: 'repurpose', params: { format: given.format, outputLanguage } };
    case 'translate': {
      const { target_lang: targetLanguage, mode } = given;
      return { operation: 'translate', params: { targetLanguage, mode } };
    }
    case 'quotes':
    case 'clips':
      return { operation: given.operation, params: {} };
  }
};

type WithoutUse<Done> = Done extends unknown ? Omit<Done, 'use'> : never;

/** What an operation answers, by itself and in a job. */
export const insightJson = (done: WithoutUse<OperationResult['done']>): Body => {
  const { videoId: video_id, model, isFallback: fallback } = done;
  const made = { model, fallback };
  switch (done.operation) {
    case 'ask': {
      const { answer, citations, grounded } = done.result;
      return { video_id, question: done.params.question, answer, citations, grounded, ...made };
    }
    case 'summarize':
      return { video_id, length: done.params.length, summary: done.result.summary, ...made };
    case 'chapters':
      return { video_id, chapters: done.result.chapters, ...made };
    case 'search':
      return { video_id, query: done.params.query, results: done.result };
    case 'quotes':
      return { video_id, quotes: done.result.quotes, ...made };
    case 'repurpose':
      return { video_id, format: done.params.format, content: done.result.content, ...made };
    case 'clips': {
      const clips = done.result.clips.map(({ endTimestamp, openingLine, ...clip }) => ({
        ...clip,
        end_timestamp: endTimestamp,
        opening_line: openingLine,
      }));
      return { video_id, clips, ...made };
    }
    case 'translate': {
      const { translated, code, message, segments } = done.result;
      const { mode, targetLanguage } = done.params;
      return {
        ...{ video_id, translated, mode, target_lang: targetLanguage },
        ...{ source_language: done.language, fallback, code, message },
        ...{ segment_count: segments.length, segments, model },
      };
    }
  }
};

export const quoteJson = (
  operation: InsightOperation,
  { videoId, credits, creditsIfFallback }: InsightQuote,
): z.input<typeof quoteSchema> => ({
  dry_run: true,
  operation,
  video_id: videoId,
  credits,
  credits_if_fallback: creditsIfFallback,
});

export const aiStatusJson = ({ isEnabled, model, embeddingModel, circuit }: AiStatus): Body => ({
  ai_enabled: isEnabled,
  model,
  embedding_model: embeddingModel,
  circuit,
});
