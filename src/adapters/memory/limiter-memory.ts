import type { Clock } from '../../kernel/clock.ts';
import { type Limiter, verdictOf } from '../../kernel/limiter.ts';

type Window = { startsAt: number; readonly counts: Map<string, number> };

/** Above this many keys in one window, new keys share one counter: memory stays bounded under any attack. */
const maxKeys = 100_000;
const overflowKey = '(others)';

/**
 * Fixed windows in this process. Each window length has one map, dropped when its window ends, so a key costs one entry
 * and no timer. Exact for one process; several processes need `limiter-redis.ts`.
 */
export const memoryLimiter = ({ clock }: { readonly clock: Clock }): Limiter => {
  const windows = new Map<number, Window>();

  const windowAt = (nowS: number, windowS: number): Window => {
    const startsAt = Math.floor(nowS / windowS) * windowS;
    const known = windows.get(windowS);
    if (known !== undefined && known.startsAt === startsAt) return known;
    const fresh = { startsAt, counts: new Map<string, number>() };
    windows.set(windowS, fresh);
    return fresh;
  };

  return {
    consume({ key, limit, windowS }) {
      const nowS = clock().getTime() / 1000;
      const { startsAt, counts } = windowAt(nowS, windowS);
      const known = counts.get(key);
      const counted = known === undefined && counts.size >= maxKeys ? overflowKey : key;
      const count = (known ?? counts.get(counted) ?? 0) + 1;
      counts.set(counted, count);
      return verdictOf({ count, limit }, startsAt + windowS, nowS);
    },
    peek({ key, limit, windowS }) {
      const nowS = clock().getTime() / 1000;
      const { startsAt, counts } = windowAt(nowS, windowS);
      return verdictOf({ count: counts.get(key) ?? 0, limit }, startsAt + windowS, nowS);
    },
  };
};
