import { timestampOf } from '../timestamp.ts';
import type { Cue } from '../transcript.ts';

/** Controls (escape sequences of terminals among them) and the two bidi overrides, which let text pose as other text. */
const unprintable = /[\p{Cc}\u202d\u202e]/gu;

/** Nothing that anybody could see. */
const invisible = /^[\s\u200b-\u200f\u202a-\u202e\u2060-\u206f]*$/u;

/**
 * The lines of a text as every text format can hold them: without control characters, without blank lines
 * (they would end the cue in SRT and VTT), without spaces at the ends; halves of characters become U+FFFD.
 */
export const linesOf = (text: string): string[] => {
  const lines: string[] = [];
  for (const raw of text.toWellFormed().split(/\r\n|[\n\r\u0085\u2028\u2029]/u)) {
    const line = raw.replaceAll('\t', ' ').replace(unprintable, '').trim();
    if (!invisible.test(line)) lines.push(line);
  }
  return lines;
};

/** One cue that has something to show. */
export type ShownCue = { readonly cue: Cue; readonly lines: readonly string[] };

/** The cues that have something to show, with their lines; with `timestamps`, `[mm:ss] ` before the first. */
export const shownCues = (cues: readonly Cue[], timestamps: boolean): ShownCue[] => {
  const shown: ShownCue[] = [];
  for (const cue of cues) {
    const [first, ...rest] = linesOf(cue.text);
    if (first === undefined) continue;
    const start = timestamps ? `[${timestampOf(cue.startMs)}] ${first}` : first;
    shown.push({ cue, lines: [start, ...rest] });
  }
  return shown;
};
