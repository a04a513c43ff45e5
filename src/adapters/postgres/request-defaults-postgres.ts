import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { RequestDefaults, RequestDefaultsStore } from '../../accounts/request-defaults.ts';

type Row = { readonly keep_by_default: boolean | null };

/** Every request that reads captions asks for the settings of its account. */
const believedMs = 2_000;

/** Settings of accounts in Postgres (migration 0050). An account without a row has chosen nothing. */
export const postgresRequestDefaults = ({ pool }: { readonly pool: Pool }): RequestDefaultsStore => {
  const known = new LRUCache<string, RequestDefaults>({ max: 10_000, ttl: believedMs });
  const remembered = (accountId: string, row: Row | undefined): RequestDefaults => {
    const settings = { keepByDefault: row?.keep_by_default ?? false };
    known.set(accountId, settings);
    return settings;
  };
  return {
    read: async (accountId) => {
      const kept = known.get(accountId);
      if (kept !== undefined) return kept;
      const { rows } = await pool.query<Row>('SELECT keep_by_default FROM account_settings WHERE account_id = $1', [
        accountId,
      ]);
      return remembered(accountId, rows[0]);
    },
    choose: async (accountId, { keepByDefault = null }: { readonly keepByDefault?: boolean | null }) => {
      const { rows } = await pool.query<Row>(upsert, [accountId, keepByDefault]);
      return remembered(accountId, rows[0]);
    },
  };
};

const upsert = `
INSERT INTO account_settings AS known (account_id, keep_by_default) VALUES ($1, $2)
ON CONFLICT (account_id) DO UPDATE SET keep_by_default = coalesce(excluded.keep_by_default, known.keep_by_default)
RETURNING keep_by_default`;
