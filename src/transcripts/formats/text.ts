import { clockTime, timestampOf } from '../timestamp.ts';
import type { Cue, Transcript } from '../transcript.ts';

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

type Cues = Pick<Transcript, 'cues'>;
type Options = { readonly timestamps: boolean };

/** Plain text, one line for each caption; with `timestamps`, `[mm:ss] ` before each. Ends with a line feed unless empty. */
export const toTxt = ({ cues }: Cues, { timestamps }: Options): string =>
  shownCues(cues, timestamps)
    .map(({ lines }) => `${lines.join(' ')}\n`)
    .join('');

/** Hours are always written. Players refuse a cue that ends as it begins: such a cue is shown for one millisecond. */
const timing = ({ startMs, endMs }: Cue, point: ',' | '.'): string =>
  `${clockTime(startMs, point)} --> ${clockTime(Math.max(endMs, startMs + 1), point)}`;

/** SubRip: numbered cues with the original times, lines ended by LF. */
export const toSrt = ({ cues }: Cues, { timestamps }: Options): string =>
  shownCues(cues, timestamps)
    .map(({ cue, lines }, at) => `${at + 1}\n${timing(cue, ',')}\n${disarmed(lines.join('\n'))}\n`)
    .join('\n');

/** SRT knows no escapes: a zero-width space keeps an arrow in the text from being read as a timing. */
const disarmed = (text: string): string => text.replaceAll('-->', '--\u200b>');

/** WebVTT: cues with the original times, text escaped. Source: W3C WebVTT, section 4. */
export const toVtt = ({ cues }: Cues, { timestamps }: Options): string => {
  const blocks = shownCues(cues, timestamps).map(
    ({ cue, lines }) => `\n${timing(cue, '.')}\n${escaped(lines.join('\n'))}\n`,
  );
  return `WEBVTT\n${blocks.join('')}`;
};

/** `>` is escaped too, so that no arrow in a text is read as a timing. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
