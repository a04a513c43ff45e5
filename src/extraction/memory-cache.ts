import { LRUCache } from 'lru-cache';
import type { Extraction } from './types.ts';

export type MemoryCache = {
  /** The same object on every hit, so that callers may remember what they made of it. */
  get(key: string, nowMs: number): Extraction | undefined;
  set(key: string, extraction: Extraction, untilMs: number): void;
};

type Entry = { readonly extraction: Extraction; readonly untilMs: number };

/** The latest extractions in this process: an LRU cache bounded by number and by size. */
export const memoryCache = ({
  maxEntries,
  maxCharacters,
}: {
  readonly maxEntries: number;
  readonly maxCharacters: number;
}): MemoryCache => {
  const entries = new LRUCache<string, Entry>({
    max: maxEntries,
    maxSize: maxCharacters,
    sizeCalculation: ({ extraction }) => sizeOf(extraction),
  });
  return {
    get(key, nowMs) {
      const entry = entries.get(key);
      if (entry === undefined || entry.untilMs > nowMs) return entry?.extraction;
      entries.delete(key);
      return undefined;
    },
    set(key, extraction, untilMs) {
      entries.set(key, { extraction, untilMs });
    },
  };
};

/** Text plus what an object costs, in characters. */
const sizeOf = ({ segments, tracks }: Extraction): number => {
  let size = 500 + tracks.length * 100;
  for (const { text } of segments) size += text.length + 40;
  return size;
};
