import type { ExtractionReport, Histogram, Responses, ServiceRecords, Work } from './service-records.ts';

/** Figures of all processes together; null without data. */
export type ObjectiveMeasurements = {
  /** Percent of responses without 5xx in the last 30 days. */
  readonly availability: number | null;
  /** Percent of responses with 5xx in the last hour. */
  readonly errorRate: number | null;
  /** 95th percentile of the duration in the last hour (ms), by class of work. */
  readonly p95: Readonly<Record<Work, number | null>>;
  /** Latency of the newest probe (ms); null: it failed, or there is none. */
  readonly probeMs: number | null;
  /** Of the process with the longest run of failures since any process succeeded. */
  readonly consecutiveFailures: number;
  /** The first failure that is known of these; null: there is none. */
  readonly failingSince: string | null;
};

/** Figures from what all processes have recorded, and from what this one knows of extractions. */
export const measuredOf = (
  { last30Days, lastHour, durations, others }: ServiceRecords,
  own: ExtractionReport & { readonly failingSince: string | null },
): ObjectiveMeasurements => {
  const reports = [own, ...others];
  const failing = percentFailed(last30Days);
  return {
    availability: failing === null ? null : Math.round((100 - failing) * 100) / 100,
    errorRate: percentFailed(lastHour),
    p95: { cached: p95(durations.cached), uncached: p95(durations.uncached), liveness: p95(durations.liveness) },
    probeMs: newestProbeMs(reports),
    ...failuresIn(reports, own.failingSince),
  };
};

/** Percent, with two decimals. */
const percentFailed = ({ total, failed }: Responses): number | null =>
  total === 0 ? null : Math.round((failed / total) * 10_000) / 100;

const p95 = (counts: Histogram): number | null => {
  const total = counts.values().reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [boundMs, count] of [...counts].sort(([a], [b]) => a - b)) {
    seen += count;
    if (seen >= total * 0.95) return boundMs;
  }
  return null;
};

const timeOf = (at: string | null | undefined): number => (at == null ? Number.NEGATIVE_INFINITY : Date.parse(at));

const newestProbeMs = (reports: readonly ExtractionReport[]): number | null => {
  const [newest] = reports
    .flatMap(({ lastProbe }) => lastProbe ?? [])
    .sort((a, b) => timeOf(b.checkedAt) - timeOf(a.checkedAt));
  return newest?.ok === true ? Math.round(newest.latencyMs) : null;
};

/** The failures since any process succeeded. Of other processes the last failure is known, not the first. */
const failuresIn = (
  reports: readonly ExtractionReport[],
  ownSince: string | null,
): Pick<ObjectiveMeasurements, 'consecutiveFailures' | 'failingSince'> => {
  const succeededAt = Math.max(...reports.map(({ lastExtractedAt }) => timeOf(lastExtractedAt)));
  const failing = reports.filter(({ lastFailureAt }) => timeOf(lastFailureAt) > succeededAt);
  const known = [ownSince, ...failing.map(({ lastFailureAt }) => lastFailureAt)]
    .map(timeOf)
    .filter((at) => at > succeededAt);
  return {
    consecutiveFailures: Math.max(0, ...failing.map((report) => report.consecutiveFailures)),
    failingSince: known.length === 0 ? null : new Date(Math.min(...known)).toISOString(),
  };
};
