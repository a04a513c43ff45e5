import type { CredentialVersion } from '../adapters/postgres/credential-version.ts';
import { postgresLibraryStore } from '../adapters/postgres/library-store-postgres.ts';
import { postgresRequestDefaults } from '../adapters/postgres/request-defaults-postgres.ts';
import { planInForce } from '../credits/plans/plan-in-force.ts';
import { embedTexts } from '../insights/embed-texts.ts';
import { captionKeeper, libraryCommands } from '../library/library-commands.ts';
import type { LibraryStore } from '../library/library-store.ts';
import { mergeLibraries } from '../library/merge-libraries.ts';
import { longReads } from '../queries/long-reads.ts';
import type { CoreParts } from './application-core.ts';

/** The libraries of all accounts, what they have chosen, and what keeps captions for the commands that read them. */
export const openLibrary = (
  parts: Pick<CoreParts, 'pool' | 'log' | 'clock' | 'ledger' | 'insights' | 'balanceOf' | 'logger' | 'systemCall'> & {
    /** The pool is connected to the server itself, not to a transaction pooler. */
    readonly isDirect: boolean;
    readonly version: CredentialVersion;
  },
) => {
  const { pool, isDirect, version, log, clock, ledger, insights, balanceOf, logger, systemCall } = parts;
  const defaults = postgresRequestDefaults({ pool, version });
  const stored = postgresLibraryStore({ pool, isPrepared: isDirect });
  // What reads all of a library, not only the heads of its lists, takes half of the connections: charges need the others.
  const longRead = longReads({ connections: Math.ceil(pool.options.max / 2) });
  const store: LibraryStore = {
    ...stored,
    postings: (accountId, terms, whole) => {
      const read = () => stored.postings(accountId, terms, whole);
      return whole.length === 0 ? read() : longRead(accountId, read);
    },
    admitted: (accountId, filter) => longRead(accountId, () => stored.admitted(accountId, filter)),
  };
  const deps = {
    ...{ log, clock, store },
    quotaOf: async (accountId: string): Promise<number> => (await planInForce(balanceOf, accountId)).libraryVideos,
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
    mergeLibraries: mergeLibraries(deps),
    keeper: captionKeeper({
      ...{ ...deps, systemCall },
      keepByDefault: async (accountId) => (await defaults.read(accountId)).keepByDefault,
      onFailure: (error) => logger.error('captions could not be kept in a library', { error }),
    }),
  };
};
