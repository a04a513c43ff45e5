import { z } from 'zod';
import type { Asked, insightAnswer } from '../../v1/ai.ts';
import { operationFields, results } from '../../v1/ai-endpoints.ts';
import { ofVideo, type Tool, tool, untrusted } from './tool.ts';

const inCaptionLanguage = 'Omit output_lang to answer in the language of the captions.';

const insights = [
  {
    operation: 'summarize',
    title: 'Summarize a video',
    description: `Sums up a whole video, short, medium or detailed. Use it for what a video is about; for one point in it use ask or search. ${inCaptionLanguage}`,
  },
  {
    operation: 'ask',
    title: 'Ask about a video',
    description: `Answers a question from what is said in a video, with verified quotes and their times. When the video does not say it, grounded is false: do not present the answer as a fact then. ${inCaptionLanguage}`,
  },
  {
    operation: 'chapters',
    title: 'Chapters of a video',
    description:
      'Divides a video into titled chapters with the time at which each starts. Use it first on long videos, then get_transcript with start and end for the chapter that matters.',
  },
  {
    operation: 'search',
    title: 'Search a video',
    description:
      "Finds where a video talks about something. Use it before get_transcript: it returns only the matching moments (start, end, text, score), so it costs far fewer tokens on long videos. Matches exact words, misspellings and related wording, in the captions' language.",
  },
  {
    operation: 'quotes',
    title: 'Quotes of a video',
    description:
      'Picks up to eight quotes from a video, verbatim, with their times. Use it to cite a video; to find a certain statement use search.',
  },
  {
    operation: 'clips',
    title: 'Clips of a video',
    description:
      'Finds up to six passages of 15 to 90 seconds that stand by themselves, each with start, end, its opening line and why it was chosen. Use it to cut short videos or to pick highlights.',
  },
  {
    operation: 'repurpose',
    title: 'Write from a video',
    description: `Writes a text of another kind from a video: a blog post, newsletter, post, thread, video description or show notes, in Markdown. Use summarize when only the content matters. ${inCaptionLanguage}`,
  },
] as const;

/** The tools that answer a JSON object about a whole video, each as its route under `/v1` does. */
export const insightTools = (answer: ReturnType<typeof insightAnswer>): readonly Tool[] =>
  insights.map(({ operation, title, description }) =>
    tool({
      name: operation,
      title,
      description: `${description} ${untrusted}`,
      scope: 'ai',
      operation,
      input: z.object({ ...ofVideo, ...operationFields[operation] }),
      output: results[operation],
      // Each tool takes the fields of its own operation.
      prepare: (args) => (call) => answer(call, { operation, ...args } as Asked),
    }),
  );
