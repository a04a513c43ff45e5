import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { once } from '../../kernel/memoize.ts';
import type { Metrics, MetricsSnapshot } from '../../kernel/metrics.ts';

/** Every objective is a bound: 0.1 s (liveness), 0.5 s (cached), 8 s (uncached). */
const durationBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 30];

/** The path of a request that no route takes can be anything; methods of others are few. */
const unmatched = 'unmatched';

/** Memory, processor, event loop: of the process, not of an app in it, and measured from the first scrape on. */
const processMetrics = once(() => {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
});

/** Metrics of one app, in a registry of its own. `build` is told by `steno_build_info`; a label `role` would collide with that of a scrape target. */
export const prometheusMetrics = (build: { readonly version: string; readonly role: string }): Metrics => {
  const register = new Registry();
  const counters = countersIn(register);
  const set = gaugesIn(register);
  const info = new Gauge({
    name: 'steno_build_info',
    help: 'Always 1; the labels identify the running program.',
    labelNames: ['version', 'steno_role', 'node'],
    registers: [register],
  });
  const { version, role } = build;
  info.set({ version, steno_role: role, node: process.version }, 1);
  return {
    ...counters,
    async expose(snapshot) {
      set(snapshot);
      const text = await Registry.merge([processMetrics(), register]).metrics();
      // The lag of the event loop is measured from the first scrape on: until then it is no number.
      return text.replace(/^[^#\n]* NaN\n/gim, '');
    },
  };
};

const countersIn = (register: Registry): Omit<Metrics, 'expose'> => {
  const registers = [register];
  const counter = <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const requests = counter(
    'http_requests_total',
    'Answered requests. Those whose caller left before the answer are not counted here.',
    ['route', 'method', 'code'],
  );
  const aborted = counter(
    'http_requests_aborted_total',
    'Requests whose caller closed the connection before the answer.',
  );
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Response time. class: cached and uncached successful reads, other: everything else.',
    labelNames: ['route', 'class'] as const,
    buckets: durationBounds,
    registers,
  });
  const conflicts = counter(
    'eventlog_append_conflicts_total',
    'Appends that found their stream at another version and were decided again.',
  );
  const credits = counter(
    'credits_charged_total',
    'Credits charged by this process; repeats are not counted, refunds not subtracted.',
  );
  const webhooks = counter(
    'webhook_attempts_total',
    'Attempts to deliver a webhook. result: delivered, or why it failed.',
    ['result'],
  );
  const reaped = counter('worker_reaped_total', 'Pools of dead workers whose tasks this process gave to others.');
  const avoided = counter(
    'egress_avoided_total',
    'Times that an egress was left alone for a while. reason: connection, timeout, or blocked.',
    ['reason'],
  );
  return {
    answered: ({ route, method, status, ms, isAborted }, responseClass) => {
      if (isAborted) return aborted.inc();
      const named = route ?? unmatched;
      requests.inc({ route: named, method, code: status });
      durations.observe({ route: named, class: responseClass }, ms / 1_000);
    },
    appendConflicted: () => conflicts.inc(),
    creditsCharged: (amount) => credits.inc(amount),
    webhookAttempted: (result) => webhooks.inc({ result }),
    workersReaped: (pools) => reaped.inc(pools),
    egressAvoided: (reason) => avoided.inc({ reason }),
  };
};

type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

type GaugeOfSnapshot = {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  readonly read: (snapshot: MetricsSnapshot) => readonly Sample[];
};

/** One sample, or none where there is no value. */
const one = (value: number | null | undefined): readonly Sample[] =>
  value === null || value === undefined ? [] : [[value]];

/** One sample for each of these, none while the database does not answer. */
const each = <Row>(rows: readonly Row[] | undefined, sampleOf: (row: Row) => Sample): readonly Sample[] =>
  (rows ?? []).map(sampleOf);

const circuitStates = ['closed', 'half_open', 'open'];

const gaugesOfProcess: readonly GaugeOfSnapshot[] = [
  {
    name: 'extraction_consecutive_failures',
    help: 'Consecutive failed extractions, excluding failures caused by a video.',
    read: ({ extraction }) => one(extraction.consecutiveFailures),
  },
  {
    name: 'egress_probe_latency_seconds',
    help: 'Duration of the last probe of the video platform.',
    read: ({ extraction: { lastProbe } }) => (lastProbe ? one(lastProbe.latencyMs / 1_000) : []),
  },
  {
    name: 'egress_last_probe_timestamp_seconds',
    help: 'Time of the last probe of the video platform by this process.',
    read: ({ extraction: { lastProbe } }) => (lastProbe ? one(Date.parse(lastProbe.checkedAt) / 1_000) : []),
  },
  {
    name: 'egress_probe_success',
    help: '1 if the last probe of the platform succeeded, else 0.',
    read: ({ extraction: { lastProbe } }) => (lastProbe ? one(Number(lastProbe.ok)) : []),
  },
  {
    name: 'postgres_pool_connections',
    help: 'Connections to Postgres, by pool; state: used or idle.',
    labels: ['pool', 'state'],
    read: ({ pools }) =>
      pools.flatMap(({ name: pool, total, idle }): Sample[] => [
        [total - idle, { pool, state: 'used' }],
        [idle, { pool, state: 'idle' }],
      ]),
  },
  {
    name: 'postgres_pool_waiting',
    help: 'Callers waiting for a connection to Postgres, by pool.',
    labels: ['pool'],
    read: ({ pools }) => each(pools, ({ name: pool, waiting }) => [waiting, { pool }]),
  },
  {
    name: 'ai_circuit_state',
    help: 'Circuit breaker of the AI provider: 0 closed, 1 half open, 2 open.',
    read: ({ aiCircuit }) => (aiCircuit === null ? [] : one(circuitStates.indexOf(aiCircuit))),
  },
];

