import { z } from 'zod';
import { timestampOf } from '../../../commands.ts';
import { parseJson } from '../../../kernel/parse-json.ts';
import { invalidRequest } from '../../../kernel/refusal.ts';

/** The part of the captions that a call is about. */
export type Range = {
  readonly fromMs: number;
  /** Null: to the end. */
  readonly untilMs: number | null;
  /** Captions that begin exactly at `fromMs` and were in the page before; null: `fromMs` is not the end of a page. */
  readonly skip: number | null;
};

/** What a cursor holds, so that a call which repeats nothing but the video goes on as it began. */
export type Cursor = {
  readonly videoId: string;
  readonly range: Range;
  /** Undefined members are not written. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
};

type TimedCaption = {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
  readonly words?: readonly unknown[] | null;
};

/** Characters of which a token holds one, not four. */
const dense = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/g;

/** How many tokens a text is for a language model, roughly. */
export const estimateTokens = (text: string): number => {
  const denseOnes = text.match(dense)?.length ?? 0;
  return Math.ceil((text.length - denseOnes) / 4) + denseOnes;
};

/** Whether a text is surely, or by estimate, within a budget of tokens. */
export const fits = (text: string, maxTokens: number): boolean =>
  text.length <= maxTokens || estimateTokens(text) <= maxTokens;

/** Of the title and the note about the rest. */
const reservedTokens = 100;

/** As many captions of a range as a budget holds, one at least, and where to go on; null: nothing is left. */
export const pageOf = <Cue extends TimedCaption>(
  cues: readonly Cue[],
  range: Range,
  {
    maxTokens,
    tokensPerCue,
    tokensPerWord = 0,
  }: { readonly maxTokens: number; readonly tokensPerCue: number; readonly tokensPerWord?: number },
): { readonly cues: readonly Cue[]; readonly next: Range | null } => {
  const wanted = within(cues, range);
  let tokens = reservedTokens;
  const cut = wanted.findIndex(({ text, words }, index) => {
    tokens += estimateTokens(text) + tokensPerCue + (words?.length ?? 0) * tokensPerWord;
    return index > 0 && tokens > maxTokens;
  });
  const first = wanted[cut];
  if (cut === -1 || first === undefined) return { cues: wanted, next: null };
  const page = wanted.slice(0, cut);
  const skip =
    page.filter(({ startMs }) => startMs === first.startMs).length +
    (first.startMs === range.fromMs ? (range.skip ?? 0) : 0);
  return { cues: page, next: { fromMs: first.startMs, untilMs: range.untilMs, skip } };
};

/** A page goes on with the caption after its end; a moment that was asked for includes the caption it falls in. */
const within = <Cue extends TimedCaption>(cues: readonly Cue[], range: Range): readonly Cue[] => {
  const { fromMs, untilMs } = range;
  let skip = range.skip ?? 0;
  return cues.filter(({ startMs, endMs }) => {
    if (untilMs !== null && startMs >= untilMs) return false;
    if (range.skip === null) return endMs > fromMs || startMs >= fromMs;
    if (startMs === fromMs && skip > 0) {
      skip -= 1;
      return false;
    }
    return startMs >= fromMs;
  });
};

/** Cursors of one kind: JSON in base64url behind a prefix. `read` gives null for what is none. */
export const cursorsOf = <Content extends z.ZodType>(prefix: string, content: Content) => ({
  write: (value: z.input<Content>): string => prefix + Buffer.from(JSON.stringify(value)).toString('base64url'),
  read(text: string): z.output<Content> | null {
    if (!text.startsWith(prefix)) return null;
    const json = Buffer.from(text.slice(prefix.length), 'base64url').toString();
    return content.safeParse(parseJson(json)).data ?? null;
  },
});

const time = z.number().min(0);
const keptOptions = z.record(z.string(), z.union([z.string(), z.boolean()]).optional());
const cursors = cursorsOf('tc1_', z.tuple([z.string(), time, time, time.nullable(), keptOptions]));

export const cursorText = ({ videoId, range: { fromMs, skip, untilMs }, options }: Cursor): string =>
  cursors.write([videoId, fromMs, skip ?? 0, untilMs, options]);

/** Reads a cursor, also one in quotes. Throws INVALID_REQUEST for what was not made by `cursorText`. */
export const readCursor = (given: string): Cursor => {
  const text = given.trim().replace(/^["'\\]+|["'\\]+$/g, '');
  const found = cursors.read(text);
  if (found !== null) {
    const [videoId, fromMs, skip, untilMs, options] = found;
    return { videoId, range: { fromMs, skip, untilMs }, options };
  }
  const message =
    'cursor is not valid: must be the cursor of the previous page, such as "tc1_...". Without it, pass start as a time.';
  throw invalidRequest(message, { path: 'cursor', code: 'malformed' });
};

const timeForm = /^(?:(?:(\d{1,3}):)?(\d{1,3}):([0-5]?\d)|(\d{1,6}))(?:\.(\d{1,3})\d*)?s?$/;

/** Milliseconds of `95`, `1:35` or `0:01:35`. Throws INVALID_REQUEST for anything else. */
const readTime = (name: 'start' | 'end', given: string): number => {
  const parts = timeForm.exec(given.trim());
  if (parts === null) {
    const message = `${name} is not valid: must be seconds, m:ss or h:mm:ss, such as 95 or 1:35`;
    throw invalidRequest(message, { path: name, code: 'malformed' });
  }
  const [, hours = '0', minutes = '0', seconds = '0', alone = '0', rest = '0'] = parts;
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(alone);
  return whole * 1000 + Number(rest.padEnd(3, '0'));
};

/** The range and the options of a call that may go on with a cursor. */
export const rangeOf = (
  given: { readonly start?: string | undefined; readonly end?: string | undefined },
  cursor: Cursor | null,
): Range => {
  const untilMs = given.end === undefined ? null : readTime('end', given.end);
  if (cursor !== null) return { ...cursor.range, untilMs: untilMs ?? cursor.range.untilMs };
  const fromMs = given.start === undefined ? 0 : readTime('start', given.start);
  if (untilMs !== null && untilMs <= fromMs) {
    const message = 'end is not valid: must be a time after start';
    throw invalidRequest(message, { path: 'end', code: 'too_small' });
  }
  return { fromMs, untilMs, skip: null };
};

/** The last line of a page: where it was cut, and how to go on. */
export const cutNote = (next: Range, totalMs: number, cursor: string): string => {
  const at = timestampOf(next.fromMs);
  return `[cut at ${at} of ${timestampOf(totalMs)} - continue with cursor "${cursor}" or start "${at}"]`;
};
