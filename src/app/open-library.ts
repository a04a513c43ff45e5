import type { Pool } from 'pg';
import { postgresLibraryStore } from '../adapters/postgres/library-store-postgres.ts';
import { postgresRequestDefaults } from '../adapters/postgres/request-defaults-postgres.ts';
import type { ChargingLedger } from '../credits/charge-on-success.ts';
import type { Balance, Freshness } from '../credits/ledger/ledger-service.ts';
import { planOf } from '../credits/plans/plans.ts';
import type { EventLog } from '../eventlog/event-log.ts';
import { embedTexts } from '../insights/embed-texts.ts';
import type { ProduceDeps } from '../insights/run-with-model.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { captionKeeper, libraryCommands } from '../library/library-commands.ts';

/** A plan that changed is seen after this time at the latest. */
const planBelievedMs = 5_000;

/** The libraries of all accounts, what they have chosen, and what keeps captions for the commands that read them. */
export const openLibrary = ({
  pool,
  log,
  clock,
  ledger,
  insights,
  balanceOf,
  logger,
}: {
  readonly pool: Pool;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ledger: ChargingLedger;
  readonly insights: ProduceDeps;
  readonly balanceOf: (accountId: string, wanted: Freshness) => Promise<Pick<Balance, 'plan'>>;
  readonly logger: Pick<Logger, 'error'>;
}) => {
  const defaults = postgresRequestDefaults({ pool });
  const deps = {
    ...{ log, clock },
    store: postgresLibraryStore({ pool }),
    quotaOf: async (accountId: string): Promise<number> =>
      planOf((await balanceOf(accountId, { fresh: true, withinMs: planBelievedMs })).plan).libraryVideos,
  };
  return {
    /** The commands of libraries. */
    libraryWith: (answering: Pick<Parameters<typeof libraryCommands>[0], 'admit' | 'prepareInsight'>) => ({
      library: libraryCommands({
        ...{ ...deps, ...answering, ledger },
        embed: embedTexts(insights),
        hasModel: () => insights.provider !== null,
      }),
      defaults,
    }),
    keeper: captionKeeper({
      ...deps,
      keepByDefault: async (accountId) => (await defaults.read(accountId)).keepByDefault,
      onFailure: (error) => logger.error('captions could not be kept in a library', { error }),
    }),
  };
};
