/** Rung by many, heard by one: a ring while nobody waits is heard by the next wait. */
export const bell = () => {
  let isRung = false;
  let hear: (() => void) | null = null;
  return {
    ring: (): void => {
      isRung = true;
      hear?.();
    },
    /** Forgets a ring that nobody has waited for. */
    clear: (): void => {
      isRung = false;
    },
    /** Until the next ring, or so many milliseconds; whether it rang. */
    wait: async (ms: number): Promise<boolean> => {
      if (!isRung) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        hear = resolve;
        await promise;
        hear = null;
        clearTimeout(timer);
      }
      const hasRung = isRung;
      isRung = false;
      return hasRung;
    },
  };
};
