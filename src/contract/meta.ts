import { z } from 'zod';
import { planSchema } from './account.ts';
import { endpointsWith, type OpenEndpoint } from './endpoint.ts';
import { errorSchema } from './errors.ts';
import { described, member, named, rows, timestamp } from './schemas.ts';

/** How bad operators find it; the first two leave the state of the service as it is. */
export const noteSeverities = ['info', 'maintenance', 'degraded', 'outage'] as const;
export type NoteSeverity = (typeof noteSeverities)[number];

/** The parts of the service in its status. */
export const statusComponents = [
  ...(['api', 'database', 'event_log', 'jobs'] as const),
  ...(['rate_limits', 'platform', 'read_models'] as const),
] as const;
export type StatusComponent = (typeof statusComponents)[number];

/** The lag from which a reader of the event log is reported. The alert ProjectionLags has the same bound. */
export const lateAfterS = 60;

/** An alert that no process has seen for so long (minutes) is over; seen again, it is another incident. */
export const incidentGoneMinutes = 10;

/** How many days of the state are kept and shown. */
export const statusDays = 90;

const common = { access: 'anyone', rateLimit: 'public', cacheControl: 'public, max-age=60', tag: 'Meta' } as const;

const ofPublic = endpointsWith(common);

const ofHealth = endpointsWith({ ...common, rateLimit: 'none', cacheControl: 'no-store' });

const part = z.enum(['ok', 'failed']);

export const liveSchema = named('Health', {
  status: z.literal('ok').describe('Its state.'),
  service: z.string().describe('Name of the service.'),
  version: z.string().describe('Version.'),
  uptime_s: z.int().describe('Seconds since the process started.'),
});

export const readySchema = named('Readiness', {
  status: z.enum(['ready', 'not_ready']).describe('Its state.'),
  checks: described('The parts that the status is made of.', {
    database: part.describe('Whether the database answers.'),
    event_store: part.describe('Whether events can be appended.'),
    queue: z
      .enum(['ok', 'no_worker', 'failed'])
      .describe('Whether work can be queued, and whether a worker is running.'),
    redis: z.enum(['ok', 'failed', 'not_configured']).describe('Whether Redis answers, if configured.'),
    egress: described('How the service reaches the platform.', {
      ok: z.boolean().describe('Whether it succeeded.'),
      age_s: z.int().nullable().describe('Seconds since the last probe; null before the first.'),
    }),
  }),
});

const notReadySchema = readySchema.extend(errorSchema.shape).meta({ id: 'NotReady' });

/** A probe of the platform. */
export const probeSchema = named('Probe', {
  ok: z.boolean().describe('Whether it succeeded.'),
  status: z.int().describe('HTTP status of the response.'),
  reason: z.string().nullable().describe('The reason, if not; otherwise null.'),
  checked_at: timestamp.describe('When the platform was last probed.'),
  latency_ms: z.int().describe('Milliseconds until it answered.'),
});

export const live = {
  ...ofHealth('getHealth', 'GET', '/api/health'),
  summary: 'Liveness: answers immediately, without dependencies',
  description: 'Shows that the process answers. It queries neither the database nor the platform.',
  answers: { 200: { description: 'Alive.', schema: liveSchema } },
} satisfies OpenEndpoint;

export const ready = {
  ...ofHealth('getReadiness', 'GET', '/api/health/ready'),
  summary: 'Readiness: 503 while the database or the video platform cannot be reached',
  description: '503 while the service cannot serve requests, so that load balancers skip it.',
  answers: {
    200: { description: 'Ready.', schema: readySchema },
    503: { description: 'Not ready.', schema: notReadySchema },
  },
} satisfies OpenEndpoint;

export const egress = {
  ...ofHealth('probeEgress', 'GET', '/api/health/egress'),
  summary: 'One bounded probe of the video platform',
  description: 'The latest probe of the platform.',
  answers: { 200: { description: 'The result of the probe.', schema: probeSchema } },
} satisfies OpenEndpoint;

export const healthEndpoints = [live, ready, egress] as const;

export const objectiveSchema = named('Objective', {
  id: member.id,
  name: member.name,
  target: z.string().describe('The objective for people.'),
  objective: z.number().describe('The target value.'),
  unit: z.string().describe('Unit of the values.'),
  window: z.string().describe('The time over which it is measured.'),
  signal: z.string().describe('What is measured.'),
  met_when: z.string().describe('How the measured value compares to the objective when it is met.'),
  description: z.string().describe('The objective, in a sentence.'),
  status: z.enum(['monitored', 'met']).describe('Its state.'),
  current: z.number().nullable().describe('The current value; null: not enough data.'),
});

