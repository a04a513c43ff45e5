import { z } from 'zod';
import {
  languageName,
  repurposeFormats,
  summaryLengths,
  translateModes,
} from '../../../commands.ts';
import { supportedLanguages } from '../../../kernel/languages.ts';
import type { Described, KeyEndpoint } from '../endpoint.ts';
import { count, languageTag } from '../schemas.ts';
import { segmentSchema } from './transcript-json.ts';
import { chargeHeaders, refusalsOfReading } from './transcripts.ts';

const reference = (description: string) =>
  z.string().max(2_048).nullable().optional().meta({ description });
const language = (description: string) =>
  z
    .union([z.literal(''), languageTag])
    .nullable()
    .optional()
    .meta({ description });

/** Every name that the specification has for the video and its language. */
const ofVideo = {
  video_id: reference('Video id, or any link to the video. The first one given counts.'),
  videoId: reference('The same.'),
  url: reference('The same.'),
  lang: language('Language of the captions; without it their default. Never substituted.'),
  language: language('The same; `lang` comes first.'),
};

const outputLanguage = z
  .string()
  .max(35)
  .refine((code) => languageName(code) !== null, {
    error: 'takes a language code such as en, es or pt-BR',
  })
  .nullable()
  .optional()
  .meta({ description: 'Language of the answer; without it that of the captions.' });

export type OfVideo = { readonly [Name in keyof typeof ofVideo]?: string | null | undefined };

/** The first reference that is given; one must be. */
export const referenceOf = ({ video_id, videoId, url }: OfVideo): string =>
  [video_id, videoId, url].find((each) => each !== undefined && each !== null && each !== '') ?? '';

export const languageOf = ({ lang, language: other }: OfVideo): string | null =>
  lang || other || null;

const body = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z.object({ ...ofVideo, ...fields }).refine((given) => referenceOf(given as OfVideo) !== '', {
    error: 'one of video_id, videoId and url must be given',
    path: ['video_id'],
  });

/** What each operation takes besides the video. */
export const operationFields = {
  ask: { question: z.string().trim().min(1).max(2_000), output_lang: outputLanguage },
  summarize: { length: z.enum(summaryLengths).default('medium'), output_lang: outputLanguage },
  chapters: { output_lang: outputLanguage },
  search: {
    query: z.string().trim().min(1).max(500),
    limit: z.int().min(1).max(50).default(10),
  },
  quotes: {},
  repurpose: { format: z.enum(repurposeFormats).default('blog'), output_lang: outputLanguage },
  clips: {},
  translate: {
    target_lang: z.enum(supportedLanguages),
    mode: z.enum(translateModes).default('translated'),
  },
} as const;

/** An operation by its name, as a job names it. */
export const namedOperation = z.discriminatedUnion('operation', [
  z.object({ operation: z.literal('ask'), ...operationFields.ask }),
  z.object({ operation: z.literal('summarize'), ...operationFields.summarize }),
  z.object({ operation: z.literal('chapters'), ...operationFields.chapters }),
  z.object({ operation: z.literal('search'), ...operationFields.search }),
  z.object({ operation: z.literal('quotes') }),
  z.object({ operation: z.literal('repurpose'), ...operationFields.repurpose }),
  z.object({ operation: z.literal('clips') }),
  z.object({ operation: z.literal('translate'), ...operationFields.translate }),
]);

const made = {
  model: z.string().nullable().meta({ description: 'The model that made it; null: none did.' }),
  fallback: z.boolean().meta({ description: 'true: made of the captions without a model.' }),
};
const seconds = z.number();
const timestamp = z.string().meta({ description: 'mm:ss, from one hour on h:mm:ss' });
const text = z.string().meta({ description: 'Verbatim from the captions.' });
const videoId = z.string();

const citation = z
  .object({ start: seconds, end: seconds, timestamp, text })
  .meta({ id: 'Citation' });

/** What each operation answers. */
export const results = {
  ask: z
    .object({
      ...{ video_id: videoId, question: z.string(), answer: z.string() },
      citations: z.array(citation),
      grounded: z.boolean(),
      ...made,
    })
    .meta({ id: 'Answer' }),
  summarize: z
    .object({ video_id: videoId, length: z.enum(summaryLengths), summary: z.string(), ...made })
    .meta({ id: 'Summary' }),
  chapters: z
    .object({
      video_id: videoId,
      chapters: z.array(z.object({ start: seconds, timestamp, title: z.string() })),
      ...made,
    })
    .meta({ id: 'Chapters' }),
  search: z
    .object({
      video_id: videoId,
      query: z.string(),
      results: z.array(
        z.object({ start: seconds, end: seconds, timestamp, text, score: z.number() }),
      ),
    })
    .meta({ id: 'SearchResults' }),
  quotes: z
    .object({
      video_id: videoId,
      quotes: z.array(z.object({ start: seconds, timestamp, text })),
      ...made,
    })
    .meta({ id: 'Quotes' }),
  repurpose: z
    .object({ video_id: videoId, format: z.enum(repurposeFormats), content: z.string(), ...made })
    .meta({ id: 'Repurposed' }),
  clips: z
    .object({
      video_id: videoId,
      clips: z.array(
        z.object({
          ...{ start: seconds, end: seconds, timestamp, end_timestamp: timestamp },
          ...{ opening_line: text, label: z.string(), why: z.string(), text },
        }),
      ),
      ...made,
    })
    .meta({ id: 'Clips' }),
  translate: z
    .object({
      ...{ video_id: videoId, translated: z.boolean(), mode: z.enum(translateModes) },
      target_lang: z.enum(supportedLanguages),
      source_language: z.string().nullable(),
      fallback: z.boolean(),
      code: z.string().meta({ description: '`OK` or `FEATURE_UNAVAILABLE`.' }),
      message: z.string(),
      segment_count: count,
      segments: z.array(segmentSchema),
      model: made.model,
    })
    .meta({ id: 'Translation' }),
} as const;

