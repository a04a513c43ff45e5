import { z } from 'zod';
import type { Call } from '../../../../kernel/call.ts';
import type { HttpResponse } from '../../middleware/response.ts';
import type { insightAnswer } from '../../v1/ai.ts';
import { operationFields, results } from '../../v1/ai-endpoints.ts';
import { cursorText, fits, pageOf, type Range, rangeOf } from '../paging.ts';
import { cursorFor, ofPages, ofVideo, type Tool, tool, untrusted } from './tool.ts';

const output = results.translate.extend({
  next_cursor: z
    .string()
    .optional()
    .meta({ description: 'There is more: pass it as cursor to go on.' }),
});

type Body = z.output<typeof output>;

const modes = operationFields.translate.mode.unwrap();

/** Without a mode, a page has that of the page before. */
const mode = modes.optional().meta({ default: 'translated' });

/** Translates captions; charged as `POST /v1/translate` is, and cut into pages where they are long. */
export const translate = (answer: ReturnType<typeof insightAnswer>): Tool =>
  tool({
    name: 'translate',
    title: 'Translate a transcript',
    description: [
      'Translates the captions of a video line by line, with their times.',
      'Use it when captions are wanted in a language that the video does not have; to ask about a video in another language, use ask or summarize with output_lang.',
      'Without a model the original captions come back with fallback true. Long ones come in pages with next_cursor, and each page costs as much as a call.',
      untrusted,
    ].join(' '),
    scope: 'ai',
    operation: 'translate',
    input: z.object({ ...ofVideo, ...operationFields.translate, mode, ...ofPages }),
    output,
    prepare(args) {
      const { video_id, target_lang, max_tokens: maxTokens } = args;
      const cursor = cursorFor(args);
      const kept = cursor?.options ?? {};
      const lang = args.lang ?? (typeof kept['lang'] === 'string' ? kept['lang'] : undefined);
      const mode = args.mode ?? modes.safeParse(kept['mode']).data ?? 'translated';
      const range = rangeOf(args, cursor);
      return async (call: Call) => {
        const wanted = { video_id, lang, target_lang, mode };
        const whole = await answer(call, { operation: 'translate', ...wanted });
        return paged(whole, { range, maxTokens, lang });
      };
    },
  });

const tokensPerSegment = 14;

/** The answer as it is where it fits, else with a part of its segments. */
const paged = (
  answer: HttpResponse,
  wanted: {
    readonly range: Range;
    readonly maxTokens: number;
    readonly lang: string | undefined;
  },
): HttpResponse => {
  const { range, maxTokens, lang } = wanted;
  const text = String(answer.body);
  const isWhole = range.fromMs === 0 && range.untilMs === null && range.skip === null;
  if (isWhole && fits(text, maxTokens)) return answer;
  const body = JSON.parse(text) as Body;
  const cues = body.segments.map((segment) => ({
    segment,
    text: segment.text,
    startMs: Math.round(segment.start * 1000),
    endMs: Math.round((segment.start + segment.duration) * 1000),
  }));
  const page = pageOf(cues, range, { maxTokens, tokensPerCue: tokensPerSegment });
  const segments = page.cues.map(({ segment }) => segment);
  const cursor =
    page.next === null
      ? null
      : cursorText({
          videoId: body.video_id,
          range: page.next,
          options: { mode: body.mode, ...(lang === undefined ? {} : { lang }) },
        });
  const part: Body = {
    ...body,
    segment_count: segments.length,
    segments,
    ...(cursor === null ? {} : { next_cursor: cursor }),
  };
  return { ...answer, body: JSON.stringify(part) };
};
