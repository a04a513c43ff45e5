import { z } from 'zod';
import { noteSeverities, statusComponents, statusDays } from '../kernel/status-history.ts';
import type { OpenEndpoint } from './endpoint.ts';
import { errorSchema } from './errors.ts';
import { timestamp } from './schemas.ts';

const ofHealth = {
  access: 'anyone',
  rateLimit: 'none',
  cacheControl: 'no-store',
  method: 'GET',
  tag: 'Meta',
} as const;

const part = z.enum(['ok', 'failed']);

export const liveSchema = z
  .object({
    status: z.literal('ok'),
    service: z.string(),
    version: z.string(),
    uptime_s: z.int(),
  })
  .meta({ id: 'Health' });

export const readySchema = z
  .object({
    status: z.enum(['ready', 'not_ready']),
    checks: z.object({
      database: part,
      event_store: part,
      queue: z.enum(['ok', 'no_worker', 'failed']),
      redis: z.enum(['ok', 'failed', 'not_configured']),
      egress: z.object({ ok: z.boolean(), age_s: z.int().nullable() }),
    }),
  })
  .meta({ id: 'Readiness' });

export const notReadySchema = readySchema.extend(errorSchema.shape).meta({ id: 'NotReady' });

/** A probe of the platform. */
export const probeSchema = z
  .object({
    ok: z.boolean(),
    status: z.int(),
    reason: z.string().nullable(),
    checked_at: timestamp,
    latency_ms: z.int(),
  })
  .meta({ id: 'Probe' });

export const live = {
  ...ofHealth,
  id: 'getHealth',
  path: '/api/health',
  summary: 'Liveness: answers at once, asks nobody',
  description: 'Says that the process answers. It asks neither the database nor the platform.',
  answers: { 200: { description: 'Alive.', schema: liveSchema } },
} satisfies OpenEndpoint;

export const ready = {
  ...ofHealth,
  id: 'getReadiness',
  path: '/api/health/ready',
  summary: 'Readiness: 503 while the database or the video platform cannot be reached',
  description: '503 while the service cannot serve requests: load balancers leave it out then.',
  answers: {
    200: { description: 'Ready.', schema: readySchema },
    503: { description: 'Not ready.', schema: notReadySchema },
  },
} satisfies OpenEndpoint;

export const egress = {
  ...ofHealth,
  id: 'probeEgress',
  path: '/api/health/egress',
  summary: 'One bounded look at the video platform',
  description: 'The newest probe of the platform.',
  answers: { 200: { description: 'What the look found.', schema: probeSchema } },
} satisfies OpenEndpoint;

export const healthEndpoints = [live, ready, egress] as const;

export const objectiveSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    target: z.string(),
    objective: z.number(),
    unit: z.string(),
    window: z.string(),
    signal: z.string(),
    met_when: z.string(),
    description: z.string(),
    status: z.enum(['monitored', 'met']),
    current: z.number().nullable(),
  })
  .meta({ id: 'Objective' });

export const alertSchema = z
  .object({ id: z.string(), summary: z.string(), since: z.string().nullable() })
  .meta({ id: 'Alert' });

export const noteSchema = z
  .object({
    id: z.string(),
    text: z.string(),
    severity: z.enum(noteSeverities),
    component: z.enum(statusComponents).nullable(),
    started_at: z.string(),
    ends_at: z.string().nullable(),
  })
  .meta({ id: 'StatusNote' });

