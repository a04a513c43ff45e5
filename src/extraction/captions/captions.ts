import { hash } from 'node:crypto';
import { type RawLine, type RawWord, UnreadableCaptions } from './caption-line.ts';
import { readableText } from './caption-text.ts';
import type { Segment, Word } from './caption-track.ts';
import { isVtt, linesOfRollingVtt, linesOfVtt, readVtt } from './caption-vtt.ts';
import { readXml } from './caption-xml.ts';
import { readJson3 } from './json3.ts';

/**
 * Reads a caption document of any known format into normalized lines: ordered by start, one line each, never empty, none
 * twice at the same time.
 * Automatic captions overlap by design (a line stays until the one after the next begins), so their `endMs` stops at
 * the next start; times of manual captions are never touched. No lines: the document has no text. With `words`, lines
 * have their words where the document says when each is said.
 * Throws `UnreadableCaptions` on anything that is no complete caption document.
 */
export const readCaptions = (
  body: string,
  { isAutomatic, words = false }: { readonly isAutomatic: boolean; readonly words?: boolean },
): readonly Segment[] => Object.freeze(segmentsOf(readLines(body, isAutomatic, words), isAutomatic));

/** SHA-256 (hex) over times and text of every line: equal content has one name, whatever format it came in. */
export const contentSha256 = (segments: readonly Segment[]): string => {
  let content = '';
  for (const { startMs, durationMs, endMs, text } of segments)
    content += `${startMs}\t${durationMs}\t${endMs}\t${text}\n`;
  return hash('sha256', content, 'hex');
};

/** The same for lines with the times of their words: those of equal lines can differ. */
export const wordsSha256 = (lineSha256: string, segments: readonly Segment[]): string =>
  hash('sha256', `${lineSha256}\n${JSON.stringify(segments.map(({ words }) => words ?? null))}`, 'hex');

/** The same lines without their words. */
export const withoutWords = (segments: readonly Segment[]): readonly Segment[] =>
  Object.freeze(segments.map(({ words: _, ...line }) => line));

/** The lines of a document in its order, whichever format it has; `srv2` shares the reader of `srv3`. */
const readLines = (body: string, isAutomatic: boolean, words: boolean): RawLine[] => {
  if (isVtt(body)) return (isAutomatic ? linesOfRollingVtt : linesOfVtt)(readVtt(body));
  const start = body.trimStart();
  if (start.startsWith('{')) return readJson3(body, words);
  const head = start.slice(0, 600);
  if (/<(?:!doctype html|html)/i.test(head)) throw new UnreadableCaptions('html');
  if (head.includes('<transcript')) return readXml(body, '</transcript>');
  if (head.includes('<timedtext')) return readXml(body, '</timedtext>', words);
  throw new UnreadableCaptions('format');
};

type DraftCaption = { text: string; startMs: number; durationMs: number; endMs: number; words?: readonly Word[] };

/**
 * Normalizes lines. Those whose duration is missing (appended and last ones) last until the next line begins; with
 * `isCapped` no line lasts longer.
 */
export const segmentsOf = (lines: readonly RawLine[], isCapped = false): DraftCaption[] => {
  const written: DraftCaption[] = [];
  const unmeasured = new Set<DraftCaption>();
  let isOrdered = true;
  let isTied = false;
  let last = -1;
  for (const line of lines) {
    const text = readableText(line.text);
    if (text === '') continue;
    const startMs = Math.round(line.startMs);
    const durationMs = Math.round(line.durationMs ?? 0);
    const segment: DraftCaption = { text, startMs, durationMs, endMs: startMs + durationMs };
    const words = line.words === undefined ? null : wordsOf(line.words, text, startMs, text === line.text);
    if (words !== null) segment.words = words;
    if (line.durationMs === null) unmeasured.add(segment);
    if (startMs < last) isOrdered = false;
    if (startMs === last) isTied = true;
    last = startMs;
    written.push(segment);
  }
  if (!isOrdered) written.sort((a, b) => a.startMs - b.startMs);
  const segments = isTied || !isOrdered ? onceEach(written) : written;
  if (unmeasured.size > 0 || isCapped) settleEnds(segments, unmeasured, isCapped);
  return segments;
};

/**
 * The words of a line, or null where its document does not say when they are said. A line that is a cue as a whole
 * (`[Music]`) has none; neither has one whose words are not what it says. `isAsWritten`: the line is its words as the
 * document has them.
 */
const wordsOf = (words: RawWord[], line: string, startMs: number, isAsWritten: boolean): readonly Word[] | null => {
  if (line.startsWith('[') && /^\[[^\]]*\]$/.test(line)) return null;
  let [count, at] = [0, 0];
  for (const word of words) {
    const trimmed = trimmedWord(word.text);
    if (trimmed === '') continue;
    let text = trimmed;
    if (!isAsWritten) {
      const from = line.charCodeAt(at) === 32 ? at + 1 : at;
      if (line.startsWith(trimmed, from)) {
        // What the line says literally needs no reading.
        at = from + trimmed.length;
      } else {
        text = readableText(trimmed);
        if (text === '') continue;
        const found = line.indexOf(text, at);
        if (found < 0 || (found > at && line.slice(at, found).trim() !== '')) return null;
        at = found + text.length;
      }
    }
    word.text = text;
    word.startMs = startMs + Math.round(word.startMs);
    words[count] = word;
    count += 1;
  }
  if (count < words.length) words.length = count;
  return count > 0 && (isAsWritten || line.slice(at).trim() === '') ? words : null;
};

/** Words are written with the space before them: to cut it alone is faster than `trim`. */
const trimmedWord = (text: string): string => {
  const last = text.charCodeAt(text.length - 1);
  if (text.charCodeAt(0) !== 32 || !(text.charCodeAt(1) > 32 && last > 32 && last < 127)) return text.trim();
  return text.slice(1);
};

/** From the last line to the first: lines that begin together end by the same next one. */
const settleEnds = (
  segments: readonly DraftCaption[],
  unmeasured: ReadonlySet<DraftCaption>,
  isCapped: boolean,
): void => {
  let nextStartMs: number | null = null;
  let here: number | null = null;
  for (const segment of segments.toReversed()) {
    if (here !== null && segment.startMs < here) nextStartMs = here;
    here = segment.startMs;
    if (unmeasured.has(segment)) {
      segment.endMs = nextStartMs ?? segment.startMs;
      segment.durationMs = segment.endMs - segment.startMs;
    } else if (isCapped && nextStartMs !== null && segment.endMs > nextStartMs) segment.endMs = nextStartMs;
  }
};

/**
 * Styled captions write a line again for each colour of its shadow: the same text at the same time says nothing new.
 * Expects the order of starts.
 */
const onceEach = (segments: readonly DraftCaption[]): DraftCaption[] => {
  const told = new Set<string>();
  let here = -1;
  return segments.filter(({ startMs, durationMs, text }) => {
    if (startMs !== here) told.clear();
    here = startMs;
    const line = `${durationMs} ${text}`;
    if (told.has(line)) return false;
    told.add(line);
    return true;
  });
};
