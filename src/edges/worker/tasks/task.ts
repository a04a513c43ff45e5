/** One kind of work: parse the payload, call a command, let it throw. It runs twice without harm. */
export type Task = (
  payload: unknown,
  run: {
    readonly signal: AbortSignal;
    /** This is the last time that the queue tries. */
    readonly isLastTry: boolean;
  },
) => Promise<void>;
