import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/clock.ts';
import type { Extraction } from './captions/caption-track.ts';

/**
 * The latest extractions in this process, each for its own time, bounded by number and by characters. A hit is always
 * the same object, so that callers may remember what they made of it.
 */
export const memoryCache = (clock: Clock, bounds: { readonly max: number; readonly maxSize: number }) =>
  new LRUCache<string, Extraction>({
    ...bounds,
    sizeCalculation: sizeOf,
    perf: { now: () => clock().getTime() },
    ttlResolution: 0,
  });

/** Text plus what an object costs, in characters. */
const sizeOf = ({ segments, tracks, video }: Extraction): number => {
  let size = 500 + tracks.length * 100 + (video.details?.description?.length ?? 0);
  for (const { text, words = [] } of segments) size += text.length + 40 + words.length * 50;
  return size;
};
