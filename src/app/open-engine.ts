import type { Pool } from 'pg';
import { platformHttp } from '../adapters/platform-http.ts';
import { postgresTranscriptCache } from '../adapters/transcript-cache.ts';
import type { Config } from '../config.ts';
import { politeLimits } from '../extraction/egress.ts';
import { createEngine } from '../extraction/engine.ts';
import type { Engine } from '../extraction/extraction.ts';
import type { Clock } from '../kernel/clock.ts';
import { randomBelow } from '../kernel/ids.ts';

const limitsOf = ({ concurrency, perSecond }: Config['platform']) => ({
  ...politeLimits,
  concurrency,
  requestsPerSecond: perSecond,
});

/** The extraction engine with its HTTP side and its cache in Postgres. */
export const openEngine = (
  { platform }: Config,
  { pool, clock }: { readonly pool: Pool; readonly clock: Clock },
): Engine =>
  createEngine({
    platform: platformHttp({
      origin: platform.origin,
      proxies: platform.proxies,
      ...(platform.origin === null ? { limits: limitsOf(platform) } : {}),
    }),
    cache: postgresTranscriptCache({ pool }),
    clock,
    random: () => randomBelow(2 ** 32) / 2 ** 32,
    settings: {
      deadlineMs: platform.deadlineMs,
      transcriptFreshMs: platform.transcriptMaxAgeMs,
    },
  });