export const statusSchema = z
  .object({
    status: z.enum(['operational', 'degraded', 'outage']),
    service: z.string(),
    brand: z.string(),
    generated_at: z.string(),
    links: z.object({
      status_page: z.string(),
      docs: z.string(),
      openapi: z.string(),
      health: z.string(),
      readiness: z.string(),
    }),
    objectives: z.array(objectiveSchema),
    components: z
      .array(
        z.object({
          id: z.enum(statusComponents),
          state: z.enum(['ok', 'degraded', 'failed']),
        }),
      )
      .describe('The parts of the service, as this process sees them.'),
    checks: z.object({ liveness: part, readiness: part, egress: z.boolean() }),
    egress: z.object({
      mode: z.enum(['direct', 'proxy', 'fixture']),
      healthy: z.boolean(),
      last_probe: probeSchema,
      extraction: z.object({
        consecutive_failures: z.int(),
        last_success_at: z
          .string()
          .nullable()
          .describe('Until an extraction succeeds: of the first good look at the platform.'),
        last_failure_at: z.string().nullable(),
        last_failure_code: z.string().nullable(),
      }),
    }),
    active_alerts: z.array(alertSchema),
    notes: z.array(noteSchema).describe(`What operators say, newest first, up to ${statusDays} days after its end.`),
    read_models: z
      .array(
        z.object({
          name: z.string(),
          lag_positions: z.int(),
          lag_seconds: z.number(),
          stopped: z.boolean(),
        }),
      )
      .describe('How far each reader of the event log is behind its end.'),
    history: z
      .object({
        days: z.array(z.object({ day: z.string(), checks: z.int(), degraded: z.int(), outage: z.int() })),
        incidents: z.array(
          z.object({
            id: z.string(),
            summary: z.string(),
            started_at: z.string(),
            last_seen_at: z.string(),
          }),
        ),
      })
      .describe(
        `The last ${statusDays} days: how often a process looked and what it found, and each alert from first to last. A day on which nobody looked is missing.`,
      ),
    limits: z.object({
      free_credits: z.int(),
      free_rate_limit_per_min: z.int(),
      anonymous_credits_per_day: z.int(),
      batch_max_videos: z.int(),
      egress_probe_seconds: z.int(),
      failure_alert_threshold: z.int(),
      plans: z.array(
        z.object({
          key: z.string(),
          label: z.string(),
          credits: z.int(),
          rate_limit_per_min: z.int(),
        }),
      ),
    }),
  })
  .meta({ id: 'Status' });

const ofStatus = {
  access: 'anyone',
  rateLimit: 'public',
  cacheControl: 'public, max-age=60',
  method: 'GET',
  tag: 'Meta',
  summary: 'State of the service, its objectives and limits',
  answers: { 200: { description: 'The status.', schema: statusSchema } },
} as const;

export const readStatus = {
  ...ofStatus,
  id: 'getStatus',
  description: 'The state of the service for people and programs.',
  path: '/api/status',
} satisfies OpenEndpoint;

export const readStatusJson = {
  ...ofStatus,
  id: 'getStatusJson',
  description: 'The same as `/api/status`.',
  path: '/api/status.json',
} satisfies OpenEndpoint;

export const statusEndpoints = [readStatus, readStatusJson] as const;

/** The status as the API and the page show it. */
export type StatusReport = z.input<typeof statusSchema>;

export const changelogSchema = z
  .array(
    z.object({
      version: z.string().regex(/^\d+\.\d+\.\d+$/),
      date: z.iso.date(),
      type: z.enum(['added', 'changed', 'deprecated', 'removed', 'fixed', 'security']),
      summary: z.string().min(1),
      operations: z.array(z.string()).meta({ description: 'Operation ids of the description.' }),
    }),
  )
  .meta({ id: 'Changelog' });

export const readChangelog = {
  access: 'anyone',
  rateLimit: 'public',
  cacheControl: 'public, max-age=60',
  id: 'getChangelog',
  method: 'GET',
  path: '/api/changelog.json',
  tag: 'Meta',
  summary: 'What has changed in the API, newest first',
  description: 'What changed in the API, the newest first.',
  answers: { 200: { description: 'The entries.', schema: changelogSchema } },
} satisfies OpenEndpoint;

export const changelogEndpoints = [readChangelog] as const;

export const readMetrics = {
  access: 'anyone',
  rateLimit: 'none',
  cacheControl: 'no-store',
  id: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  tag: 'Meta',
  summary: 'Metrics of this process for Prometheus',
  answers: {},
  refusals: ['FORBIDDEN'],
} satisfies OpenEndpoint;

export const readOpenApi = {
  access: 'anyone',
  rateLimit: 'public',
  cacheControl: 'public, max-age=60',
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'Meta',
  summary: 'This description',
  description: 'This document.',
  answers: { 200: { description: 'OpenAPI 3.1.', schema: z.record(z.string(), z.unknown()) } },
} satisfies OpenEndpoint;

export const readReference = {
  ...readOpenApi,
  id: 'getReference',
  path: '/api/docs',
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
