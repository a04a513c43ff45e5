import { z } from 'zod';
import type * as contract from '../contract/operations/chapters.ts';
import { mapCaptions } from './ask-model.ts';
import { captionBlock, writeIn } from './captions-prompt.ts';
import { extract as chaptersExtract, mostChapters, shortestSeconds } from './extractive/chapters.ts';
import { longestTitle } from './extractive/titles.ts';
import type { Implementation } from './implementation.ts';
import { ModelFailure } from './model.ts';
import { plainLine, withoutLinks } from './model-text.ts';
import { lengthOf, type Source, timestampOfSeconds } from './source.ts';

export const chapters: Implementation<typeof contract.chapters> = {
  cacheKeyOf: ({ output_lang = null }) => [output_lang, 'with source'],
  ofAuthor: ({ details }) => {
    const written = details?.chapters ?? null;
    if (written === null) return null;
    const chapters = written.map(({ startS: start, title }) => ({
      start,
      timestamp: timestampOfSeconds(start),
      title,
    }));
    return { chapters, source: 'author' };
  },
  withModel: async (source, { output_lang }, asking) => {
    const wanted = countFor(lengthOf(source));
    const parts = await mapCaptions(source, asking, (chunk, { of }) => {
      const count = Math.max(1, Math.round(wanted / of));
      return asking.ask({
        name: 'chapters',
        task: 'Divide the captions into chapters by subject. Each chapter has the number n of its first caption and a title of at most 60 characters that says what is talked about. The first chapter begins with the first caption.',
        content: `${captionBlock(chunk)}\n\nMake about ${count} chapters. ${writeIn(output_lang, source.language)}`,
        answer: chaptersSchema,
        maxOutputTokens: 1_500,
      });
    });
    const named = parts.flatMap((part) => part.chapters);
    return { chapters: chaptersOf(source, named), source: 'model' };
  },
  withoutModel: async (source, _params, extract) => ({
    chapters: await extract(chaptersExtract, source),
    source: 'extract',
  }),
};

/** Chapters as a model names them, each by the number of its first caption. */
export const namedChapters = z.array(z.object({ n: z.int(), title: z.string() }));
const chaptersSchema = z.object({ chapters: namedChapters });

/** 3 to 12 by length, fewer in the shortest videos. */
const countFor = (seconds: number): number => {
  const byLength = Math.min(mostChapters, Math.max(3, Math.round(seconds / 240) + 2));
  return Math.max(1, Math.min(byLength, Math.floor(seconds / shortestSeconds)));
};

/**
 * Chapters in order, the first at the first caption, none shorter than ten seconds, no title twice. Throws
 * `ModelFailure` where too few of what was named is left.
 */
export const chaptersOf = (source: Source, named: z.infer<typeof namedChapters>): readonly contract.Chapter[] => {
  const { segments } = source;
  const seconds = lengthOf(source);
  const titles = new Set<string>();
  const kept: contract.Chapter[] = [];
  for (const { n, title } of named.toSorted((a, b) => a.n - b.n)) {
    const segment = segments[n];
    const plain = titleOf(title);
    if (segment === undefined || plain === '' || titles.has(plain.toLowerCase())) continue;
    const start = kept.length === 0 ? (segments[0]?.start ?? 0) : segment.start;
    const previous = kept.at(-1);
    if (previous !== undefined && start - previous.start < shortestSeconds) continue;
    if (previous !== undefined && seconds - start < shortestSeconds) continue;
    titles.add(plain.toLowerCase());
    kept.push({ start, timestamp: timestampOfSeconds(start), title: plain });
  }
  const fewest = seconds < 60 ? 1 : 2;
  if (kept.length < fewest) throw new ModelFailure('invalid_answer', 'too few chapters are real');
  return kept.length <= mostChapters ? kept : evenly(kept, mostChapters);
};

const titleOf = (title: string): string => {
  const plain = plainLine(withoutLinks(title, null));
  if (plain.length <= longestTitle) return plain;
  const cut = plain.slice(0, longestTitle);
  const lastSpace = cut.lastIndexOf(' ');
  return (lastSpace > longestTitle / 2 ? cut.slice(0, lastSpace) : cut).trimEnd();
};

/** So many of them, spread over all, with the first. */
const evenly = <Item>(items: readonly Item[], count: number): readonly Item[] =>
  Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]).filter(
    (item) => item !== undefined,
  );
