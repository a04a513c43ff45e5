import { elapsedMs } from './clock.ts';

/** Reports at most one of many equal failures in `everyMs`, with the number of those since the last report. */
export const throttled = <Failure>(
  everyMs: number,
  report: (failure: Failure, since: number) => void,
): ((failure: Failure) => void) => {
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  let since = 0;
  return (failure) => {
    since += 1;
    if (elapsedMs() - reportedAtMs < everyMs) return;
    reportedAtMs = elapsedMs();
    report(failure, since);
    since = 0;
  };
};
