import { quoteLimits } from '../../contract/passage-limits.ts';
import { memoizeByObject } from '../../kernel/memoize.ts';
import { ownValue } from '../../kernel/own-value.ts';
import type { Excerpt, Source } from '../source.ts';
import { checkCancelled } from './cancellation.ts';
import { centroidOf, dot, sentenceVectors } from './centrality.ts';
import { type Document, excerptOf, readDocument } from './document.ts';
import { areApart, type Passage } from './passages.ts';

const { most, fewestWords, mostWords } = quoteLimits;

/** Words that mark a contrast, a judgement or the first person, per language. */
const marks: Readonly<Record<string, { readonly contrast: string; readonly first: string }>> = {
  en: { contrast: 'but however instead although never always only must', first: 'i we my our me' },
  es: { contrast: 'pero sino aunque nunca siempre solo debe', first: 'yo nosotros mi nuestro me' },
  de: { contrast: 'aber sondern obwohl nie niemals immer nur muss', first: 'ich wir mein unser mich' },
  fr: { contrast: 'mais pourtant jamais toujours seulement doit', first: 'je nous mon notre moi' },
  it: { contrast: 'ma però invece mai sempre solo deve', first: 'io noi mio nostro mi' },
  pt: { contrast: 'mas porém nunca sempre apenas só deve', first: 'eu nós meu nosso me' },
  ro: { contrast: 'dar însă ci niciodată mereu doar trebuie', first: 'eu noi meu nostru mă' },
  ja: { contrast: 'しかし でも けれど むしろ 決して 必ず', first: '私 僕 俺 我々' },
  zh: { contrast: '但 但是 然而 而是 从来 從來 必须 必須 只', first: '我 我们 我們' },
  ko: { contrast: '하지만 그러나 오히려 결코 항상 반드시', first: '나는 저는 우리는 우리 제가 내가' },
};

const setOf = (listed: string | undefined): ReadonlySet<string> => new Set(listed?.split(' '));

/** What speaks for a sentence, apart from its words' weight; contrast and first person in the languages of `marks`. */
export const traitsOf = (document: Document, passage: Passage) => {
  const { contrast, first } = ownValue(marks, document.language) ?? {};
  const [contrasts, persons] = [setOf(contrast), setOf(first)];
  const said = document.tokens.slice(passage.firstToken, passage.endToken).map(({ word }) => word);
  return {
    hasNumber: said.some((word) => /\d/.test(word)),
    hasContrast: said.some((word) => contrasts.has(word)),
    isPersonal: said.some((word) => persons.has(word)),
    isQuestion: /[?？؟]["”»』」]?$/u.test(document.text.slice(passage.from, passage.to)),
  };
};

const isBetween = (value: number, low: number, high: number): boolean => value >= low && value <= high;

/** Sentences that are neither too short nor too long, with their score, the best first. */
export const rankedQuotes = memoizeByObject((document: Document): Passage[] => {
  const vectors = sentenceVectors(document);
  const centroid = centroidOf(vectors);
  return document.sentences
    .map((passage, at) => {
      checkCancelled();
      const count = passage.endToken - passage.firstToken;
      const traits = traitsOf(document, passage);
      const vector = vectors[at];
      const fit = isBetween(count, 10, 28) ? 0.15 : 0;
      const said =
        (traits.hasNumber ? 0.06 : 0) +
        (traits.hasContrast ? 0.1 : 0) +
        (traits.isPersonal ? 0.06 : 0) -
        (traits.isQuestion ? 0.1 : 0);
      const isWhole =
        !document.isPunctuated || /[.!?…。！？]["”»』」]?$/u.test(document.text.slice(passage.from, passage.to));
      const score = (vector === undefined ? 0 : dot(vector, centroid)) + fit + said;
      return { passage, count, score: isWhole ? score : score / 2 };
    })
    .filter(({ count }) => isBetween(count, fewestWords, mostWords))
    .toSorted((a, b) => b.score - a.score || a.passage.from - b.passage.from)
    .map(({ passage }) => passage);
});

/** One quote for each 40 seconds, so that those of a short video are still a choice. */
const wantedQuotes = (document: Document): number => {
  const [first, last] = [document.lines[0], document.lines.at(-1)];
  const seconds = first === undefined || last === undefined ? 0 : last.end - first.start;
  return Math.min(most, Math.max(1, Math.ceil(seconds / 40)));
};

/** The best sentences, no two close together, one per 40 seconds up to the most; in the order in which they are said. */
export const quotePassages = (document: Document): Passage[] => {
  const chosen: Passage[] = [];
  const wanted = wantedQuotes(document);
  for (const passage of rankedQuotes(document)) {
    checkCancelled();
    if (chosen.length >= wanted) break;
    if (chosen.every((other) => areApart(document, other, passage))) chosen.push(passage);
  }
  return chosen.toSorted((a, b) => a.from - b.from);
};

/** Sentences of the transcript, verbatim, that say much by themselves; in the order in which they are said. */
export const extractQuotes = (source: Source): Excerpt[] => {
  const document = readDocument(source);
  return quotePassages(document).map((passage) => excerptOf(document, passage));
};

export const extract = { file: 'quotes', run: extractQuotes };
