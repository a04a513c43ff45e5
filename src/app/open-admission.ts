import type { Pool } from 'pg';
import { memoryLimiter } from '../adapters/memory/limiter-memory.ts';
import { postgresAbandonedWork } from '../adapters/postgres/abandoned-work-postgres.ts';
import type { Config } from '../config.ts';
import { type AbandonedWork, abandonedWork } from '../credits/abandoned-work.ts';
import { type AdmitWork, admittedAtOnce, admitWork } from '../credits/admit-work.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Limiter } from '../kernel/limiter.ts';
import { Refusal } from '../kernel/refusal.ts';
import { semaphore } from '../kernel/semaphore.ts';
import type { SecretKeys } from './secret-keys.ts';

/** The bounds of callers on work that costs more than a read. */
export const openAdmission = (
  { limits }: Pick<Config, 'limits'>,
  {
    pool,
    secrets,
    clock,
    limiter = memoryLimiter({ clock }),
  }: {
    readonly pool: Pool;
    readonly secrets: SecretKeys;
    readonly clock: Clock;
    readonly limiter?: Limiter | undefined;
  },
): {
  readonly abandoned: AbandonedWork;
  readonly admit: AdmitWork;
  readonly admitListing: (caller: string) => Promise<void>;
} => {
  const store = postgresAbandonedWork({ pool, key: secrets.ring('abandoned work').current.bytes });
  const abandoned = abandonedWork({ store, clock, limits: limits.abandonedWork });
  return {
    abandoned,
    admit: admitWork({ places: semaphore(admittedAtOnce), abandoned }),
    admitListing: async (caller) => {
      const window = { key: `listings:${caller}`, limit: limits.listingsPerMinute, windowS: 60 };
      const { isAllowed, limit, resetAt, resetInS } = await limiter.consume(window);
      if (isAllowed) return;
      throw new Refusal(
        'RATE_LIMITED',
        `More than ${limit} jobs, dry runs and lists of videos that list playlists or channels in this minute. The next minute begins in ${resetInS} s.`,
        { policy: 'listings', limit, reset: resetAt },
        resetInS,
      );
    },
  };
};
