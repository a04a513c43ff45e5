import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { RequestDefaults, RequestDefaultsStore } from '../../accounts/request-defaults.ts';
import { sharedLookUps } from '../../kernel/shared-look-ups.ts';
import type { CredentialVersion } from './credential-version.ts';

type Row = RequestDefaults & { readonly accountId: string };

/** They are looked up again after this time whatever happened. */
const keptMs = 60_000;

/**
 * Settings of accounts in Postgres (migrations 0050 and 0060). An account without a row has chosen nothing. Every request that
 * reads captions asks for them, so they are cached like keys, until any key or account changes.
 */
export const postgresRequestDefaults = ({
  pool,
  version,
}: {
  readonly pool: Pool;
  readonly version: CredentialVersion;
}): RequestDefaultsStore => {
  const cache = new LRUCache<string, Promise<RequestDefaults>>({ max: 10_000, ttl: keptMs });
  version.onChange(() => cache.clear());
  const lookUp = sharedLookUps(async (accountIds) => {
    const { rows } = await pool.query<Row>(select, [accountIds]);
    return new Map(rows.map(({ accountId, ...settings }) => [accountId, settings]));
  });
  return {
    read: async (accountId) => {
      if (!version.isFresh()) await version.check();
      const cached = cache.get(accountId);
      if (cached !== undefined) return cached;
      const found = lookUp(accountId).then((settings) => settings ?? nothingChosen);
      cache.set(accountId, found);
      found.catch(() => cache.delete(accountId));
      return found;
    },
    choose: async (accountId, { keepByDefault, askAboveCredits }) => {
      const chosen = [keepByDefault ?? null, askAboveCredits ?? null, askAboveCredits !== undefined];
      const { rows } = await pool.query<RequestDefaults>(upsert, [accountId, ...chosen]);
      const settings = Promise.resolve(rows[0] ?? nothingChosen);
      cache.set(accountId, settings);
      return settings;
    },
  };
};

const nothingChosen: RequestDefaults = { keepByDefault: false, askAboveCredits: null };

const columns = `coalesce(keep_by_default, false) AS "keepByDefault", ask_above_credits AS "askAboveCredits"`;

const select = `
SELECT account_id AS "accountId", ${columns} FROM account_settings WHERE account_id = ANY ($1::text[])`;

const upsert = `
INSERT INTO account_settings AS known (account_id, keep_by_default, ask_above_credits) VALUES ($1, $2, $3)
ON CONFLICT (account_id) DO UPDATE SET
  keep_by_default = coalesce(excluded.keep_by_default, known.keep_by_default),
  ask_above_credits = CASE WHEN $4 THEN excluded.ask_above_credits ELSE known.ask_above_credits END
RETURNING ${columns}`;
