/** The one place where the time comes from; everything else is handed a `Clock`. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** Monotonic milliseconds, for durations and deadlines; never for what is stored. */
export const elapsedMs = (): number => performance.now();

/** A signal that aborts when the time is up, for the reason that is made then. */
export const timeLimit = (ms: number, reason: () => unknown): Disposable & { readonly signal: AbortSignal } => {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(reason()), Math.max(0, ms));
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
};

/** RFC 3339 of a Unix time that somebody else gave, in seconds. */
export const isoOfUnixSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Milliseconds. */
export const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
