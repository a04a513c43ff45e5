import { z } from 'zod';
import { type InputOf, operation, outputLanguage } from '../operation.ts';

const summaryLengths = ['short', 'medium', 'detailed'] as const;

export type SummaryLength = (typeof summaryLengths)[number];

export const summarize = operation({
  name: 'summarize',
  credits: { model: 3, extract: 1 },
  summary: 'Summarize a video',
  input: {
    length: z.enum(summaryLengths).default('medium').describe('How long the summary is.'),
    output_lang: outputLanguage,
  },
  result: z.object({ summary: z.string().describe('The summary.') }),
  echoes: ['length'],
  answer: { schema: 'Summary', description: 'The summary.' },
  tool: {
    title: 'Summarize a video',
    description:
      'Summarizes a whole video, short, medium or detailed. Use it for an overview of a video; for one point in it use ask or search.',
  },
  page: 'summary',
  shown: ({ summary }) => ({ text: summary }),
});

export type SummarizeInput = InputOf<typeof summarize>;