const common = {
  access: 'key',
  scope: 'ai',
  tag: 'AI operations',
  method: 'POST',
  isIdempotent: true,
  hasDryRun: true,
  refusals: refusalsOfReading,
} as const;

/** What a dry run answers. */
export const quoteSchema = z
  .object({
    dry_run: z.literal(true),
    operation: z.string(),
    video_id: videoId,
    credits: count.meta({ description: 'What the operation costs at most.' }),
    credits_if_fallback: count.meta({ description: 'What it costs without a model.' }),
  })
  .meta({ id: 'InsightQuote' });

const answer = (description: string, schema: z.ZodType): Readonly<Record<number, Described>> => ({
  200: {
    description: `${description} With \`X-Dry-Run: 1\`: what it would cost.`,
    schema: z.union([schema, quoteSchema]),
    headers: chargeHeaders,
  },
});

const price = (credits: number): string =>
  `Costs ${credits} credits, 1 where no model made the answer. A failed request costs nothing.`;

export const aiStatus = {
  access: 'key',
  scope: null,
  tag: 'AI operations',
  id: 'getAiStatus',
  method: 'GET',
  path: '/v1/ai/status',
  summary: 'Whether a model answers',
  description:
    'Free of charge. Without a model the extractive fallbacks answer, for 1 credit each.',
  answers: {
    200: {
      description: 'What is configured, and how it does.',
      schema: z
        .object({
          ai_enabled: z.boolean(),
          model: z.string().nullable(),
          embedding_model: z.string().nullable(),
          circuit: z.enum(['closed', 'open', 'half_open']).nullable().meta({
            description: 'open: the provider failed, and fallbacks are given for a minute.',
          }),
        })
        .meta({ id: 'AiStatus' }),
    },
  },
} satisfies KeyEndpoint;

export const ask = {
  ...common,
  id: 'ask',
  path: '/v1/ask',
  operation: 'ask',
  summary: 'Ask a question about a video',
  description: `The answer stands on passages of the captions, each verified. What the video does not say is answered with \`grounded: false\`. ${price(3)}`,
  body: body(operationFields.ask),
  answers: answer('The answer with its citations.', results.ask),
} satisfies KeyEndpoint;

export const summarize = {
  ...common,
  id: 'summarize',
  path: '/v1/summarize',
  operation: 'summarize',
  summary: 'Sum up a video',
  description: price(3),
  body: body(operationFields.summarize),
  answers: answer('The summary.', results.summarize),
} satisfies KeyEndpoint;

export const chapters = {
  ...common,
  id: 'chapters',
  path: '/v1/chapters',
  operation: 'chapters',
  summary: 'Divide a video into chapters',
  description: `Every chapter begins with a caption, the first with the first. ${price(3)}`,
  body: body(operationFields.chapters),
  answers: answer('The chapters.', results.chapters),
} satisfies KeyEndpoint;

export const search = {
  ...common,
  id: 'search',
  path: '/v1/search',
  operation: 'search',
  summary: 'Find passages of a video',
  description:
    'By words, phrases, stems and corrected typing errors; with an embedding model also by meaning. Costs 1 credit. A failed request costs nothing.',
  body: body(operationFields.search),
  answers: answer('The passages, best first.', results.search),
} satisfies KeyEndpoint;

export const quotes = {
  ...common,
  id: 'quotes',
  path: '/v1/quotes',
  operation: 'quotes',
  summary: 'Quote a video',
  description: price(2),
  body: body(operationFields.quotes),
  answers: answer('At most eight quotes, in the order of the video.', results.quotes),
} satisfies KeyEndpoint;

export const repurpose = {
  ...common,
  id: 'repurpose',
  path: '/v1/repurpose',
  operation: 'repurpose',
  summary: 'Write a text of another kind about a video',
  description: price(5),
  body: body(operationFields.repurpose),
  answers: answer('The text, in Markdown.', results.repurpose),
} satisfies KeyEndpoint;

export const clips = {
  ...common,
  id: 'clips',
  path: '/v1/clips',
  operation: 'clips',
  summary: 'Find passages that stand by themselves',
  description: price(3),
  body: body(operationFields.clips),
  answers: answer(
    'At most six clips of 15 to 90 seconds, in the order of the video.',
    results.clips,
  ),
} satisfies KeyEndpoint;

export const translate = {
  ...common,
  id: 'translate',
  path: '/v1/translate',
  operation: 'translate',
  summary: 'Translate the captions of a video, line by line',
  description: `Times stay as they are. Without a model the original captions are returned with \`fallback: true\` and \`FEATURE_UNAVAILABLE\`. ${price(5)} Mode \`original\` costs 1.`,
  body: body(operationFields.translate),
  answers: answer(
    'The lines. In mode `bilingual` each holds the original and, after a line break, the translation.',
    results.translate,
  ),
} satisfies KeyEndpoint;

/** One for each operation. */
export const insightEndpoints = [
  ask,
  summarize,
  chapters,
  search,
  quotes,
  repurpose,
  clips,
  translate,
] as const;

export const aiEndpoints = [aiStatus, ...insightEndpoints] as const;
