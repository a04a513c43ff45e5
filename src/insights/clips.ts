import { z } from 'zod';
import type * as contract from '../contract/operations/clips.ts';
import { clipLimits } from '../contract/passage-limits.ts';
import { mapCaptions } from './ask-model.ts';
import { captionBlock } from './captions-prompt.ts';
import { extract as clipsExtract } from './extractive/clips.ts';
import type { Implementation } from './implementation.ts';
import { ModelFailure } from './model.ts';
import { plainLine, withoutLinks } from './model-text.ts';
import { interleaved, overlaps } from './quotes.ts';
import { endOf, type Source, timestampOfSeconds } from './source.ts';
import { excerptOf, type Span, sentencesOf, spanOf, textOf, timesOf } from './verify-quotes.ts';

const { most, shortestS, longestS } = clipLimits;

export const clips: Implementation<typeof contract.clips> = {
  // Kept results of earlier releases spell their members in another way.
  cacheKeyOf: () => ['end_timestamp'],
  withModel: async (source, _, asking) => {
    const parts = await mapCaptions(source, asking, (chunk, { of }) =>
      asking.ask({
        name: 'clips',
        task: `Choose passages of ${shortestS} to ${longestS} seconds that can be understood alone and begin strongly. Name each by the numbers of its first and last caption, with "label": what it is about in a few plain words, and "why": one sentence on why it works alone. The strongest come first. Write label and why in the language of the captions.`,
        content: `${captionBlock(chunk)}\n\nChoose up to ${Math.max(2, Math.ceil(most / of))} passages. A caption lasts ${secondsPerCaption(source)} seconds on average.`,
        answer: clipsSchema,
        maxOutputTokens: 1_200,
      }),
    );
    return { clips: clipsOf(source, interleaved(parts.map(({ clips: named }) => named))) };
  },
  withoutModel: async (source, _params, extract) => ({ clips: await extract(clipsExtract, source) }),
};

const clipsSchema = z.object({
  clips: z.array(z.object({ first: z.int(), last: z.int(), label: z.string(), why: z.string() })),
});

const secondsPerCaption = ({ segments }: Source): number => {
  const [first, last] = [segments[0], segments.at(-1)];
  if (first === undefined || last === undefined) return 0;
  return Math.round(((endOf(last) - first.start) / segments.length) * 10) / 10;
};

type ClipProposal = Span & { readonly label: string; readonly why: string };

const clipsOf = (source: Source, named: readonly ClipProposal[]): readonly contract.Clip[] => {
  const { segments, language } = source;
  const kept: { readonly span: Span; readonly clip: contract.Clip }[] = [];
  for (const each of named) {
    const wanted = spanOf(segments, each);
    const span = wanted === null ? null : fitted(source, wanted);
    if (span === null || kept.some((other) => overlaps(span, other.span))) continue;
    const excerpt = excerptOf(segments, span);
    const label = plainLine(withoutLinks(each.label, null)).slice(0, 120);
    const why = plainLine(withoutLinks(each.why, null)).slice(0, 300);
    if (label === '' || why === '') continue;
    const { end, text } = excerpt;
    const [sentence = text] = sentencesOf(text, language);
    // Automatic captions have no sentences: their first line opens.
    const first = textOf(segments, { first: span.first, last: span.first });
    const opening_line = sentence.length > 200 ? first : sentence.trim();
    const end_timestamp = timestampOfSeconds(end);
    kept.push({ span, clip: { ...excerpt, end_timestamp, opening_line, label, why } });
    if (kept.length === most) break;
  }
  if (kept.length === 0) throw new ModelFailure('invalid_answer', 'no passage makes a clip');
  return kept.toSorted((a, b) => a.span.first - b.span.first).map(({ clip }) => clip);
};

/** The span grown or cut at its end until it is as long as a clip; null: it cannot. */
const fitted = ({ segments }: Source, { first, last }: Span): Span | null => {
  const secondsTo = (to: number): number => {
    const { start, end } = timesOf(segments, { first, last: to });
    return end - start;
  };
  let end = last;
  while (secondsTo(end) < shortestS && end < segments.length - 1) end += 1;
  while (secondsTo(end) > longestS && end > first) end -= 1;
  const seconds = secondsTo(end);
  return seconds >= shortestS && seconds <= longestS ? { first, last: end } : null;
};
