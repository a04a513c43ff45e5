/** A query of a library: what is looked for, what has to stand there word by word, and what may not. */
export type LibraryQuery = {
  /** All that is looked for, phrases without their quotation marks. */
  readonly text: string;
  readonly phrases: readonly string[];
  readonly excluded: readonly string[];
};

/** A phrase in quotation marks of any of the ten languages, excluded where a hyphen stands before it. */
const phrase = /(?<![\p{L}\p{N}])(-?)["“„«「『]([^"“”„«»「」『』]+)["”“»」』]/gu;
/** A word with a hyphen before it, which stands at the beginning or after a blank. */
const excludedWord = /(?<=^|\s)-([\p{L}\p{N}][^\s]*)/gu;

/** `lamp "first light" -oil`: passages about lamps that hold the phrase and do not hold the word. */
export const readSearchQuery = (query: string): LibraryQuery => {
  const phrases: string[] = [];
  const excluded: string[] = [];
  const withoutPhrases = query.replace(phrase, (_, hyphen: string, words: string) => {
    if (hyphen === '-') excluded.push(words);
    else phrases.push(words);
    return hyphen === '-' ? ' ' : ` ${words} `;
  });
  const text = withoutPhrases.replace(excludedWord, (_, word: string) => {
    excluded.push(word);
    return ' ';
  });
  return { text: text.trim(), phrases, excluded };
};
