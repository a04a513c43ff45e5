import type { TextFormat } from '../../contract/formats.ts';
import { clockTime } from '../timestamp.ts';
import type { Cue, Transcript } from '../transcript.ts';
import { shownCues } from './lines.ts';
import { toMarkdown } from './markdown.ts';

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

/**
 * WebVTT: cues with the original times, text escaped, and with the times of the words that a cue has. Source: W3C WebVTT,
 * section 4.
 */
export const toVtt = ({ cues }: Cues, { timestamps }: Options): string => {
  const blocks = shownCues(cues, timestamps).map(
    ({ cue, lines }) => `\n${timing(cue, '.')}\n${spoken(lines.join('\n'), cue, timestamps)}\n`,
  );
  return `WEBVTT\n${blocks.join('')}`;
};

/**
 * The text of a cue, each word behind the moment at which it is said. The standard wants moments that rise within the cue:
 * words that begin with it, or at a moment that was told or is over, stand with the one before.
 */
const spoken = (text: string, { startMs, endMs, words }: Cue, timestamps: boolean): string => {
  let result = '';
  let written = 0;
  // Behind the time that the line begins with.
  let at = timestamps ? text.indexOf('] ') + 2 : 0;
  let lastMs = startMs;
  let isOpen = false;
  for (const word of words ?? []) {
    const found = text.indexOf(word.text, at);
    if (found < 0) break;
    at = found + word.text.length;
    if (word.startMs <= lastMs || word.startMs >= endMs) continue;
    // The space before a word belongs to it, as the platform writes it.
    const from = found > written && text[found - 1] === ' ' ? found - 1 : found;
    result += `${escaped(text.slice(written, from))}${isOpen ? '</c>' : ''}<${clockTime(word.startMs, '.')}><c>`;
    written = from;
    lastMs = word.startMs;
    isOpen = true;
  }
  return `${result}${escaped(text.slice(written))}${isOpen ? '</c>' : ''}`;
};

/** `>` is escaped too, so that no arrow in a text is read as a timing. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The writer of each format whose whole is a text. */
export const writers: Readonly<Record<TextFormat, (transcript: Transcript, options: Options) => string>> = {
  txt: toTxt,
  srt: toSrt,
  vtt: toVtt,
  markdown: toMarkdown,
};
