import { z } from 'zod';
import { moment, operation, outputLanguage, type ResultOf, seconds } from '../operation.ts';
import { rows } from '../schemas.ts';

export const chapters = operation({
  name: 'chapters',
  credits: { model: 3, extract: 1, author: 0 },
  summary: 'Divide a video into chapters',
  description:
    "If the author of the video wrote chapters, these are returned, free of charge and in the author's language, whatever the `output_lang`. Otherwise every chapter begins with a caption, the first with the first.",
  input: { output_lang: outputLanguage },
  result: z.object({
    chapters: rows('Chapters in the order of the video.', {
      start: seconds,
      timestamp: moment,
      title: z.string().describe('Title.'),
    }),
    source: z.enum(['author', 'model', 'extract']).describe('Who made them.'),
  }),
  answer: { description: 'The chapters.' },
  tool: {
    title: 'Chapters of a video',
    description:
      'Divides a video into titled chapters with the time at which each starts. Use it first on long videos, then get_transcript with start and end for the relevant chapter.',
  },
  shown: (result) => ({ places: result.chapters }),
});

export type Chapter = ResultOf<typeof chapters>['chapters'][number];
