/** Rung by many, heard by one: a ring while nobody waits is heard by the next wait. */
export const bell = () => {
  let isRung = false;
  let hear: (() => void) | null = null;
  return {
    ring: (): void => {
      isRung = true;
      hear?.();
    },
    /** Until the next ring, or so many milliseconds. */
    wait: async (ms: number): Promise<void> => {
      if (!isRung) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        hear = resolve;
        await promise;
        hear = null;
        clearTimeout(timer);
      }
      isRung = false;
    },
  };
};
