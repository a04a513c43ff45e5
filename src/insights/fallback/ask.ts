import type { Answer } from '../ask.ts';
import type { Source } from '../source.ts';
import { excerptOf, readDocument } from './document.ts';
import { asHit, coverage, rankWindows, readQuery, searchIndexOf } from './search.ts';
import { say } from './templates.ts';
import { baseLanguage } from './words.ts';

/** Share of the question, weighed by rarity, that the best passage must have. Calibrated in the bench `insights`. */
const groundedFrom = 0.47;
/** A further passage is cited when it covers nearly as much of the question. */
const alsoFrom = 0.8;

/** The sentence for a question that the video does not answer. */
export const notInThisVideo = (language: string | null): string =>
  say('notFound', baseLanguage(language));

/**
 * The passages that have most of the question's words, verbatim: the answer is the citations. Words cannot tell a
 * question about the topic that the video leaves open from one that it answers.
 */
export const extractAnswer = (
  source: Source,
  {
    question,
    outputLanguage = null,
  }: {
    readonly question: string;
    /** Of the sentence that says that there is no answer; null: that of the captions. */
    readonly outputLanguage?: string | null;
  },
): Answer => {
  const document = readDocument(source);
  const index = searchIndexOf(document);
  const query = readQuery(document, question);
  const ranked = rankWindows(document, query, null, 3).map(({ window }) => ({
    window,
    share: coverage(index, query, window),
  }));
  const best = Math.max(0, ...ranked.map(({ share }) => share));
  const cited = ranked.filter(({ share }) => share >= Math.max(groundedFrom, best * alsoFrom));
  const citations = cited.flatMap(({ window }) => {
    const passage = index.windows[window];
    return passage === undefined ? [] : [asHit(excerptOf(document, passage))];
  });
  if (citations.length === 0) {
    const answer = notInThisVideo(outputLanguage ?? document.language);
    return { answer, grounded: false, citations: [] };
  }
  const answer = citations.map(({ text }) => text).join('\n\n');
  return { answer, grounded: true, citations };
};