export const alertSchema = named('Alert', {
  id: member.id,
  summary: z.string().describe('What it is, in a sentence.'),
  since: z.string().nullable().describe('Since when it is active; null: not known.'),
});

export const noteSchema = named('StatusNote', {
  id: member.id,
  text: z.string().describe('What the operator wrote: plain text.'),
  severity: z
    .enum(noteSeverities)
    .describe(
      'info and maintenance do not affect the state; with degraded and outage, it is at least that while the note is active.',
    ),
  component: z.enum(statusComponents).nullable().describe('The part that it is about; null: the whole service.'),
  started_at: z.string().describe('When it was written.'),
  ends_at: z.string().nullable().describe('When it ends or ended; null: not set.'),
});

export const incidentSchema = z.object({
  id: member.id,
  summary: z.string().describe('What it is, in a sentence.'),
  started_at: z.string().describe('When it was first seen.'),
  last_seen_at: z.string().describe(`When it was last seen; ${incidentGoneMinutes} minutes later it is over.`),
});

const statusSchema = named('Status', {
  status: z.enum(['operational', 'degraded', 'outage']).describe('Its state.'),
  service: z.string().describe('Name of the service.'),
  brand: z.string().describe('The name that the service shows.'),
  generated_at: z.string().describe('When this response was generated.'),
  links: described('Addresses about it.', {
    status_page: z.string().describe('The page about the state of the service.'),
    docs: z.string().describe('Where the documents are.'),
    openapi: z.string().describe('Where this description is served.'),
    health: z.string().describe('Where the state of the process is reported.'),
    readiness: z.string().describe('Whether requests can be served.'),
  }),
  objectives: z.array(objectiveSchema).describe('The objectives, with their measured values.'),
  components: rows('The parts of the service, as this process sees them.', {
    id: z.enum(statusComponents).describe('Its id.'),
    state: z.enum(['ok', 'degraded', 'failed']).describe('How this part works.'),
  }),
  checks: described('The parts that the status is made of.', {
    liveness: part.describe('Whether the process answers.'),
    readiness: part.describe('Whether requests can be served.'),
    egress: z.boolean().describe('How the service reaches the platform.'),
  }),
  egress: described('How the service reaches the platform.', {
    mode: z.enum(['direct', 'proxy', 'fixture']).describe('How it is done.'),
    healthy: z.boolean().describe('Whether the last probe succeeded.'),
    last_probe: probeSchema,
    extraction: described('The state of extractions from the platform.', {
      consecutive_failures: z.int().describe('Consecutive failed extractions.'),
      last_success_at: z
        .string()
        .nullable()
        .describe('Until an extraction succeeds: of the first successful probe of the platform.'),
      last_failure_at: z.string().nullable().describe('When an extraction last failed; null: none did.'),
      last_failure_code: z.string().nullable().describe('The error code of that failure.'),
    }),
  }),
  active_alerts: z.array(alertSchema).describe('Active alerts; an empty list if there are none.'),
  audit: described('The continuous comparison of all ledgers with everything derived from them, by a worker.', {
    status: z
      .enum(['ok', 'mismatch', 'unknown'])
      .describe('Whether ledgers, balances, usage and the transparency log match; unknown: not compared recently.'),
    checked_at: z.string().nullable().describe('When they were last compared; null: never.'),
  }),
  notes: z.array(noteSchema).describe(`Notes of operators, newest first, up to ${statusDays} days after they end.`),
  read_models: rows('How far each reader of the event log is behind its end.', {
    name: member.name,
    lag_positions: z.int().describe('Positions of the log that it has not handled.'),
    lag_seconds: z.number().describe('Age in seconds of the oldest event that it has not handled.'),
    stopped: z.boolean().describe('Stopped at an event that it cannot handle.'),
  }),
  relay: described('The relay of events to a KurrentDB of the operator.', {
    state: z
      .enum(['not_configured', 'not_started', 'ok', 'behind', 'failing', 'unknown'])
      .describe(
        `\`behind\`: an event waits for more than ${lateAfterS} seconds; \`failing\`: the next events are not accepted, and are retried; \`unknown\`: the database cannot be queried.`,
      ),
    lag_positions: z.int().nullable().describe('Positions of the log that it has not relayed; null: it never ran.'),
    lag_seconds: z.number().nullable().describe('Age in seconds of the oldest event that waits; null: it never ran.'),
  }),
  history: described(
    `The last ${statusDays} days: the number and results of checks, and each alert from first to last. A day without checks is missing.`,
    {
      days: rows('UTC days with checks, by date.', {
        day: z.string().describe('UTC day.'),
        checks: z.int().describe('The parts that the status is made of.'),
        degraded: z.int().describe('How many of the checks found an alert.'),
        outage: z.int().describe('How many of the checks found the database unavailable.'),
      }),
      incidents: z.array(incidentSchema).describe('Alerts from first to last, newest first.'),
    },
  ),
  limits: described('What this service allows.', {
    free_credits: z.int().describe('Credits of the free plan in a period.'),
    free_rate_limit_per_min: z.int().describe('Requests per minute of the free plan.'),
    anonymous_credits_per_day: z.int().describe('Credits that a visitor without an account has each day.'),
    batch_max_videos: z.int().describe('Maximum videos in one batch.'),
    egress_probe_seconds: z.int().describe('Seconds between two probes of the platform.'),
    failure_alert_threshold: z.int().describe('Consecutive failures that raise an alert.'),
    plans: z
      .array(planSchema.pick({ key: true, label: true, credits: true, rate_limit_per_min: true }))
      .describe('The plans, from the smallest.'),
  }),
});

