import { isTime, lastingMs, type RawLine, UnreadableCaptions } from './caption-line.ts';
import { readableText } from './caption-text.ts';

const timing = /^(?:(\d+):)?(\d{2}):(\d{2})\.(\d{3})[ \t]*-->[ \t]*(?:(\d+):)?(\d{2}):(\d{2})\.(\d{3})(?:\s|$)/;

type VttCue = { readonly startMs: number; readonly endMs: number; readonly lines: readonly string[] };

export const isVtt = (body: string): boolean => /^\ufeff?WEBVTT(?:[ \t\r\n]|$)/.test(body);

/**
 * The cues of a WebVTT file in their order. A cue whose times cannot be read is left out, as the standard asks; where
 * that leaves none of them, the times are written in a way that is not known. One may end before it begins.
 */
export const readVtt = (body: string): VttCue[] => {
  const rows = body.split(/\r\n|\n|\r/);
  const cues: VttCue[] = [];
  let row = 1;
  while (row < rows.length) {
    const match = timing.exec((rows[row] ?? '').trimStart());
    row += 1;
    if (match === null) continue;
    const lines: string[] = [];
    for (; row < rows.length; row += 1) {
      const line = rows[row] ?? '';
      if (line === '' || line.includes('-->')) break;
      lines.push(line);
    }
    const startMs = millis(match[1], match[2], match[3], match[4]);
    const endMs = millis(match[5], match[6], match[7], match[8]);
    if (!isTime(startMs)) throw new UnreadableCaptions('cue.time');
    cues.push({ startMs, endMs, lines });
  }
  if (cues.length === 0 && body.includes('-->')) throw new UnreadableCaptions('cue.time');
  return cues;
};

const millis = (hours = '0', minutes = '0', seconds = '0', rest = '0'): number =>
  ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(rest);

/** Cues as lines in their order; times in milliseconds. */
export const linesOfVtt = (cues: readonly VttCue[]): RawLine[] =>
  cues.map(({ lines, startMs, endMs }) => ({
    text: lines.join('\n'),
    startMs,
    durationMs: lastingMs(endMs - startMs),
  }));

/**
 * Automatic captions roll: each cue repeats the line above the new one, and cues of 10 ms hold the picture between two
 * words. Every line is told once, from the cue in which it appears to the last cue that still shows it.
 */
export const linesOfRollingVtt = (cues: readonly VttCue[]): RawLine[] => {
  const told: (RawLine & { durationMs: number | null })[] = [];
  let shown: { text: string; index: number }[] = [];
  for (const cue of cues) {
    const texts = cue.lines.map(readableText).filter((text) => text !== '');
    const kept = overlap(
      shown.map(({ text }) => text),
      texts,
    );
    const next = kept.length === 0 ? [] : shown.slice(shown.length - kept.length);
    for (const { index } of next) {
      const line = told[index];
      if (line !== undefined) line.durationMs = lastingMs(cue.endMs - line.startMs) ?? line.durationMs;
    }
    for (const text of texts.slice(kept.length)) {
      next.push({ text, index: told.length });
      told.push({ text, startMs: cue.startMs, durationMs: lastingMs(cue.endMs - cue.startMs) });
    }
    shown = next;
  }
  return told;
};

/** Players show two or three lines at once. The bound keeps the comparison of two long cues linear. */
const longestOverlap = 50;

/** The longest end of what was shown that the new cue begins with. */
const overlap = (shown: readonly string[], texts: readonly string[]): readonly string[] => {
  for (let size = Math.min(shown.length, texts.length, longestOverlap); size > 0; size -= 1) {
    const tail = shown.slice(shown.length - size);
    if (tail.every((text, index) => text === texts[index])) return tail;
  }
  return [];
};
