import type { EgressReport } from '../adapters/platform/egress-reports.ts';
import { platformHttp } from '../adapters/platform/platform-http.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../extraction/captions/caption-track.ts';
import { politeLimits } from '../extraction/egress.ts';
import { createEngine } from '../extraction/engine.ts';
import type { RecognizeSpeech } from '../extraction/recognized-transcript.ts';
import type { TranscriptCache } from '../extraction/transcript-cache.ts';
import { randomShare } from '../kernel/ids.ts';
import { noMetrics } from '../kernel/metrics.ts';
import { inSpan } from '../kernel/tracing.ts';
import type { CoreParts } from './application-core.ts';

const limitsOf = ({ concurrency, perSecond }: Config['platform']) => ({
  ...politeLimits,
  concurrency,
  requestsPerSecond: perSecond,
});

/** Logs changes in the state of an egress with its name and host, never the credentials of a proxy. */
const logEgress =
  (logger: CoreParts['logger']) =>
  ({ egress, proxy, why, reason, leftAloneMs }: EgressReport): void => {
    const about = { egress, ...(proxy === null ? {} : { proxy }) };
    if (why === null) {
      logger.info('an egress answers again', about);
      return;
    }
    logger.warn('an egress is not used for a while', {
      ...{ ...about, why, left_alone_s: Math.round(leftAloneMs / 1_000) },
      ...(reason === null ? {} : { reason }),
    });
  };

/** The extraction engine with its HTTP side. */
export const openEngine = (
  { platform }: Pick<Config, 'platform'>,
  parts: Pick<CoreParts, 'clock' | 'logger'> &
    Partial<Pick<CoreParts, 'tracer' | 'metrics'>> & {
      readonly cache: TranscriptCache;
      readonly recognizeSpeech: RecognizeSpeech | null;
    },
): Engine => {
  const { tracer = null, metrics = noMetrics } = parts;
  const engine = createEngine({
    ...parts,
    platform: platformHttp({
      ...platform,
      onEgress: logEgress(parts.logger),
      onAvoided: metrics.egressAvoided,
      ...(platform.origin === null ? { limits: limitsOf(platform) } : {}),
    }),
    random: randomShare,
    settings: { deadlineMs: platform.deadlineMs, transcriptFreshMs: platform.transcriptMaxAgeMs },
  });
  if (tracer === null) return engine;
  const start = { kind: 'internal' } as const;
  return {
    ...engine,
    extract: (wanted, options) => inSpan(tracer, 'extract transcript', start, () => engine.extract(wanted, options)),
  };
};
