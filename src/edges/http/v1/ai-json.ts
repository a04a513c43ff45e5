import type { z } from 'zod';
import type {
  AiStatus,
  Commands,
  InsightOperation,
  InsightQuote,
  Receipt,
} from '../../../commands.ts';
import type { quoteSchema } from './ai-endpoints.ts';

/** What a command answered. */
type Answered<Name extends InsightOperation> = Omit<
  Awaited<ReturnType<Commands[Name]>>,
  keyof Receipt
>;

type Body = Record<string, unknown>;

const madeBy = ({
  model,
  isFallback,
}: {
  readonly model: string | null;
  readonly isFallback: boolean;
}) => ({ model, fallback: isFallback });

export const askJson = (answered: Answered<'ask'>, question: string): Body => {
  const { answer, citations, grounded } = answered.result;
  return { video_id: answered.videoId, question, answer, citations, grounded, ...madeBy(answered) };
};

export const summaryJson = (answered: Answered<'summarize'>, length: string): Body => {
  const { summary } = answered.result;
  return { video_id: answered.videoId, length, summary, ...madeBy(answered) };
};

export const chaptersJson = (answered: Answered<'chapters'>): Body => {
  const { chapters } = answered.result;
  return { video_id: answered.videoId, chapters, ...madeBy(answered) };
};

export const searchJson = ({ videoId, result }: Answered<'search'>, query: string): Body => ({
  video_id: videoId,
  query,
  results: result,
});

export const quotesJson = (answered: Answered<'quotes'>): Body => {
  const { quotes } = answered.result;
  return { video_id: answered.videoId, quotes, ...madeBy(answered) };
};

export const repurposedJson = (answered: Answered<'repurpose'>, format: string): Body => {
  const { content } = answered.result;
  return { video_id: answered.videoId, format, content, ...madeBy(answered) };
};

export const clipsJson = (answered: Answered<'clips'>): Body => ({
  video_id: answered.videoId,
  clips: answered.result.clips.map(({ endTimestamp, openingLine, ...clip }) => ({
    ...clip,
    end_timestamp: endTimestamp,
    opening_line: openingLine,
  })),
  ...madeBy(answered),
});

export const translationJson = (
  answered: Answered<'translate'>,
  { mode, target }: { readonly mode: string; readonly target: string },
): Body => {
  const { translated, code, message, segments } = answered.result;
  return {
    ...{ video_id: answered.videoId, translated, mode, target_lang: target },
    ...{ source_language: answered.language, fallback: answered.isFallback, code, message },
    ...{ segment_count: segments.length, segments, model: answered.model },
  };
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
