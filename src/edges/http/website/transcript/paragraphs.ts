import type { Transcript } from '../../../../commands.ts';

type Cue = Transcript['cues'][number];

type Paragraph = { readonly startMs: number; readonly text: string };

const pauseMs = 2_000;
const longMs = 45_000;
const tooLongMs = 90_000;
const sentenceEnd = /[.!?…。！？]["'”’」』)]*$/u;

/**
 * Lines joined to paragraphs: a new one after a pause, after a sentence once it is long, at the latest after 90 s, and
 * where a chapter begins.
 */
export const paragraphsOf = (cues: readonly Cue[], chapterStartsMs: readonly number[]): Paragraph[] => {
  const starts = new Set(chapterStartsMs.map((ms) => Math.round(ms)));
  const found: { startMs: number; parts: string[] }[] = [];
  let endMs = 0;
  for (const cue of cues) {
    const current = found.at(-1);
    const length = current === undefined ? 0 : cue.startMs - current.startMs;
    const isEnded = sentenceEnd.test(current?.parts.at(-1) ?? '');
    const isNew =
      current === undefined ||
      cue.startMs - endMs > pauseMs ||
      (length > longMs && isEnded) ||
      length > tooLongMs ||
      starts.has(cue.startMs);
    if (isNew) found.push({ startMs: cue.startMs, parts: [cue.text] });
    else current.parts.push(cue.text);
    endMs = cue.endMs;
  }
  return found.map(({ startMs, parts }) => ({ startMs, text: joined(parts) }));
};

const noSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u;

/** Lines of one paragraph as running text: without spaces where the script has none. */
const joined = (parts: readonly string[]): string =>
  parts.reduce((text, part) => {
    const line = part.replace(/\s+/g, ' ').trim();
    return text === '' ? line : `${text}${noSpaces.test(text) ? '' : ' '}${line}`;
  }, '');
