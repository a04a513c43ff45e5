import { z } from 'zod';
import { type InputOf, operation, type ResultOf, targetLanguage } from '../operation.ts';
import { count, segment } from '../schemas.ts';

const translateModes = ['original', 'translated', 'bilingual'] as const;

export const translate = operation({
  name: 'translate',
  credits: { model: 5, extract: 1 },
  summary: 'Translate the captions of a video, line by line',
  description:
    'Times do not change. Without a model nothing is translated: the original captions are returned with `fallback: true` and `FEATURE_UNAVAILABLE`, for the price of a transcript. A dry run says so. Mode `original` costs 1.',
  input: {
    target_lang: targetLanguage,
    mode: z
      .enum(translateModes)
      .default('translated')
      .describe(
        'translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit.',
      ),
  },
  result: z.object({
    translated: z.boolean().describe('Whether it had to be translated.'),
    source_language: z.string().nullable().describe('Source language; null: not known.'),
    code: z.string().describe('`OK` or `FEATURE_UNAVAILABLE`.'),
    message: z.string().describe('A sentence about the result, for people.'),
    segment_count: count.describe('Number of segments.'),
    segments: z.array(segment).describe('Captions, in order.'),
  }),
  echoes: ['mode', 'target_lang'],
  answer: {
    schema: 'Translation',
    description: 'The lines. In mode `bilingual` each holds the original and, after a line break, the translation.',
  },
  substitute: 'the original captions would be returned, for the price of a transcript',
  needsModel: ({ mode }) => mode !== 'original',
  tool: {
    title: 'Translate a transcript',
    description:
      'Translates the captions of a video line by line, with their times. Use it to get captions in a language that the video does not have; to ask about a video in another language, use ask or summarize with output_lang. Without a model nothing is translated: the original captions are returned with code FEATURE_UNAVAILABLE, at the price of a transcript. Long ones are paginated with next_cursor, and each page costs as much as a call.',
  },
  isPaged: true,
  shown: ({ segments }) => ({ places: segments, captions: segments }),
});

export type TranslateInput = InputOf<typeof translate>;
export type Translation = ResultOf<typeof translate>;
