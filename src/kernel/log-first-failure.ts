/** Reports the first of several failures in a row of something that is retried. */
export const logFirstFailure = (report: (error: unknown) => void) => {
  let isFailing = false;
  return {
    failed: (error: unknown): void => {
      if (!isFailing) report(error);
      isFailing = true;
    },
    succeeded: (): void => {
      isFailing = false;
    },
  };
};
