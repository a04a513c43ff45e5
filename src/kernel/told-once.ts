/** What is tried again and again: of failures in a row the first is told. */
export const toldOnce = (tell: (error: unknown) => void) => {
  let isFailing = false;
  return {
    failed: (error: unknown): void => {
      if (!isFailing) tell(error);
      isFailing = true;
    },
    succeeded: (): void => {
      isFailing = false;
    },
  };
};
