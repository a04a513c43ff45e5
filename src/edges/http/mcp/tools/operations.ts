import { z } from 'zod';
import { formats } from '../../../../contract/formats.ts';
import { type OperationCall, operationAnswer, operations } from '../../../../contract/operations.ts';
import { segment } from '../../../../contract/schemas.ts';
import { captionsWanted } from '../../../../contract/transcripts.ts';
import type { Call } from '../../../../kernel/call.ts';
import { type HttpResponse, json, receiptHeaders } from '../../middleware/response.ts';
import type { Application } from '../../middleware/route.ts';
import { type Cursor, cursorText, fits, pageOf, type Range, rangeOf } from '../paging.ts';
import { captionsKept, cursorFor, ofPages, ofVideo, type Tool, tool } from './tool.ts';

type Operation = (typeof operations)[number];
type Video = Parameters<typeof captionsWanted>[0] & { readonly video_id: string; readonly range?: Range };

/** Answers a call as the route of its operation does, and what it may cost at most as a dry run of that route does. */
const callsOf = ({ commands }: Application<'performInsight' | 'quoteInsight'>) => ({
  async answer(call: Call, { video_id, range, ...captions }: Video, wanted: OperationCall): Promise<HttpResponse> {
    const part = range === undefined ? {} : { range };
    const video = { reference: video_id, ...captionsWanted(captions), ...part };
    const done = await commands.performInsight(call, video, wanted);
    return json(operationAnswer(done), { headers: receiptHeaders(done) });
  },
  async quote({ video_id, ...captions }: Video, wanted: OperationCall): Promise<number> {
    const video = { reference: video_id, ...captionsWanted(captions) };
    return (await commands.quoteInsight({ operation: wanted.operation, ...video, call: wanted })).credits;
  },
});

type Calls = ReturnType<typeof callsOf>;

/** A tool for each operation on a transcript, which answers as its route under `/v1` does. */
export const operationTools = (app: Parameters<typeof callsOf>[0]): readonly Tool[] => {
  const calls = callsOf(app);
  return operations.map((operation) =>
    operation.isPaged === true ? pagedTool(operation, calls) : wholeTool(operation, calls),
  );
};

const aboutTool = ({ name, tool: { title, description } }: Operation) =>
  ({ name, title, description, scope: 'ai', operation: name }) as const;

/** Each tool takes the input of its own operation. */
const callOf = ({ name }: Operation, input: object) => ({ ...input, operation: name }) as OperationCall;

const wholeTool = (operation: Operation, { answer, quote }: Calls): Tool =>
  tool({
    ...aboutTool(operation),
    input: z.object({ ...ofVideo, ...operation.input, ...ofVideo }),
    output: operation.answerSchema,
    quote: (args) => quote(args, callOf(operation, args)),
    prepare: (args) => (call) => answer(call, args, callOf(operation, args)),
  });

/** The members with a default, without it: a page has those of the page before. */
const optionsOf = ({ input }: Operation): Readonly<Record<string, z.ZodType>> =>
  Object.fromEntries(
    Object.entries(input).flatMap(([name, schema]) => {
      if (!(schema instanceof z.ZodDefault)) return [];
      const fallback = schema.parse(undefined);
      return [[name, z.optional(schema.unwrap()).meta({ ...schema.meta(), default: fallback })]];
    }),
  );

/** Charged as the route is, and cut into pages where the answer is long. */
const pagedTool = (operation: Operation, { answer, quote }: Calls): Tool => {
  const options = optionsOf(operation);
  const inputs = z.object(operation.input);
  const input = z.object({ ...ofVideo, ...operation.input, ...options, ...ofVideo, ...ofPages });
  const wantedOf = (args: z.output<typeof input>) => {
    const cursor = cursorFor(args);
    const { lang: _, captions: __, asr: ___, ...kept } = cursor?.options ?? {};
    const before = inputs.partial().safeParse(kept).data ?? {};
    const given = Object.entries(args).filter(([, value]) => value !== undefined);
    return {
      captions: captionsKept(args, cursor),
      range: rangeOf(args, cursor),
      members: inputs.parse({ ...before, ...Object.fromEntries(given) }),
    };
  };
  return tool({
    ...aboutTool(operation),
    input,
    output: operation.answerSchema.extend({ next_cursor: nextCursor }),
    async quote(args) {
      const { captions, members } = wantedOf(args);
      return await quote({ video_id: args.video_id, ...captions }, callOf(operation, members));
    },
    prepare(args) {
      const { video_id, max_tokens: maxTokens } = args;
      const { captions, range, members } = wantedOf(args);
      return async (call: Call) => {
        const whole = await answer(call, { video_id, ...captions, range }, callOf(operation, members));
        const named = Object.keys(options).map((name) => [name, String(members[name])]);
        return paged(whole, { range, maxTokens, ofCursor: { ...Object.fromEntries(named), ...captions } });
      };
    },
  });
};

const nextCursor = z.string().optional().meta({ description: 'There is more: pass it as cursor to continue.' });

/** What of an answer is cut; it has members besides. */
const pagedBody = z.looseObject({ video_id: z.string(), segments: z.array(segment) });

/** The answer as it is where it fits, else with a part of its segments. */
const paged = (
  answer: HttpResponse,
  wanted: { readonly range: Range; readonly maxTokens: number; readonly ofCursor: Cursor['options'] },
): HttpResponse => {
  const { range, maxTokens, ofCursor: options } = wanted;
  const text = String(answer.body);
  const isWhole = range.fromMs === 0 && range.untilMs === null && range.skip === null;
  if (isWhole && fits(text, maxTokens)) return answer;
  const body = pagedBody.parse(JSON.parse(text));
  const cues = body.segments.map((each) => ({
    each,
    text: each.text,
    startMs: Math.round(each.start * 1000),
    endMs: Math.round((each.start + each.duration) * 1000),
  }));
  const page = pageOf(cues, range, { maxTokens, tokensPerCue: formats.json.tokensPerCue });
  const segments = page.cues.map(({ each }) => each);
  const next =
    page.next === null ? {} : { next_cursor: cursorText({ videoId: body.video_id, range: page.next, options }) };
  const part = { ...body, segment_count: segments.length, segments, ...next };
  return { ...answer, body: JSON.stringify(part) };
};