const ofStatus = endpointsWith({
  ...common,
  summary: 'State of the service, its objectives and limits',
  answers: { 200: { description: 'The status.', schema: statusSchema } },
});

export const readStatus = {
  ...ofStatus('getStatus', 'GET', '/api/status'),
  description: 'The state of the service for people and programs.',
} satisfies OpenEndpoint;

export const readStatusJson = {
  ...ofStatus('getStatusJson', 'GET', '/api/status.json'),
  description: 'The same as `/api/status`.',
} satisfies OpenEndpoint;

export const statusEndpoints = [readStatus, readStatusJson] as const;

/** The status as the API and the page show it. */
export type StatusReport = z.input<typeof statusSchema>;

export const changelogSchema = z
  .array(
    z.object({
      version: z
        .string()
        .regex(/^\d+\.\d+\.\d+$/)
        .describe('Version.'),
      date: z.iso.date().describe('Day of the release.'),
      type: z.enum(['added', 'changed', 'deprecated', 'removed', 'fixed', 'security']).describe('What kind it is.'),
      summary: z.string().min(1).describe('What it is, in a sentence.'),
      operations: z.array(z.string()).describe('Operation ids of the description.'),
    }),
  )
  .meta({ id: 'Changelog' });

export const readChangelog = {
  ...ofPublic('getChangelog', 'GET', '/api/changelog.json'),
  summary: 'The changes of the API, newest first',
  description: 'The changes of the API, newest first.',
  answers: { 200: { description: 'The entries.', schema: changelogSchema } },
} satisfies OpenEndpoint;

export const readMetrics = {
  ...ofHealth('getMetrics', 'GET', '/metrics'),
  summary: 'Metrics of this process for Prometheus',
  answers: {},
  refusals: ['FORBIDDEN'],
} satisfies OpenEndpoint;

export const readOpenApi = {
  ...ofPublic('getOpenApi', 'GET', '/openapi.json'),
  summary: 'This description',
  description: 'This document.',
  answers: { 200: { description: 'OpenAPI 3.1.', schema: z.record(z.string(), z.unknown()) } },
} satisfies OpenEndpoint;

export const readReference = {
  ...ofPublic('getReference', 'GET', '/api/docs'),
  summary: 'The reference for people',
  description: 'This document as a page for people.',
  answers: { 200: { description: 'A page.', text: ['text/html'] } },
} satisfies OpenEndpoint;

/** Loaded by the page alone, so the reference does not name it. Its name changes with its content. */
export const readScript = {
  ...readOpenApi,
  id: 'getReferenceScript',
  path: '/api/docs/:file',
  summary: 'The renderer of the reference',
  cacheControl: 'public, max-age=31536000, immutable',
  params: z.object({ file: z.string().max(100) }),
  answers: {},
} satisfies OpenEndpoint;

export const referenceEndpoints = [readOpenApi, readReference] as const;

/** Whether a note is in force at a time. */
export const isOpenAt =
  (now: Date) =>
  ({ ends_at }: StatusReport['notes'][number]): boolean =>
    ends_at === null || Date.parse(ends_at) > now.getTime();
