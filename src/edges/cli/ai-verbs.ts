import { type Command, Option } from 'commander';
import { z } from 'zod';
import { repurposeFormats, summaryLengths, timestampOf, translateModes } from '../../commands.ts';
import { supportedLanguages } from '../../kernel/languages.ts';
import { addServerVerb, countOption } from './server-verb.ts';
import { printable, printFields } from './table.ts';
import { print, remark, say, type Terminal } from './terminal.ts';

/** An option that becomes a member of the body. */
type Field = readonly [member: string, option: Option];

type AiVerb<Answer> = {
  /** Of the verb, and of the operation below `/v1`. */
  readonly name: string;
  readonly about: string;
  /** A member of the body that is typed after the link. */
  readonly argument?: readonly [member: string, about: string];
  readonly fields?: readonly Field[];
  readonly answer: z.ZodType<Answer>;
  readonly lines: (answer: Answer) => readonly string[];
};

const outputLanguage: Field = [
  'output_lang',
  new Option('--output-lang <language>', 'of the answer; without it, that of the captions'),
];
const timed = z.looseObject({ timestamp: z.string() });
const passage = timed.extend({ text: z.string() });
const lineOf = ({ timestamp, text }: z.output<typeof passage>): string => `${timestamp}  ${text}`;

/** Makes the type of one verb known to its own members, and hides it in the list. */
const verb =
  <Answer>(described: AiVerb<Answer>) =>
  (program: Command, terminal: Terminal): void =>
    addAiVerb(program, terminal, described);

/** Every AI operation of the API as a verb. */
const verbs = [
  verb({
    name: 'ask',
    about: 'ask a question about a video',
    argument: ['question', 'in any language'],
    fields: [outputLanguage],
    answer: z.looseObject({ answer: z.string(), citations: z.array(passage) }),
    lines: ({ answer, citations }) => [
      answer,
      ...(citations.length === 0 ? [] : ['', ...citations.map(lineOf)]),
    ],
  }),
  verb({
    name: 'summarize',
    about: 'sum up a video',
    fields: [
      ['length', new Option('--length <length>', 'of the summary').choices(summaryLengths)],
      outputLanguage,
    ],
    answer: z.looseObject({ summary: z.string() }),
    lines: ({ summary }) => [summary],
  }),
  verb({
    name: 'chapters',
    about: 'divide a video into chapters',
    fields: [outputLanguage],
    answer: z.looseObject({ chapters: z.array(timed.extend({ title: z.string() })) }),
    lines: ({ chapters }) => chapters.map(({ timestamp, title }) => `${timestamp}  ${title}`),
  }),
  verb({
    name: 'search',
    about: 'find passages of a video',
    argument: ['query', 'words or a phrase'],
    fields: [['limit', countOption('--limit <n>', 'at most so many')]],
    answer: z.looseObject({ results: z.array(passage) }),
    lines: ({ results }) => results.map(lineOf),
  }),
  verb({
    name: 'quotes',
    about: 'quote a video',
    answer: z.looseObject({ quotes: z.array(passage) }),
    lines: ({ quotes }) => quotes.map(lineOf),
  }),
  verb({
    name: 'clips',
    about: 'find passages that stand by themselves',
    answer: z.looseObject({
      clips: z.array(
        timed.extend({ end_timestamp: z.string(), label: z.string(), opening_line: z.string() }),
      ),
    }),
    lines: ({ clips }) =>
      clips.map(
        (clip) => `${clip.timestamp}-${clip.end_timestamp}  ${clip.label}: ${clip.opening_line}`,
      ),
  }),
  verb({
    name: 'repurpose',
    about: 'write a text of another kind about a video',
    fields: [
      ['format', new Option('--format <format>', 'of the text').choices(repurposeFormats)],
      outputLanguage,
    ],
    answer: z.looseObject({ content: z.string() }),
    lines: ({ content }) => [content],
  }),
  verb({
    name: 'translate',
    about: 'translate the captions of a video, line by line',
    argument: ['target_lang', `one of ${supportedLanguages.join(', ')}`],
    fields: [['mode', new Option('--mode <mode>', 'what is shown').choices(translateModes)]],
    answer: z.looseObject({
      segments: z.array(z.looseObject({ start: z.number(), text: z.string() })),
    }),
    lines: ({ segments }) =>
      segments.map(({ start, text }) => `${timestampOf(start * 1_000)}  ${text}`),
  }),
] as const;

/** `steno ask`, `summarize` and the other AI operations of the API. */
export const addAiVerbs = (program: Command, terminal: Terminal): void => {
  for (const add of verbs) add(program, terminal);
  addServerVerb(program, terminal, {
    name: 'ai-status',
    about: 'whether a model answers, and which',
    request: () => ({ method: 'GET', path: '/v1/ai/status' }),
    answer: z.looseObject({ ai_enabled: z.boolean(), model: z.string().nullable() }),
    show: (on, { ai_enabled, model }) => printFields(on, { ai_enabled, model }),
  });
};

const Made = z.looseObject({
  fallback: z.boolean().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
});
const Price = z.looseObject({
  dry_run: z.literal(true),
  credits: z.int(),
  credits_if_fallback: z.int(),
});

const addAiVerb = <Answer>(
  program: Command,
  terminal: Terminal,
  { name, about, argument, fields = [], answer, lines }: AiVerb<Answer>,
): void => {
  const [member, meaning] = argument ?? [];
  addServerVerb(program, terminal, {
    isSentOnce: true,
    name,
    about,
    args: [
      ['<link>', 'video id or link'],
      ...(member === undefined ? [] : [[`<${member}>`, meaning ?? ''] as const]),
    ],
    options: [
      new Option('-l, --lang <language>', 'of the captions; without it, that of the video'),
      ...fields.map(([, option]) => option),
      new Option('--dry-run', 'print what it would cost, and do nothing'),
    ],
    request: ({ args: [link, typed], options }) => ({
      method: 'POST',
      path: `/v1/${name}`,
      isDryRun: options['dryRun'] === true,
      body: {
        video_id: link,
        lang: options['lang'],
        ...(member === undefined ? {} : { [member]: typed }),
        ...Object.fromEntries(
          fields.map(([field, option]) => [field, options[option.attributeName()]]),
        ),
      },
    }),
    answer: z.union([Price, answer]),
    show: async (on, shown) => {
      const price = Price.safeParse(shown);
      if (price.success) {
        const { credits, credits_if_fallback } = price.data;
        return printFields(on, { credits, credits_if_fallback });
      }
      for (const line of lines(answer.parse(shown))) await print(on, printable(line));
      const { fallback = false, code = '', message = '' } = Made.parse(shown);
      if (code === 'FEATURE_UNAVAILABLE') say(on, `Warning: ${message}`);
      else if (fallback) remark(on, 'made without a model: it is an extract of the captions');
    },
  });
};
