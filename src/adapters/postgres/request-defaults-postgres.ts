import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { RequestDefaults, RequestDefaultsStore } from '../../accounts/request-defaults.ts';

type Row = { readonly keep_by_default: boolean | null; readonly ask_above_credits: number | null };

/** Every request that reads captions asks for the settings of its account. */
const believedMs = 2_000;

/** Settings of accounts in Postgres (migrations 0050 and 0060). An account without a row has chosen nothing. */
export const postgresRequestDefaults = ({ pool }: { readonly pool: Pool }): RequestDefaultsStore => {
  const known = new LRUCache<string, RequestDefaults>({ max: 10_000, ttl: believedMs });
  const remembered = (accountId: string, row: Row | undefined): RequestDefaults => {
    const settings = {
      keepByDefault: row?.keep_by_default ?? false,
      askAboveCredits: row?.ask_above_credits ?? null,
    };
    known.set(accountId, settings);
    return settings;
  };
  return {
    read: async (accountId) => {
      const kept = known.get(accountId);
      if (kept !== undefined) return kept;
      const { rows } = await pool.query<Row>(select, [accountId]);
      return remembered(accountId, rows[0]);
    },
    choose: async (accountId, { keepByDefault, askAboveCredits }) => {
      const chosen = [keepByDefault ?? null, askAboveCredits ?? null, askAboveCredits !== undefined];
      const { rows } = await pool.query<Row>(upsert, [accountId, ...chosen]);
      return remembered(accountId, rows[0]);
    },
  };
};

const select = 'SELECT keep_by_default, ask_above_credits FROM account_settings WHERE account_id = $1';

const upsert = `
INSERT INTO account_settings AS known (account_id, keep_by_default, ask_above_credits) VALUES ($1, $2, $3)
ON CONFLICT (account_id) DO UPDATE SET
  keep_by_default = coalesce(excluded.keep_by_default, known.keep_by_default),
  ask_above_credits = CASE WHEN $4 THEN excluded.ask_above_credits ELSE known.ask_above_credits END
RETURNING keep_by_default, ask_above_credits`;
