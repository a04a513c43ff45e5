import { postgresAbandonedWork } from '../adapters/postgres/abandoned-work-postgres.ts';
import type { Config } from '../config.ts';
import { abandonedWork } from '../credits/abandoned-work.ts';
import { admittedAtOnce, admitWork } from '../credits/admit-work.ts';
import type { Limiter } from '../kernel/limiter.ts';
import { Refusal } from '../kernel/refusal.ts';
import { semaphore } from '../kernel/semaphore.ts';
import type { CoreParts } from './application-core.ts';

/** The bounds of callers on work that costs more than a read. */
export const openAdmission = (
  { limits }: Pick<Config, 'limits'>,
  { pool, secrets, clock, limiter }: Pick<CoreParts, 'pool' | 'secrets' | 'clock'> & { readonly limiter: Limiter },
) => {
  const store = postgresAbandonedWork({ pool, key: secrets.ring('abandoned work').current.bytes });
  const abandoned = abandonedWork({ store, clock, limits: limits.abandonedWork });
  return {
    /** The budget for work that is begun and not charged. */
    abandoned,
    admit: admitWork({ places: semaphore(admittedAtOnce), abandoned }),
    /** See `ListingDeps`. */
    admitListing: async (caller: string): Promise<void> => {
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
