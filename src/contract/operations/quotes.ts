import { z } from 'zod';
import { moment, operation, type ResultOf, seconds, verbatim } from '../operation.ts';
import { quoteLimits } from '../passage-limits.ts';
import { rows } from '../schemas.ts';

export const quotes = operation({
  name: 'quotes',
  credits: { model: 2, extract: 1 },
  summary: 'Quote a video',
  input: {},
  result: z.object({
    quotes: rows('Quotable sentences, in the order of the video.', {
      start: seconds,
      timestamp: moment,
      text: verbatim,
    }),
  }),
  answer: { description: `At most ${quoteLimits.most} quotes, in the order of the video.` },
  tool: {
    title: 'Quotes of a video',
    description: `Picks up to ${quoteLimits.most} quotes from a video, verbatim, with their times. Use it to cite a video; to find a specific statement use search.`,
  },
  shown: (result) => ({ places: result.quotes }),
});

export type Quote = ResultOf<typeof quotes>['quotes'][number];
