import { elapsedMs } from '../../../kernel/clock.ts';

/** Asks once for all who come within `ms`: however often a page is asked for, what is behind it is asked rarely. */
export const memoizeFor = <Result>(
  ms: number,
  ask: () => Promise<Result>,
): (() => Promise<Result>) => {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let answer: Promise<Result> | undefined;
  return () => {
    if (answer === undefined || elapsedMs() - askedAtMs > ms) {
      askedAtMs = elapsedMs();
      answer = ask();
    }
    return answer;
  };
};
