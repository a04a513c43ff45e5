import { RpcError, type RpcParams, rpcCodes } from './json-rpc.ts';

type Prompt = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  readonly text: (given: Readonly<Record<string, string>>) => string;
};

const video = { name: 'video', description: 'Video id or link', required: true };

const prompts: readonly Prompt[] = [
  {
    name: 'study_notes',
    title: 'Study notes',
    description: 'Notes to learn from, with times, of one video',
    arguments: [video],
    text: ({ video: of = '' }) =>
      `Make study notes of the video ${of}. Call chapters first, then get_transcript with start and end for each chapter that matters. Write for every chapter: its time, the main points, terms with their definitions, and two questions to check understanding. Name the time behind every claim.`,
  },
  {
    name: 'find_moment',
    title: 'Find a moment',
    description: 'The moment of a video at which something is said',
    arguments: [video, { name: 'topic', description: 'What is looked for', required: true }],
    text: ({ video: of = '', topic = '' }) =>
      `Find where the video ${of} talks about: ${topic}. Call search; if nothing matches, try other words once. Answer with the best moments, each with its time, a short quote and why it matches. Say so when the video does not talk about it.`,
  },
  {
    name: 'compare_videos',
    title: 'Compare two videos',
    description: 'What two videos agree and disagree on',
    arguments: [
      { ...video, name: 'first', description: 'Id or link of the first video' },
      { ...video, name: 'second', description: 'Id or link of the second video' },
      { name: 'topic', description: 'What to compare; all of it without', required: false },
    ],
    text: ({ first = '', second = '', topic = '' }) =>
      `Compare the videos ${first} and ${second}${topic === '' ? '' : ` on: ${topic}`}. Call summarize for both, then search or ask for the points where they meet. Answer with what both say, where they disagree, and what only one of them says, each with a quote and its time.`,
  },
];

/** The entries of `prompts/list`. */
export const promptList = prompts.map(({ text: _, ...shown }) => shown);

const longestArgument = 2_048;

/** The result of `prompts/get`. */
export const promptResult = (params: RpcParams) => {
  const { name, arguments: given = {} } = params;
  const prompt = prompts.find((one) => one.name === name);
  if (prompt === undefined) {
    const names = prompts.map((one) => one.name).join(', ');
    throw new RpcError(rpcCodes.invalidParams, `Unknown prompt. Available prompts: ${names}`);
  }
  const values: Record<string, string> = {};
  for (const { name: member, required } of prompt.arguments) {
    const value = given !== null && typeof given === 'object' ? Reflect.get(given, member) : null;
    if (typeof value === 'string' && value !== '' && value.length <= longestArgument) {
      values[member] = value;
    } else if (required || value !== undefined) {
      const expected = value === undefined ? 'must be given' : `must be a text of 1 to ${longestArgument} characters`;
      throw new RpcError(rpcCodes.invalidParams, `The argument ${member} ${expected}.`);
    }
  }
  const { description, text } = prompt;
  const content = { type: 'text', text: text(values) } as const;
  return { description, messages: [{ role: 'user' as const, content }] };
};
