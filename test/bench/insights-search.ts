import { bm25, indexTerms, ranking } from '#src/insights/extractive/bm25.ts';
import { readDocument } from '#src/insights/extractive/document.ts';
import { searchTranscript } from '#src/insights/extractive/search.ts';
import { words } from '#src/insights/extractive/words.ts';
import type { Source } from '#src/insights/source.ts';

export type SearchQuestion = { readonly source: Source; readonly question: string; readonly answer: string };

/** Normalizes text without white space and punctuation, so that caption boundaries do not matter. */
const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Whether a hit contains all words of the answer, or half of a long passage. */
export const holds = (hit: string, answer: string): boolean => {
  const [where, what] = [bare(hit), bare(answer)];
  if (what.length <= 120) return where.includes(what);
  const half = Math.floor(what.length / 2);
  return [0, Math.floor(half / 2), half].some((at) => where.includes(what.slice(at, at + half)));
};

export const hitRates = (asked: readonly SearchQuestion[], find: (asked: SearchQuestion) => readonly string[]) => {
  const ranks = asked.map((each) => find(each).findIndex((text) => holds(text, each.answer)));
  const share = (within: number) =>
    ranks.filter((rank) => rank >= 0 && rank < within).length / Math.max(1, ranks.length);
  return { first: share(1), five: share(5) };
};

export const ourHits = ({ source, question }: SearchQuestion): string[] =>
  searchTranscript(source, { query: question, limit: 5 }).map(({ text }) => text);

/** The baseline: BM25 over words as written, in windows of six captions that overlap by half. */
export const plainHits = ({ source, question }: SearchQuestion): string[] => {
  const { language } = readDocument(source);
  const windows: string[] = [];
  for (let at = 0; at < source.segments.length; at += 3) {
    windows.push(
      source.segments
        .slice(at, at + 6)
        .map(({ text }) => text)
        .join(' '),
    );
  }
  const index = indexTerms(windows.map((text) => words(text, language)));
  const query = [...new Set(words(question, language))].map((term) => ({ term, weight: 1 }));
  return ranking(bm25(index, query))
    .slice(0, 5)
    .map((at) => windows[at] ?? '');
};
