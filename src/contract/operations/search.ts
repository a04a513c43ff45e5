import { z } from 'zod';
import { endSeconds, type InputOf, moment, operation, type ResultOf, seconds, verbatim } from '../operation.ts';
import { rows } from '../schemas.ts';

export const search = operation({
  name: 'search',
  credits: { model: 1, extract: 1 },
  summary: 'Find passages of a video',
  description: 'By words, phrases, stems and corrected typos; with an embedding model also by meaning.',
  input: {
    query: z.string().trim().min(1).max(500).describe('The query.'),
    limit: z.int().min(1).max(50).default(10).describe('Maximum passages to return.'),
  },
  result: z.object({
    results: rows('Passages, the best first.', {
      start: seconds,
      end: endSeconds,
      timestamp: moment,
      text: verbatim,
      score: z.number().describe('Relevance; higher is better.'),
    }),
  }),
  echoes: ['query'],
  answer: { schema: 'SearchResults', description: 'The passages, best first.' },
  hasFallback: false,
  tool: {
    title: 'Search a video',
    description:
      "Finds where a video talks about something. Use it before get_transcript: it returns only the matching moments (start, end, text, score), so it costs far fewer tokens on long videos. Matches exact words, misspellings and related wording, in the captions' language.",
  },
  shown: ({ results }) => ({ places: results }),
});

export type SearchInput = InputOf<typeof search>;
export type Hit = ResultOf<typeof search>['results'][number];