/** Each process tells the same of these: they are about the whole installation. */
const gaugesOfDatabase: readonly GaugeOfSnapshot[] = [
  {
    name: 'database_up',
    help: '1 if the database answered this scrape in time, else 0.',
    read: ({ database }) => one(Number(database !== null)),
  },
  {
    name: 'database_writable',
    help: '1 if the database accepted a write in time, else 0: its disk may be full.',
    read: ({ isWritable }) => one(Number(isWritable)),
  },
  {
    name: 'eventlog_head_position',
    help: 'Position of the newest event.',
    read: ({ database }) => one(database?.headPosition),
  },
  {
    name: 'projection_lag_positions',
    help: 'Positions that a reader of the event log is behind its end.',
    labels: ['projection'],
    read: ({ database }) => each(database?.lags, ({ name, positions }) => [positions, { projection: name }]),
  },
  {
    name: 'projection_lag_seconds',
    help: 'Age of the oldest event that a reader of the event log has not handled.',
    labels: ['projection'],
    read: ({ database }) => each(database?.lags, ({ name, seconds }) => [seconds, { projection: name }]),
  },
  {
    name: 'projection_stopped',
    help: '1 if a reader of the event log has stopped at an event that it cannot handle, else 0.',
    labels: ['projection'],
    read: ({ database }) => each(database?.lags, ({ name, isStopped }) => [Number(isStopped), { projection: name }]),
  },
  {
    name: 'projection_parked_streams',
    help: 'Streams parked by a reader of the event log because it cannot handle one of their events.',
    labels: ['projection'],
    read: ({ database }) => each(database?.lags, ({ name, parkedStreams }) => [parkedStreams, { projection: name }]),
  },
  {
    name: 'queue_due_tasks',
    help: 'Tasks that are due, by name.',
    labels: ['task'],
    read: ({ database }) => each(database?.tasks, ({ task, due }) => [due, { task }]),
  },
  {
    name: 'queue_age_seconds',
    help: 'How long the oldest due task has been due, by name.',
    labels: ['task'],
    read: ({ database }) => each(database?.tasks, ({ task, oldestS }) => [oldestS, { task }]),
  },
  {
    name: 'workers_alive',
    help: 'Worker processes with a recent heartbeat.',
    read: ({ database }) => one(database?.workers),
  },
  {
    name: 'steno_audit_age_seconds',
    help: 'Seconds since the audit of the ledgers last completed.',
    read: ({ database }) => one(database?.audit.ageS),
  },
  {
    name: 'steno_audit_mismatches',
    help: 'Ledgers, or parts of the transparency log, that the audit found not to match.',
    read: ({ database }) => one(database?.audit.mismatches),
  },
  {
    name: 'ledger_verify_problems',
    help: 'Problems found by the last steno verify of all accounts.',
    read: ({ database }) => one(database?.verification?.problems),
  },
  {
    name: 'ledger_verify_timestamp_seconds',
    help: 'When steno verify of all accounts last completed.',
    read: ({ database }) => one(database?.verification?.atS),
  },
  {
    name: 'postgres_wal_archive_failures',
    help: "Failed attempts to archive a file of the write-ahead log since the server's statistics were reset.",
    read: ({ database }) => one(database?.walArchive.failures),
  },
  {
    name: 'postgres_wal_last_archived_timestamp_seconds',
    help: 'When a file of the write-ahead log was last archived.',
    read: ({ database }) => one(database?.walArchive.lastAtS),
  },
];

/** Gauges are set anew at each scrape: a label that is gone has no value any more. */
const gaugesIn = (register: Registry): ((snapshot: MetricsSnapshot) => void) => {
  const gauges = [...gaugesOfProcess, ...gaugesOfDatabase].map(({ name, help, labels = [], read }) => ({
    gauge: new Gauge({ name, help, labelNames: [...labels], registers: [register] }),
    read,
  }));
  return (snapshot) => {
    for (const { gauge, read } of gauges) {
      gauge.reset();
      // A reset leaves a gauge without labels at 0.
      gauge.remove({});
      for (const [value, labels = {}] of read(snapshot)) gauge.set(labels, value);
    }
  };
};
