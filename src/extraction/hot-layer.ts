import type { Extraction } from './extraction.ts';

type Entry = { readonly extraction: Extraction; readonly size: number; readonly until: number };

export type HotLayer = {
  /** The same object on every hit, so that callers may remember what they made of it. */
  get(key: string, nowMs: number): Extraction | undefined;
  set(key: string, extraction: Extraction, untilMs: number): void;
};

/** The latest extractions in this process, bounded by number and by size; the least recently used goes first. */
export const hotLayer = (bounds: {
  readonly maxEntries: number;
  readonly maxCharacters: number;
}): HotLayer => {
  const entries = new Map<string, Entry>();
  let size = 0;
  const drop = (key: string) => {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    size -= entry.size;
  };
  return {
    get(key, nowMs) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (entry.until <= nowMs) {
        drop(key);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, entry);
      return entry.extraction;
    },
    set(key, extraction, until) {
      drop(key);
      const entry = { extraction, size: sizeOf(extraction), until };
      if (entry.size > bounds.maxCharacters) return;
      entries.set(key, entry);
      size += entry.size;
      for (const oldest of entries.keys()) {
        if (entries.size <= bounds.maxEntries && size <= bounds.maxCharacters) break;
        drop(oldest);
      }
    },
  };
};

/** Text plus what an object costs, in characters. */
const sizeOf = ({ segments, tracks }: Extraction): number => {
  let size = 500 + tracks.length * 100;
  for (const { text } of segments) size += text.length + 40;
  return size;
};
