import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMs } from './clock.ts';

/** How long a consumer works before it rests (ms). */
const stretchMs = 20;

/**
 * The same values. Their consumer rests after each stretch of work, so that it takes at most this share of the time of the
 * process, however many values there are. Waiting for values counts as work.
 */
export async function* paced<Value>(
  values: AsyncIterable<Value>,
  { share, signal }: { readonly share: number; readonly signal: AbortSignal },
): AsyncIterable<Value> {
  let begunMs = elapsedMs();
  for await (const value of values) {
    yield value;
    const workedMs = elapsedMs() - begunMs;
    if (workedMs < stretchMs) continue;
    await pause(workedMs * (1 / share - 1), undefined, { signal });
    begunMs = elapsedMs();
  }
}
