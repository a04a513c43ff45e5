export type CircuitBreaker = ReturnType<typeof circuitBreaker>;

const mostFailures = 5;
const windowMs = 60_000;
const openMs = 60_000;

/** Failures within the window open the circuit; after `openMs` one call tries again. `elapsedMs` is monotonic. */
export const circuitBreaker = (elapsedMs: () => number) => {
  let failedAt: number[] = [];
  let openedAt: number | null = null;
  let isTrying = false;
  const state = (): 'closed' | 'open' | 'half_open' => {
    if (openedAt === null) return 'closed';
    return elapsedMs() - openedAt < openMs ? 'open' : 'half_open';
  };
  return {
    state,
    /** Whether a call may be made now. In the half-open state one call may; its outcome decides. */
    tryPass(): boolean {
      const now = state();
      if (now === 'closed') return true;
      if (now === 'open' || isTrying) return false;
      isTrying = true;
      return true;
    },
    succeeded() {
      failedAt = [];
      openedAt = null;
      isTrying = false;
    },
    failed() {
      const now = elapsedMs();
      failedAt = [...failedAt.filter((at) => now - at < windowMs), now];
      if (isTrying || failedAt.length >= mostFailures) {
        openedAt = now;
        failedAt = [];
      }
      isTrying = false;
    },
    /** The call ended without telling anything about the provider: its caller left. */
    abandoned() {
      isTrying = false;
    },
  };
};
