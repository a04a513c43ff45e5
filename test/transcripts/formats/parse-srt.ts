import type { Cue } from '#src/transcripts/transcript.ts';

const timing = /^(\d{2,}):([0-5]\d):([0-5]\d),(\d{3}) --> (\d{2,}):([0-5]\d):([0-5]\d),(\d{3})$/;

const ms = (hours = '0', minutes = '0', seconds = '0', rest = '0'): number =>
  ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(rest);

/** Reads SRT and forgives nothing: numbers without gaps, full times, at least one line of text, one blank line between. */
export const parseSrt = (file: string): Cue[] => {
  if (file === '') return [];
  if (!file.endsWith('\n')) throw new Error('the last line has no end');
  return file
    .slice(0, -1)
    .split('\n\n')
    .map((block, index) => {
      const [number, times, ...lines] = block.split('\n');
      if (number !== String(index + 1)) throw new Error(`cue ${index + 1} is numbered ${number}`);
      const [whole, h1, m1, s1, f1, h2, m2, s2, f2] = timing.exec(times ?? '') ?? [];
      if (whole === undefined) throw new Error(`not a timing: ${times}`);
      if (lines.length === 0 || lines.some((line) => line.trim() === ''))
        throw new Error(`cue ${number} has a blank line or no text`);
      if (lines.some((line) => line.includes('-->'))) throw new Error(`cue ${number} holds an arrow`);
      return {
        text: lines.join('\n').replaceAll('--\u200b>', '-->'),
        startMs: ms(h1, m1, s1, f1),
        endMs: ms(h2, m2, s2, f2),
      };
    });
};
