import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMs } from './clock.ts';

/** How long a consumer works before it rests (ms). */
const stretchMs = 20;

/** Lets one consumer of many values rest, so that it takes at most this share of the time of the process. */
export const pacer = ({ share, signal }: { readonly share: number; readonly signal: AbortSignal }) => {
  let begunMs = elapsedMs();
  let restedMs = 0;
  return {
    /** How long it has rested until now (ms). */
    restedMs: (): number => restedMs,
    /** The same values, with a rest after each stretch of work. Waiting for values counts as work. */
    async *paced<Value>(values: AsyncIterable<Value>): AsyncIterable<Value> {
      for await (const value of values) {
        yield value;
        const workedMs = elapsedMs() - begunMs;
        if (workedMs < stretchMs) continue;
        const restsFromMs = elapsedMs();
        await pause(workedMs * (1 / share - 1), undefined, { signal });
        begunMs = elapsedMs();
        restedMs += begunMs - restsFromMs;
      }
    },
  };
};
