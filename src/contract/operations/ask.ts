import { z } from 'zod';
import {
  endSeconds,
  type InputOf,
  moment,
  operation,
  outputLanguage,
  type ResultOf,
  seconds,
  verbatim,
} from '../operation.ts';
import { named } from '../schemas.ts';

const citation = named('Citation', { start: seconds, end: endSeconds, timestamp: moment, text: verbatim });

export const ask = operation({
  name: 'ask',
  credits: { model: 3, extract: 1 },
  summary: 'Ask a question about a video',
  description:
    'The answer is based on passages of the captions, each verified. If the video does not have the answer, the response has `grounded: false`.',
  input: { question: z.string().trim().min(1).max(2_000).describe('The question.'), output_lang: outputLanguage },
  result: z.object({
    answer: z.string().describe('The answer, based on the captions.'),
    citations: z.array(citation).describe('Passages of the captions that the answer rests on.'),
    grounded: z.boolean().describe('Whether each sentence of the answer was found in the captions.'),
  }),
  echoes: ['question'],
  answer: { schema: 'Answer', description: 'The answer with its citations.' },
  tool: {
    title: 'Ask about a video',
    description:
      'Answers a question from the speech of a video, with verified quotes and their times. If grounded is false, the video does not say it: do not present the answer as a fact.',
  },
  shown: ({ answer, citations, grounded }) => ({ text: answer, isNegative: !grounded, places: citations }),
});

export type Answer = ResultOf<typeof ask>;
export type AskInput = InputOf<typeof ask>;
