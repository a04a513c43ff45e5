import { readFileSync } from 'node:fs';
import type { Source } from '#src/insights/source.ts';

export const talkLanguages = ['en', 'es', 'de', 'fr', 'it', 'pt', 'ro', 'ja', 'zh', 'ko'] as const;
export type TalkLanguage = (typeof talkLanguages)[number];

/** A question and the part of its section's text that answers it. */
export type Question = { readonly question: string; readonly answer: string };
export type Section = { readonly name: string; readonly text: string; readonly questions: readonly Question[] };

const folder = new URL('./texts/', import.meta.url);

/** `# name`, its text, then `? question | the words that answer it`; without those the whole section answers. */
const readSections = (file: string): Section[] =>
  readFileSync(new URL(file, folder), 'utf8')
    .split(/^# /mu)
    .slice(1)
    .map((part) => {
      const [name = '', ...lines] = part.trim().split('\n');
      const text = lines.filter((line) => !line.startsWith('? ')).join(' ');
      const questions = lines
        .filter((line) => line.startsWith('? '))
        .map((line) => {
          const [question = '', answer = text] = line.slice(2).split(' | ');
          if (!text.includes(answer)) throw new Error(`${file}: "${answer}" is not in ${name}`);
          return { question, answer };
        });
      return { name, text, questions };
    });

/** A talk on twelve topics, written for this bench: the test set, to which no constant is tuned. */
export const talkOf = (language: TalkLanguage): Section[] => readSections(`${language}.txt`);

/** Ten lectures that repeat their terms, as speech does: for topic segmentation. */
export const lectureLanguages = ['en', 'es', 'ja'] as const;
export const lecturesOf = (language: (typeof lectureLanguages)[number]): Section[] =>
  readSections(`lecture.${language}.txt`);

/** The Universal Declaration of Human Rights: the tuning set. */
export const declarationOf = (language: TalkLanguage): Section[] => readSections(`declaration.${language}.txt`);

const isUnspaced = (language: TalkLanguage): boolean => language === 'ja' || language === 'zh';

/** Captions with the line length of the platform, some 42 characters (18 in Japanese and Chinese), at the speed of speech. */
export const captioned = (texts: readonly string[], language: TalkLanguage, { isAutomatic = false } = {}): Source => {
  const wide = isUnspaced(language) ? 18 : language === 'ko' ? 22 : 42;
  const perSecond = isUnspaced(language) ? 5.5 : language === 'ko' ? 6.5 : 15;
  let at = 0;
  const segments = texts.flatMap((text) =>
    linesOf(text, wide, isUnspaced(language)).map((line) => {
      const shown = isAutomatic ? line.replace(/[.,;:!?…«»“”"¿¡。，、？！：]/gu, '').toLowerCase() : line;
      const duration = Math.round((line.length / perSecond) * 100) / 100;
      const start = Math.round(at * 100) / 100;
      at += duration;
      return { text: shown, start, duration };
    }),
  );
  return { videoId: 'talk0000000', title: null, channel: null, durationS: Math.ceil(at), language, segments };
};

const linesOf = (text: string, wide: number, unspaced: boolean): string[] => {
  if (unspaced) return text.match(new RegExp(`.{1,${wide}}`, 'gu')) ?? [];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > wide) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return line === '' ? lines : [...lines, line];
};

/** A seeded pseudorandom generator, so that each run measures the same. */
export const seeded = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** Puts two typing errors into the longest words: swapped, dropped or doubled letters. */
export const withTypingErrors = (question: string, random: (below: number) => number): string => {
  const parts = question.split(/(\s+)/u);
  const longest = parts
    .map((word, at) => ({ at, length: word.length }))
    .toSorted((a, b) => b.length - a.length)
    .slice(0, 2);
  for (const { at, length } of longest) {
    const word = parts[at] ?? '';
    const place = 1 + random(Math.max(1, length - 3));
    const [a, b] = [word[place] ?? '', word[place + 1] ?? ''];
    const wrong = [b + a, b, a + a + b][random(3)] ?? '';
    parts[at] = word.slice(0, place) + wrong + word.slice(place + 2);
  }
  return parts.join('');
};
