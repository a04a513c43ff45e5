import { isSameLanguage } from '../kernel/languages.ts';
import { ModelFailure } from './model.ts';
import { plainText, withoutLinks } from './model-text.ts';
import type { Source } from './source.ts';
import { foreignNames, foreignNumbers, sentencesOf, textOf, wordCountOf } from './verify-quotes.ts';

/** How a text is to be. */
export type TextRequirements = {
  /** BCP 47; null or left out: that of the captions. */
  readonly output_lang?: string | null | undefined;
  /** Fewest and most words; null: any. */
  readonly words: readonly [number, number] | null;
  /** The only address that may stand in it. */
  readonly link?: string;
};

/** A length in words for a text about a video: such a text is shorter than what it is about. */
export const lengthFor = (
  { segments }: Source,
  [least, most]: readonly [number, number],
): readonly [number, number] => {
  const spoken = wordCountOf(textOf(segments, { first: 0, last: segments.length - 1 }));
  return [Math.max(1, Math.min(least, Math.floor(spoken / 2))), most];
};

/** A text with a smaller part of the fewest words that were wanted is no answer. */
const leastPart = 1 / 3;

/**
 * Text about a video in which every number and, in the language of the captions, every name stands in the captions. What
 * does not is asked for again once; then the sentences that hold it are removed. Throws `ModelFailure` if nothing is left, or
 * less than a third of the fewest words.
 */
export const groundedText = async (
  source: Source,
  wanted: TextRequirements,
  write: (complaint: string) => Promise<string>,
): Promise<string> => {
  const known = [
    textOf(source.segments, { first: 0, last: source.segments.length - 1 }),
    source.title ?? '',
    source.channel ?? '',
    wanted.link ?? '',
  ].join('\n');
  const { output_lang = null } = wanted;
  const isOwnLanguage = output_lang === null || isSameLanguage(output_lang, source.language);
  const foreignIn = (text: string): readonly string[] => [
    ...foreignNumbers(text, [known]),
    ...(isOwnLanguage ? foreignNames(text, known) : []),
  ];
  const read = (text: string): string => withoutLinks(plainText(text), wanted.link ?? null).trim();

  let text = read(await write(''));
  const complaint = complaintOf(foreignIn(text), text, wanted.words);
  if (complaint !== '') text = read(await write(`\n${complaint}`));
  const { language } = source;
  const kept = withoutSentences(text, language, (sentence) => foreignIn(sentence).length > 0);
  const short = wanted.words === null ? kept : shortened(kept, language, wanted.words[1]);
  if (short === '') throw new ModelFailure('invalid_answer', 'nothing of the text is in the captions');
  if (wanted.words !== null && wordCountOf(short) < wanted.words[0] * leastPart) {
    throw new ModelFailure('invalid_answer', 'the text is far shorter than was asked for');
  }
  return short;
};

const complaintOf = (foreign: readonly string[], text: string, words: TextRequirements['words']): string => {
  const invented =
    foreign.length === 0
      ? ''
      : `Your last text held what the captions do not hold: ${foreign.slice(0, 20).join(', ')}. Leave that out. `;
  const count = wordCountOf(text);
  const isFitting = words === null || (count >= words[0] * 0.7 && count <= words[1] * 1.1);
  return isFitting ? invented : `${invented}Your last text had ${count} words.`;
};

/** Line by line, so that paragraphs and lists stay. */
const withoutSentences = (text: string, language: string | null, isDropped: (sentence: string) => boolean): string =>
  text
    .split('\n')
    .map((line) =>
      sentencesOf(line, language)
        .filter((sentence) => !isDropped(sentence))
        .join('')
        .trimEnd(),
    )
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

/** Whole sentences of at most so many words, and a tenth more; the first one in any case. */
const shortened = (text: string, language: string | null, most: number): string => {
  let words = 0;
  let isFull = false;
  return withoutSentences(text, language, (sentence) => {
    const isFirst = words === 0;
    words += wordCountOf(sentence);
    isFull ||= !isFirst && words > most * 1.1;
    return isFull;
  });
};
