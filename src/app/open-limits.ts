import { memoryLimiter } from '../adapters/memory/limiter-memory.ts';
import type { Config } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Limiter } from '../kernel/limiter.ts';
import type { Logger } from '../kernel/logger.ts';

/** API processes that a limit is divided among while Redis is away; more would let callers exceed it. */
const expectedProcesses = 2;

/** Redis where it is configured, this process alone elsewhere and while Redis is away. */
export const openLimits = async (
  stack: AsyncDisposableStack,
  { redisUrl, role }: Config,
  logger: Pick<Logger, 'warn'>,
): Promise<{ readonly limiter: Limiter; readonly ready: (() => Promise<boolean>) | null }> => {
  const clock = systemClock;
  const insurance = memoryLimiter({ clock });
  if (redisUrl === null || role === 'worker') return { limiter: insurance, ready: null };
  // Only those load the client who have a Redis.
  const { redisLimiter } = await import('../adapters/redis/limiter-redis.ts');
  const limiter = stack.use(
    redisLimiter({
      url: redisUrl,
      clock,
      insurance,
      nodes: expectedProcesses,
      onFailure: (error) => logger.warn('rate limits are counted without Redis', { error }),
    }),
  );
  return { limiter, ready: () => limiter.ready().then(() => true) };
};
