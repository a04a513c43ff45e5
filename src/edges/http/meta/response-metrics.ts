import type { Clock } from '../../../kernel/clock.ts';
import type { Answered } from '../middleware/dependencies.ts';

/** Measurements of the responses of this process; null without data. */
export type Measured = {
  /** Percent of responses without 5xx, over 30 days or since the start. */
  readonly availability: number | null;
  /** Percent of responses with 5xx in the last hour. */
  readonly errorRate: number | null;
  /** 95th percentile of the duration in the last hour (ms), by class of work. */
  readonly p95: Readonly<Record<Work, number | null>>;
};

/** Cached reads and metadata; reads that call the platform; liveness. */
export type Work = 'cached' | 'uncached' | 'liveness';

/**
 * Bounds of the histogram: preferred numbers (R10), 0.1 ms to 100 s. Every objective is a bound, and the error is at
 * most 26 %.
 */
const edgesMs = [0.1, 1, 10, 100, 1_000, 10_000].flatMap((decade) =>
  [1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8].map((step) => step * decade),
);

type Slot = {
  ordinal: number;
  total: number;
  failed: number;
  readonly histograms: Readonly<Record<Work, Uint32Array>>;
};

const hours = 720;
const minutes = 60;

const emptySlot = (ordinal: number): Slot => ({
  ordinal,
  total: 0,
  failed: 0,
  histograms: {
    cached: new Uint32Array(edgesMs.length + 1),
    uncached: new Uint32Array(edgesMs.length + 1),
    liveness: new Uint32Array(edgesMs.length + 1),
  },
});

/**
 * Counts responses in ring buffers of 720 hours and 60 minutes, so that memory and reading cost are constant. Aborted
 * requests count as neither good nor bad.
 */
export const responseMetrics = ({ clock }: { readonly clock: Clock }) => {
  const byHour: { ordinal: number; total: number; failed: number }[] = [];
  const byMinute: Slot[] = [];

  const minuteSlot = (): Slot => {
    const ordinal = Math.floor(clock().getTime() / 60_000);
    const known = byMinute[ordinal % minutes];
    if (known?.ordinal === ordinal) return known;
    const fresh = emptySlot(ordinal);
    byMinute[ordinal % minutes] = fresh;
    return fresh;
  };

  const hourSlot = () => {
    const ordinal = Math.floor(clock().getTime() / 3_600_000);
    const known = byHour[ordinal % hours];
    if (known?.ordinal === ordinal) return known;
    const fresh = { ordinal, total: 0, failed: 0 };
    byHour[ordinal % hours] = fresh;
    return fresh;
  };

  return {
    record(answered: Answered): void {
      if (answered.isAborted) return;
      const minute = minuteSlot();
      for (const slot of [minute, hourSlot()]) {
        slot.total += 1;
        if (answered.status >= 500) slot.failed += 1;
      }
      const work = workOf(answered);
      if (work === null) return;
      const histogram = minute.histograms[work];
      const bucket = edgesMs.findIndex((edge) => answered.ms <= edge);
      const at = bucket === -1 ? edgesMs.length : bucket;
      histogram[at] = (histogram[at] ?? 0) + 1;
    },

    measured(): Measured {
      const nowMs = clock().getTime();
      const lastHour = byMinute.filter(({ ordinal }) => ordinal > nowMs / 60_000 - minutes);
      const month = byHour.filter(({ ordinal }) => ordinal > nowMs / 3_600_000 - hours);
      const failing = shareFailed(month);
      return {
        availability: failing === null ? null : 100 - failing,
        errorRate: shareFailed(lastHour),
        p95: {
          cached: p95(lastHour.map(({ histograms }) => histograms.cached)),
          uncached: p95(lastHour.map(({ histograms }) => histograms.uncached)),
          liveness: p95(lastHour.map(({ histograms }) => histograms.liveness)),
        },
      };
    },
  };
};

export type ResponseMetrics = ReturnType<typeof responseMetrics>;

/** Only successful reads have an objective: a refusal is fast in any state of the service. */
const workOf = ({ route, method, status, isCacheHit }: Answered): Work | null => {
  if (route === '/api/health') return 'liveness';
  if (status >= 400 || method !== 'GET') return null;
  if (isCacheHit === false) return 'uncached';
  return route?.startsWith('/v1/') === true ? 'cached' : null;
};

/** Percent, with two decimals. */
const shareFailed = (
  slots: readonly { readonly total: number; readonly failed: number }[],
): number | null => {
  const total = slots.reduce((sum, slot) => sum + slot.total, 0);
  if (total === 0) return null;
  const failed = slots.reduce((sum, slot) => sum + slot.failed, 0);
  return Math.round((failed / total) * 10_000) / 100;
};

const p95 = (histograms: readonly Uint32Array[]): number | null => {
  const total = histograms.reduce((sum, counts) => sum + counts.reduce((a, b) => a + b, 0), 0);
  if (total === 0) return null;
  let seen = 0;
  for (const [at, edge] of edgesMs.entries()) {
    seen += histograms.reduce((sum, counts) => sum + (counts[at] ?? 0), 0);
    if (seen >= total * 0.95) return edge;
  }
  return Number(edgesMs.at(-1));
};
