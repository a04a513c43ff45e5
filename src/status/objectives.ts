import type { z } from 'zod';
import type { objectiveSchema } from '../contract/meta.ts';
import type { ObjectiveMeasurements } from './objective-measurements.ts';

type ObjectiveJson = z.input<typeof objectiveSchema>;

/** Whether the present value meets the objective, by what the status says of it. */
const comparisons = {
  'current <= objective': (current: number, objective: number) => current <= objective,
  'current < objective': (current: number, objective: number) => current < objective,
  'current >= objective': (current: number, objective: number) => current >= objective,
};

type Objective = Omit<ObjectiveJson, 'status' | 'current' | 'met_when'> & {
  readonly met_when: keyof typeof comparisons;
  readonly current: (measured: ObjectiveMeasurements) => number | null;
};

/** Consecutive failures of extraction that raise an alert. */
export const failureAlertThreshold = 3;

/** The objectives of the specification, each with the source of its present value. */
const objectives: readonly Objective[] = [
  {
    id: 'availability',
    name: 'Availability',
    target: '99.5 %',
    objective: 99.5,
    unit: 'percent',
    window: '30d',
    signal: 'answers without 5xx of all answers',
    description: 'Share of responses that are not a fault of the service.',
    met_when: 'current >= objective',
    current: ({ availability }) => availability,
  },
  {
    id: 'cached_latency_p95',
    name: 'Cached and metadata reads',
    target: 'p95 ≤ 500 ms',
    objective: 500,
    unit: 'ms',
    window: '60m',
    signal: 'p95 of the time to answer reads that ask no other service',
    description: 'Duration of reads of cached transcripts and of metadata.',
    met_when: 'current <= objective',
    current: ({ p95 }) => p95.cached,
  },
  {
    id: 'uncached_latency_p95',
    name: 'Uncached extraction',
    target: 'p95 ≤ 8 s',
    objective: 8_000,
    unit: 'ms',
    window: '60m',
    signal: 'p95 of the time to answer reads that ask the video platform',
    description: 'Duration of reading a transcript that is not cached.',
    met_when: 'current <= objective',
    current: ({ p95 }) => p95.uncached,
  },
  {
    id: 'egress_probe_latency',
    name: 'Egress probe',
    target: '≤ 2000 ms',
    objective: 2_000,
    unit: 'ms',
    window: 'last probe',
    signal: 'time of the last look at the video platform',
    description: 'Response time of the video platform.',
    met_when: 'current <= objective',
    current: ({ probeMs }) => probeMs,
  },
  {
    id: 'extraction_failures',
    name: 'Consecutive extraction failures',
    target: `alert at ${failureAlertThreshold}`,
    objective: failureAlertThreshold,
    unit: 'failures',
    window: 'since the last success',
    signal: 'extractions that failed one after the other',
    description: 'Operators are alerted at this number.',
    met_when: 'current < objective',
    current: ({ consecutiveFailures }) => consecutiveFailures,
  },
  {
    id: 'error_rate',
    name: '5xx rate',
    target: '< 1 %',
    objective: 1,
    unit: 'percent',
    window: '60m',
    signal: 'answers with 5xx of all answers',
    description: 'Share of responses that are a fault of the service.',
    met_when: 'current < objective',
    current: ({ errorRate }) => errorRate,
  },
  {
    id: 'liveness_latency',
    name: 'Liveness',
    target: '≤ 100 ms',
    objective: 100,
    unit: 'ms',
    window: '60m',
    signal: 'p95 of the time to answer /api/health',
    description: 'Response time of the liveness endpoint.',
    met_when: 'current <= objective',
    current: ({ p95 }) => p95.liveness,
  },
];

/** The objectives for the status page. Without data an objective is monitored, never met. */
export const objectivesJson = (measured: ObjectiveMeasurements): ObjectiveJson[] =>
  objectives.map(({ current, ...shown }) => {
    const value = current(measured);
    const isMet = value !== null && comparisons[shown.met_when](value, shown.objective);
    return { ...shown, status: isMet ? 'met' : 'monitored', current: value };
  });
