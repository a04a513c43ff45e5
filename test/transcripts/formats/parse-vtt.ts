import type { Cue } from '#src/transcripts/transcript.ts';

const timing =
  /^[ \t\f]*(?:(\d+):)?([0-5]\d):([0-5]\d)\.(\d{3})[ \t\f]*-->[ \t\f]*(?:(\d+):)?([0-5]\d):([0-5]\d)\.(\d{3})(?!\d)/;

const ms = (hours: string | undefined, minutes = '0', seconds = '0', rest = '0'): number =>
  ((Number(hours ?? 0) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(rest);

const references: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: '\u00a0',
  lrm: '\u200e',
  rlm: '\u200f',
};

/** The text of a payload: tags gone, character references resolved once. */
const textOf = (payload: string): string =>
  payload
    .replace(/<[^>]*>?/g, '')
    .replace(/&(amp|lt|gt|quot|nbsp|lrm|rlm);/g, (_, name: string) => references[name] ?? '');

const cueOf = (line: string): { startMs: number; endMs: number } | null => {
  const [whole, h1, m1, s1, f1, h2, m2, s2, f2] = timing.exec(line) ?? [];
  return whole === undefined ? null : { startMs: ms(h1, m1, s1, f1), endMs: ms(h2, m2, s2, f2) };
};

/** Collects one block from line `from` on: its cue, if it is one, and the line after it. */
const blockAt = (lines: readonly string[], from: number): { cue: Cue | null; next: number } => {
  let cue: { startMs: number; endMs: number } | null = null;
  let hasArrow = false;
  let payload: string[] = [];
  const done = (next: number) => ({ cue: cue && { ...cue, text: textOf(payload.join('\n')) }, next });
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const place = at - from + 1;
    if (line.includes('-->')) {
      if (place > 2 || hasArrow) return done(at);
      hasArrow = true;
      cue = cueOf(line);
      payload = [];
    } else if (line === '') return done(at + 1);
    else payload.push(line);
  }
  return done(lines.length);
};

/**
 * The W3C's algorithm for WebVTT files (section 6.1), cue by cue, without regions, styles and settings.
 * It forgives what the standard forgives, and throws when the file is not WebVTT.
 */
export const parseVtt = (file: string): Cue[] => {
  const lines = file
    .replace(/^\ufeff/, '')
    .replaceAll('\0', '\ufffd')
    .split(/\r\n|\r|\n/);
  if (!/^WEBVTT(?:[ \t].*)?$/.test(lines[0] ?? '')) throw new Error('not WebVTT');
  let at = 1;
  while (at < lines.length && lines[at] !== '' && !lines[at]?.includes('-->')) at += 1;
  const cues: Cue[] = [];
  while (at < lines.length) {
    const { cue, next } = blockAt(lines, at);
    if (cue) cues.push(cue);
    at = next;
  }
  return cues;
};
