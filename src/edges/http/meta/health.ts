import { z } from 'zod';
import type { OpenEndpoint } from '../../../contract/endpoint.ts';
import { errorSchema } from '../../../contract/errors.ts';
import { timestamp } from '../../../contract/schemas.ts';
import { type Clock, elapsedMs } from '../../../kernel/clock.ts';
import type { Probe, Queries } from '../../../queries.ts';
import { type HttpResponse, json } from '../middleware/response.ts';
import { openRoute, type Route } from '../middleware/route.ts';

const common = {
  access: 'anyone',
  rateLimit: 'none',
  cacheControl: 'no-store',
  method: 'GET',
  tag: 'Meta',
} as const;

const part = z.enum(['ok', 'failed']);

const liveSchema = z
  .object({
    status: z.literal('ok'),
    service: z.string(),
    version: z.string(),
    uptime_s: z.int(),
  })
  .meta({ id: 'Health' });

const readySchema = z
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

const notReadySchema = readySchema.extend(errorSchema.shape).meta({ id: 'NotReady' });

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

const live = {
  ...common,
  id: 'getHealth',
  path: '/api/health',
  summary: 'Liveness: answers at once, asks nobody',
  description: 'Says that the process answers. It asks neither the database nor the platform.',
  answers: { 200: { description: 'Alive.', schema: liveSchema } },
} satisfies OpenEndpoint;

const ready = {
  ...common,
  id: 'getReadiness',
  path: '/api/health/ready',
  summary: 'Readiness: 503 while the database or the video platform cannot be reached',
  description: '503 while the service cannot serve requests: load balancers leave it out then.',
  answers: {
    200: { description: 'Ready.', schema: readySchema },
    503: { description: 'Not ready.', schema: notReadySchema },
  },
} satisfies OpenEndpoint;

const egress = {
  ...common,
  id: 'probeEgress',
  path: '/api/health/egress',
  summary: 'One bounded look at the video platform',
  description: 'The newest probe of the platform.',
  answers: { 200: { description: 'What the look found.', schema: probeSchema } },
} satisfies OpenEndpoint;

export const healthEndpoints = [live, ready, egress] as const;

/** A probe as JSON of the API. */
export const probeJson = (probe: Probe): z.input<typeof probeSchema> => ({
  ok: probe.ok,
  status: probe.status,
  reason: probe.reason,
  checked_at: probe.checkedAt,
  latency_ms: Math.round(probe.latencyMs),
});

/** An older probe is out of date. */
const maxProbeAgeMs = 240_000;

/** The last probe, or a new one when it is out of date. */
export const recentProbe = async (
  queries: Pick<Queries, 'probe' | 'extractionHealth'>,
  clock: Clock,
): Promise<Probe> => {
  const known = queries.extractionHealth().lastProbe;
  const isFresh = known !== null && ageMs(clock, known) <= maxProbeAgeMs;
  return isFresh ? known : queries.probe();
};

type Deps = {
  readonly queries: Pick<Queries, 'probe' | 'extractionHealth' | 'readiness'>;
  readonly clock: Clock;
  readonly service: { readonly name: string; readonly version: string };
  /** The process shuts down and takes no new work. */
  readonly isDraining: () => boolean;
};

/** Liveness, readiness, and a probe of the platform on demand. */
export const health = ({ queries, clock, service, isDraining }: Deps): Route[] => {
  const startedMs = elapsedMs();

  return [
    openRoute(live, async () => {
      const body: z.input<typeof liveSchema> = {
        status: 'ok',
        service: service.name,
        version: service.version,
        uptime_s: Math.floor((elapsedMs() - startedMs) / 1000),
      };
      return json(body);
    }),

    openRoute(ready, async ({ requestInfo }) => {
      const [parts, probe] = await Promise.all([queries.readiness(), recentProbe(queries, clock)]);
      const checks = {
        database: parts.database,
        event_store: parts.eventStore,
        queue: parts.queue,
        redis: parts.redis,
        egress: { ok: probe.ok, age_s: Math.floor(ageMs(clock, probe) / 1000) },
      };
      const isReady = parts.database === 'ok' && parts.eventStore === 'ok' && probe.ok && !isDraining();
      return isReady ? json({ status: 'ready', checks }) : notReady(checks, requestInfo.requestId);
    }),

    openRoute(egress, async () => json(probeJson(await queries.probe()))),
  ];
};

const ageMs = (clock: Clock, { checkedAt }: Probe): number => Math.max(clock().getTime() - Date.parse(checkedAt), 0);

/** A 503 with the checks for operators and the Error shape for clients. */
const notReady = (checks: z.input<typeof readySchema>['checks'], requestId: string): HttpResponse =>
  json(
    {
      status: 'not_ready',
      checks,
      error: {
        code: 'NOT_READY',
        message: 'The service cannot take work right now.',
        request_id: requestId,
        details: null,
      },
    },
    { status: 503, headers: { 'Retry-After': '5' } },
  );
