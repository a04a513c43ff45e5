import type { Token } from 'marked';
import { once } from '../../../../kernel/memoize.ts';
import { type Guide, guides } from './guides.ts';

/** A section of a guide, as it is searched. */
type Searched = {
  readonly guide: Guide;
  /** Null: what stands before the first section. */
  readonly section: { readonly id: string; readonly heading: string } | null;
  readonly text: string;
  readonly lowered: string;
};

export type FoundSection = Pick<Searched, 'guide' | 'section'> & {
  /** Words around the first place, with that place in the middle. */
  readonly excerpt: readonly [before: string, place: string, after: string];
};

const mostFound = 20;
const mostWords = 10;
const before = 60;
const after = 120;

/** The words of block tokens: a space between cells, items and paragraphs. */
const wordsOf = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if (token.type === 'table') {
        return [token['header'], ...token['rows']]
          .flat()
          .map(({ text }: { text: string }) => text)
          .join(' ');
      }
      if (token.type === 'list') return token['items'].map(({ text }: { text: string }) => text).join(' ');
      return 'text' in token ? String(token.text) : '';
    })
    .join(' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ');

const allSections = once((): readonly Searched[] =>
  guides().flatMap((guide) => {
    const { intro, sections: parts, title } = guide.document;
    const searched = (section: Searched['section'], tokens: readonly Token[]): Searched => {
      const text = wordsOf(tokens);
      return { guide, section, text, lowered: `${section?.heading ?? title} ${text}`.toLowerCase() };
    };
    return [searched(null, intro), ...parts.map((part) => searched(part, part.tokens))];
  }),
);

/** How well a section fits: each word counts once more in its heading than anywhere else in it. */
const fit = ({ section, guide, lowered }: Searched, words: readonly string[]): number => {
  const heading = (section?.heading ?? guide.document.title).toLowerCase();
  const parts = words.map((word) => {
    const count = lowered.split(word).length - 1;
    return count === 0 ? 0 : 1 + Math.log(count) + (heading.includes(word) ? 5 : 0);
  });
  return parts.includes(0) ? 0 : parts.reduce((sum, part) => sum + part, 0);
};

/** The sections of guides that have every word of a query, the best first. Guides are in memory: this takes a millisecond. */
export const searchGuides = (query: string): readonly FoundSection[] => {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, mostWords);
  return allSections()
    .map((one) => ({ one, score: fit(one, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, mostFound)
    .map(({ one: { guide, section, text } }) => ({ guide, section, excerpt: excerptOf(text, words) }));
};

const excerptOf = (text: string, words: readonly string[]): FoundSection['excerpt'] => {
  const lowered = text.toLowerCase();
  const places = words.map((word) => ({ at: lowered.indexOf(word), word })).filter(({ at }) => at !== -1);
  const { at, word } = places.reduce(
    (first, next) => (next.at < first.at ? next : first),
    places[0] ?? { at: 0, word: '' },
  );
  const start = Math.max(0, at - before);
  const end = at + word.length + after;
  return [
    `${start > 0 ? '…' : ''}${text.slice(start, at)}`,
    text.slice(at, at + word.length),
    `${text.slice(at + word.length, end)}${end < text.length ? '…' : ''}`,
  ];
};
