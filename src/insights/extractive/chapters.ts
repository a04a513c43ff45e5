import type { Chapter } from '../../contract/operations/chapters.ts';
import { memoizeByObject } from '../../kernel/memoize.ts';
import { type Source, timestampOfSeconds } from '../source.ts';
import { checkCancelled } from './cancellation.ts';
import { type Document, readDocument } from './document.ts';
import { spreadOf, termWeights } from './key-phrases.ts';
import { linesOf, type Passage } from './passages.ts';
import { segmentTopics } from './segment-topics.ts';
import { say } from './templates.ts';
import { clauseTitles } from './titles.ts';

const fewest = 3;
export const mostChapters = 12;
export const shortestSeconds = 10;
/** Long transcripts are cut between groups of sentences, so that the work stays bounded. */
const mostBlocks = 500;

type Block = { firstLine: number; endLine: number; terms: string[] };

/** Sentences, or groups of them, by the caption each starts in. A caption belongs to one block. */
const blocksOf = ({ sentences, tokens, lines }: Document): Block[] => {
  const perBlock = Math.ceil(sentences.length / mostBlocks);
  const blocks: Block[] = [];
  for (const [at, { firstLine, firstToken, endToken }] of sentences.entries()) {
    checkCancelled();
    const terms = tokens.slice(firstToken, endToken).map(({ term }) => term);
    const last = blocks.at(-1);
    if (last !== undefined && (at % perBlock !== 0 || last.firstLine === firstLine)) {
      last.terms.push(...terms);
      continue;
    }
    if (last !== undefined) last.endLine = firstLine;
    blocks.push({ firstLine, endLine: lines.length, terms });
  }
  const [first] = blocks;
  if (first !== undefined) first.firstLine = 0;
  return blocks;
};

/** How many chapters a transcript may have: one in 25 seconds at most, and not more than it has blocks. */
const boundsOf = (seconds: number, blocks: number): { readonly least: number; readonly most: number } => {
  const byTime = Math.max(1, Math.floor(seconds / (2 * shortestSeconds)));
  const highest = Math.min(mostChapters, Math.max(fewest, Math.ceil(seconds / 25)), blocks, byTime);
  return { least: Math.min(fewest, highest), most: Math.max(1, highest) };
};

/** The parts of a transcript by topic, in captions. */
export const chapterPassages = memoizeByObject((document: Document): Passage[] => {
  const { lines } = document;
  const blocks = blocksOf(document);
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined || blocks.length === 0) return [];
  const numbers = new Map<string, number>();
  const words = blocks.map(({ terms }) => {
    checkCancelled();
    return terms
      .filter((term) => term !== '')
      .map((term) => {
        const known = numbers.get(term) ?? numbers.size;
        numbers.set(term, known);
        return known;
      });
  });
  const bounds = boundsOf(last.end - first.start, blocks.length);
  const startOf = (block: number): number => lines[blocks[block]?.firstLine ?? 0]?.start ?? 0;
  const endOf = (block: number): number => (block < blocks.length ? startOf(block) : last.end);
  const shortest = Math.max(shortestSeconds, (last.end - first.start) / 60);
  const found = segmentTopics(words, {
    vocabulary: Math.max(1, numbers.size),
    most: bounds.most,
    mayBe: (from, to) => endOf(to) - startOf(from) >= shortest || (from === 0 && to === blocks.length),
  });
  // The prior of Utiyama and Isahara: each part costs the logarithm of the number of words.
  const price = Math.log(
    Math.max(
      2,
      words.reduce((sum, block) => sum + block.length, 0),
    ),
  );
  const allowed = found.filter(({ starts }) => starts.length >= bounds.least);
  const [best] = (allowed.length > 0 ? allowed : found).toSorted(
    (a, b) => a.cost + price * a.starts.length - (b.cost + price * b.starts.length),
  );
  const starts = (best?.starts ?? [0]).map((block) => blocks[block]?.firstLine ?? 0);
  return starts.map((line, at) => linesOf(document, line, starts[at + 1] ?? lines.length));
});

/** The clause of each chapter that says most, verbatim; a numbered part where there is none that is not taken. */
export const chapterTitles = memoizeByObject((document: Document): string[] => {
  const passages = chapterPassages(document);
  const spread = spreadOf(document, passages);
  const used = new Set<string>();
  return passages.map((passage, at) => {
    checkCancelled();
    const titles = clauseTitles(document, passage, termWeights(document, passage, spread));
    const chosen = titles.find(({ text }) => !used.has(text.toLowerCase()));
    const title = chosen?.text ?? numberedPart(document.language, at + 1);
    used.add(title.toLowerCase());
    return title;
  });
});

const numberedPart = (language: string, number: number): string => say('part', language, { n: number });

/** Three to twelve chapters by the length of the transcript, the first at its first caption; fewer in a short one. */
export const extractChapters = (source: Source): Chapter[] => {
  const document = readDocument(source);
  const titles = chapterTitles(document);
  const [opening] = source.segments;
  if (opening === undefined) return [];
  const passages = chapterPassages(document);
  const first = opening.start;
  const named = passages.map(({ firstLine }, at) => ({
    start: at === 0 ? first : (document.lines[firstLine]?.start ?? 0),
    title: titles[at] ?? '',
  }));
  const found = named.length > 0 ? named : [{ start: first, title: numberedPart(document.language, 1) }];
  return found.map((each) => ({ ...each, timestamp: timestampOfSeconds(each.start) }));
};

export const extract = { file: 'chapters', run: extractChapters };
