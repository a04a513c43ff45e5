import { elapsedMs } from '../../../kernel/clock.ts';

/** Memoizes a query for `ms`: callers within that time share one result. */
export const memoizeFor = <Result>(ms: number, ask: () => Promise<Result>): (() => Promise<Result>) => {
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
