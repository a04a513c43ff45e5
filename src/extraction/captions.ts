import { hash } from 'node:crypto';
import { readLines } from './caption-formats.ts';
import type { RawLine } from './caption-line.ts';
import { readableText } from './caption-text.ts';
import { isVtt, linesOfRollingVtt, linesOfVtt, readVtt } from './caption-vtt.ts';
import type { Segment } from './extraction.ts';

export type { CaptionFormat } from './caption-formats.ts';
export { UnreadableCaptions } from './caption-line.ts';

/**
 * Reads a caption document of any known format into normalized lines: ordered by start, one line each, never empty.
 * Automatic captions overlap by design (a line stays until the one after the next begins), so their `endMs` stops at
 * the next start; times of manual captions are never touched. No lines: the document has no text.
 * Throws `UnreadableCaptions` on anything that is no complete caption document.
 */
export const readCaptions = (
  body: string,
  { isAutomatic }: { readonly isAutomatic: boolean },
): readonly Segment[] => {
  const lines = isVtt(body) ? linesOf(body, isAutomatic) : readLines(body);
  const segments = segmentsOf(lines);
  if (isAutomatic) capEnds(segments);
  return Object.freeze(segments);
};

/** SHA-256 (hex) over times and text of every line: equal content has one name, whatever format it came in. */
export const contentSha256 = (segments: readonly Segment[]): string => {
  let content = '';
  for (const { startMs, durationMs, endMs, text } of segments)
    content += `${startMs}\t${durationMs}\t${endMs}\t${text}\n`;
  return hash('sha256', content, 'hex');
};

const linesOf = (body: string, isAutomatic: boolean): RawLine[] => {
  const cues = readVtt(body);
  return isAutomatic ? linesOfRollingVtt(cues) : linesOfVtt(cues);
};

type Open = { text: string; startMs: number; durationMs: number; endMs: number };

/** Lines whose duration is missing (appended and last ones) last until the next line begins. */
const segmentsOf = (lines: readonly RawLine[]): Open[] => {
  const segments: Open[] = [];
  const unmeasured = new Set<Open>();
  let isOrdered = true;
  let last = -1;
  for (const line of lines) {
    const text = readableText(line.text);
    if (text === '') continue;
    const startMs = Math.round(line.startMs);
    const durationMs = Math.round(line.durationMs ?? 0);
    const segment = { text, startMs, durationMs, endMs: startMs + durationMs };
    if (line.durationMs === null) unmeasured.add(segment);
    if (startMs < last) isOrdered = false;
    last = startMs;
    segments.push(segment);
  }
  if (!isOrdered) segments.sort((a, b) => a.startMs - b.startMs);
  if (unmeasured.size === 0) return segments;
  for (const [index, segment] of segments.entries()) {
    if (!unmeasured.has(segment)) continue;
    segment.endMs = segments[index + 1]?.startMs ?? segment.startMs;
    segment.durationMs = segment.endMs - segment.startMs;
  }
  return segments;
};

const capEnds = (segments: Open[]): void => {
  let nextStart = Number.POSITIVE_INFINITY;
  let here = Number.POSITIVE_INFINITY;
  for (let index = segments.length - 1; index >= 0; index -= 1) {
    const segment = segments[index];
    if (segment === undefined) continue;
    // Lines that begin together all end at the first later start.
    if (segment.startMs < here) nextStart = here;
    here = segment.startMs;
    if (segment.endMs > nextStart) segment.endMs = nextStart;
  }
};
