import type { z } from 'zod';
import { answerOf } from '../../../contract/answer-of.ts';
import { egress, live, type liveSchema, probeSchema, ready, type readySchema } from '../../../contract/meta.ts';
import { type Clock, elapsedMs } from '../../../kernel/clock.ts';
import type { Probe, Queries } from '../../../queries.ts';
import { type HttpResponse, json } from '../middleware/response.ts';
import { type Application, openRoute, type Route } from '../middleware/route.ts';
import type { HttpSettings } from '../settings.ts';

const probeOf = answerOf(probeSchema);

/** A probe, to the millisecond. */
export const probeAnswer = (probe: Probe) => probeOf(probe, { latency_ms: Math.round(probe.latencyMs) });

/** An older probe is out of date. */
const maxProbeAgeMs = 240_000;

/** The last probe, or a new one when it is out of date. */
export const recentProbe = async (
  queries: Pick<Queries, 'extractionHealth' | 'probe'>,
  clock: Clock,
): Promise<Probe> => {
  const known = queries.extractionHealth().lastProbe;
  const isFresh = known !== null && ageMs(clock, known) <= maxProbeAgeMs;
  return isFresh ? known : queries.probe();
};

type Deps = Application<never, 'extractionHealth' | 'probe' | 'readiness'> & {
  readonly clock: Clock;
  readonly service: HttpSettings['service'];
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

    openRoute(egress, async () => json(probeAnswer(await queries.probe()))),
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
        message: 'The service cannot accept work right now.',
        request_id: requestId,
        details: null,
      },
    },
    { status: 503, headers: { 'Retry-After': '5' } },
  );
