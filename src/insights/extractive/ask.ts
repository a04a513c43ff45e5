import type { Answer, AskInput } from '../../contract/operations/ask.ts';
import { baseLanguage } from '../../kernel/languages.ts';
import type { Source } from '../source.ts';
import { checkCancelled } from './cancellation.ts';
import { type Document, excerptOf, readDocument, tokensIn } from './document.ts';
import type { Passage } from './passages.ts';
import { asHit, coverage, rankWindows, readQuery, searchIndexOf } from './search.ts';
import { say } from './templates.ts';
import { spanOf } from './windows.ts';

/** Share of the question, weighed by rarity, that the best window must have. Calibrated in the bench `insights`. */
const groundedFrom = 0.47;
/** A further window is considered when it covers nearly as much of the question. */
const alsoFrom = 0.8;
/** How much the middle sentence of an answer counts beside all of it. */
const middleWeight = 0.5;

/** The sentence for a question that the video does not answer. */
export const notInThisVideo = (language: string | null): string => say('notFound', baseLanguage(language));

/**
 * At most three sentences that follow each other and have most of the question's words, verbatim: the answer is the citation.
 * `output_lang`: of the sentence that says that there is no answer; null: that of the captions.
 * Words cannot tell a question about the topic that the video leaves open from one that it answers.
 */
export const extractAnswer = (source: Source, { question, output_lang = null }: AskInput): Answer => {
  const document = readDocument(source);
  const index = searchIndexOf(document);
  const query = readQuery(document, question);
  const share = (terms: Iterable<string>): number => coverage(index, query, new Set(terms));
  const ranked = rankWindows(document, query, null, 3).map(({ window }) => ({
    window,
    share: share(index.termsOf[window] ?? []),
  }));
  const best = Math.max(0, ...ranked.map((each) => each.share));
  const grounded = ranked.filter((each) => each.share >= Math.max(groundedFrom, best * alsoFrom));
  const passage = bestSentences(
    document,
    grounded.flatMap(({ window }) => index.windows[window] ?? []),
    share,
  );
  if (passage === null) {
    const answer = notInThisVideo(output_lang ?? document.language);
    return { answer, grounded: false, citations: [] };
  }
  const citation = asHit(excerptOf(document, passage));
  return { answer: citation.text, grounded: true, citations: [citation] };
};

export const extract = { file: 'ask', run: extractAnswer };

/** Of all sentences in the windows, the one that has most of the question together with its neighbours, with these. */
const bestSentences = (
  document: Document,
  windows: readonly Passage[],
  share: (terms: Iterable<string>) => number,
): Passage | null => {
  const { sentences } = document;
  const termsIn = (passage: Passage) => tokensIn(document, passage).map(({ term }) => term);
  let best: { readonly passage: Passage; readonly score: number } | null = null;
  for (const window of windows) {
    for (const [at, middle] of sentences.entries()) {
      checkCancelled();
      if (middle.from < window.from || middle.to > window.to) continue;
      const isIn = (each: Passage | undefined): boolean =>
        each !== undefined && each.from >= window.from && each.to <= window.to;
      const first = isIn(sentences[at - 1]) ? at - 1 : at;
      const end = isIn(sentences[at + 1]) ? at + 2 : at + 1;
      const passage = spanOf(document, first, end);
      if (passage === null) continue;
      const score = share(termsIn(passage)) + middleWeight * share(termsIn(middle));
      if (best === null || score > best.score) best = { passage, score };
    }
  }
  return best?.passage ?? null;
};
