import { elapsedMs } from '../../../kernel/clock.ts';

/** A call that is answered within this time is answered without progress, in plain JSON. */
const firstAfterMs = 250;
const everyMs = 1_000;

/**
 * Tells a client that its call is still worked on, until the work ends: clients give up after 60 s without a word. The
 * progress is the time in seconds; how long a platform or a model takes is not known.
 */
export const withProgress = async <Result>(
  tell: ((progress: number) => void) | null,
  work: () => Promise<Result>,
): Promise<Result> => {
  if (tell === null) return work();
  const startedMs = elapsedMs();
  let timer: NodeJS.Timeout;
  const tick = (): void => {
    tell(Math.round(elapsedMs() - startedMs) / 1000);
    timer = setTimeout(tick, everyMs);
  };
  timer = setTimeout(tick, firstAfterMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
};
