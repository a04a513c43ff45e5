import { z } from 'zod';
import type * as contract from '../contract/operations/quotes.ts';
import { quoteLimits } from '../contract/passage-limits.ts';
import { mapCaptions } from './ask-model.ts';
import { captionBlock } from './captions-prompt.ts';
import { extract as quotesExtract } from './extractive/quotes.ts';
import type { Implementation } from './implementation.ts';
import { ModelFailure } from './model.ts';
import type { Excerpt, Source } from './source.ts';
import { excerptOf, type Span, spanOf, textOf, wordCountOf } from './verify-quotes.ts';

const { most, fewestWords, mostWords } = quoteLimits;

export const quotes: Implementation<typeof contract.quotes> = {
  cacheKeyOf: () => [],
  withModel: async (source, _, asking) => {
    const parts = await mapCaptions(source, asking, (chunk, { of }) =>
      asking.ask({
        name: 'quotes',
        task: `Choose passages that are worth quoting: complete thoughts of ${fewestWords} to ${mostWords} words. Name each by the numbers of its first and last caption. The strongest come first.`,
        content: `${captionBlock(chunk)}\n\nChoose up to ${Math.max(2, Math.ceil(most / of))} passages.`,
        answer: spansSchema,
        maxOutputTokens: 600,
      }),
    );
    return { quotes: quotesOf(source, interleaved(parts.map(({ passages }) => passages))) };
  },
  withoutModel: async (source, _params, extract) => ({
    quotes: (await extract(quotesExtract, source)).map(withoutEnd),
  }),
};

const withoutEnd = ({ end: _, ...quote }: Excerpt): contract.Quote => quote;

const spansSchema = z.object({ passages: z.array(z.object({ first: z.int(), last: z.int() })) });

/** The first of each part, then the second of each: a long video is quoted from its whole length. */
export const interleaved = <Item>(parts: readonly (readonly Item[])[]): readonly Item[] => {
  const longest = Math.max(0, ...parts.map(({ length }) => length));
  return Array.from({ length: longest }, (_, rank) => parts.flatMap((part) => part[rank] ?? [])).flat();
};

/** Whether two spans share a caption. */
export const overlaps = (one: Span, other: Span): boolean => one.first <= other.last && other.first <= one.last;

const quotesOf = (source: Source, named: readonly Span[]): readonly contract.Quote[] => {
  const { segments } = source;
  const spans: Span[] = [];
  for (const each of named) {
    const span = spanOf(segments, each);
    if (span === null || spans.some((other) => overlaps(span, other))) continue;
    const words = wordCountOf(textOf(segments, span));
    if (words < fewestWords || words > mostWords) continue;
    spans.push(span);
    if (spans.length === most) break;
  }
  if (spans.length === 0) throw new ModelFailure('invalid_answer', 'no passage can be quoted');
  return spans.toSorted((a, b) => a.first - b.first).map((span) => withoutEnd(excerptOf(segments, span)));
};
