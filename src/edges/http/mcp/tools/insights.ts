import { z } from 'zod';
import type { insightAnswer } from '../../v1/ai.ts';
import { operationFields, results } from '../../v1/ai-endpoints.ts';
import { ofVideo, type Tool, tool, untrusted } from './tool.ts';

type Answer = ReturnType<typeof insightAnswer>;

const inCaptionLanguage = 'Omit output_lang to answer in the language of the captions.';

/** The tools that answer a JSON object about a whole video, each as its route under `/v1` does. */
export const insightTools = (answer: Answer): readonly Tool[] => [
  tool({
    name: 'summarize',
    title: 'Summarize a video',
    description: `Sums up a whole video, short, medium or detailed. Use it for what a video is about; for one point in it use ask or search. ${inCaptionLanguage} ${untrusted}`,
    scope: 'ai',
    operation: 'summarize',
    input: z.object({ ...ofVideo, ...operationFields.summarize }),
    output: results.summarize,
    prepare: (args) => (call) => answer(call, { operation: 'summarize', ...args }),
  }),
  tool({
    name: 'ask',
    title: 'Ask about a video',
    description: `Answers a question from what is said in a video, with verified quotes and their times. When the video does not say it, grounded is false: do not present the answer as a fact then. ${inCaptionLanguage} ${untrusted}`,
    scope: 'ai',
    operation: 'ask',
    input: z.object({ ...ofVideo, ...operationFields.ask }),
    output: results.ask,
    prepare: (args) => (call) => answer(call, { operation: 'ask', ...args }),
  }),
  tool({
    name: 'chapters',
    title: 'Chapters of a video',
    description: `Divides a video into titled chapters with the time at which each starts. Use it first on long videos, then get_transcript with start and end for the chapter that matters. ${untrusted}`,
    scope: 'ai',
    operation: 'chapters',
    input: z.object({ ...ofVideo, ...operationFields.chapters }),
    output: results.chapters,
    prepare: (args) => (call) => answer(call, { operation: 'chapters', ...args }),
  }),
  tool({
    name: 'search',
    title: 'Search a video',
    description: `Finds where a video talks about something. Use it before get_transcript: it returns only the matching moments (start, end, text, score), so it costs far fewer tokens on long videos. Matches exact words, misspellings and related wording, in the captions' language. ${untrusted}`,
    scope: 'ai',
    operation: 'search',
    input: z.object({ ...ofVideo, ...operationFields.search }),
    output: results.search,
    prepare: (args) => (call) => answer(call, { operation: 'search', ...args }),
  }),
  tool({
    name: 'quotes',
    title: 'Quotes of a video',
    description: `Picks up to eight quotes from a video, verbatim, with their times. Use it to cite a video; to find a certain statement use search. ${untrusted}`,
    scope: 'ai',
    operation: 'quotes',
    input: z.object(ofVideo),
    output: results.quotes,
    prepare: (args) => (call) => answer(call, { operation: 'quotes', ...args }),
  }),
  tool({
    name: 'clips',
    title: 'Clips of a video',
    description: `Finds up to six passages of 15 to 90 seconds that stand by themselves, each with start, end, its opening line and why it was chosen. Use it to cut short videos or to pick highlights. ${untrusted}`,
    scope: 'ai',
    operation: 'clips',
    input: z.object(ofVideo),
    output: results.clips,
    prepare: (args) => (call) => answer(call, { operation: 'clips', ...args }),
  }),
  tool({
    name: 'repurpose',
    title: 'Write from a video',
    description: `Writes a text of another kind from a video: a blog post, newsletter, post, thread, video description or show notes, in Markdown. Use summarize when only the content matters. ${inCaptionLanguage} ${untrusted}`,
    scope: 'ai',
    operation: 'repurpose',
    input: z.object({ ...ofVideo, ...operationFields.repurpose }),
    output: results.repurpose,
    prepare: (args) => (call) => answer(call, { operation: 'repurpose', ...args }),
  }),
];
