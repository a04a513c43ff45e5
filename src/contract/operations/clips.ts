import { z } from 'zod';
import { endSeconds, moment, operation, type ResultOf, seconds, verbatim } from '../operation.ts';
import { clipLimits } from '../passage-limits.ts';
import { rows } from '../schemas.ts';

const { most, shortestS, longestS } = clipLimits;

export const clips = operation({
  name: 'clips',
  credits: { model: 3, extract: 1 },
  summary: 'Find self-contained passages',
  input: {},
  result: z.object({
    clips: rows('Self-contained passages, in the order of the video.', {
      start: seconds,
      end: endSeconds,
      timestamp: moment,
      end_timestamp: moment,
      opening_line: verbatim,
      label: z.string().describe('A title of the clip.'),
      why: z.string().describe('Why it was chosen.'),
      text: verbatim,
    }),
  }),
  answer: { description: `At most ${most} clips of ${shortestS} to ${longestS} seconds, in the order of the video.` },
  tool: {
    title: 'Clips of a video',
    description: `Finds up to ${most} self-contained passages of ${shortestS} to ${longestS} seconds, each with start, end, its opening line and the reason for the choice. Use it to cut short videos or pick highlights.`,
  },
  shown: (result) => ({
    places: result.clips.map(({ start, end, label, opening_line, why }) => ({
      ...{ start, until: end, title: label, text: opening_line, note: why },
    })),
  }),
});

export type Clip = ResultOf<typeof clips>['clips'][number];
