import type { Pool } from 'pg';
import { inTransaction } from '../../eventlog/connection.ts';
import type { Witnessed, WitnessStore } from '../../tlog/witness-logs.ts';

const columns = 'origin, url, vkeys, size::float8, root, checkpoint, cosigned_at AS "cosignedAt"';

/** The logs that this service witnesses, in Postgres (migration 0037). */
export const postgresWitnessStore = ({ pool }: { readonly pool: Pool }): WitnessStore => ({
  all: async () => (await pool.query<Witnessed>(`SELECT ${columns} FROM tlog_witnessed ORDER BY origin`)).rows,
  update: (origin, change) =>
    inTransaction(pool, async (client) => {
      // The row cannot be locked before it is there.
      await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockOfWitness, origin]);
      const select = `SELECT ${columns} FROM tlog_witnessed WHERE origin = $1`;
      const { rows } = await client.query<Witnessed>(select, [origin]);
      const changed = change(rows[0] ?? null);
      if (changed === null) return { commit: false, result: undefined };
      const { url, vkeys, size, root, checkpoint, cosignedAt } = changed;
      await client.query(
        `INSERT INTO tlog_witnessed (origin, url, vkeys, size, root, checkpoint, cosigned_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (origin) DO UPDATE
         SET url = excluded.url, vkeys = excluded.vkeys, size = excluded.size, root = excluded.root,
           checkpoint = excluded.checkpoint, cosigned_at = excluded.cosigned_at`,
        [origin, url, vkeys, size, root, checkpoint, cosignedAt],
      );
      return { commit: true, result: undefined };
    }),
});

/** Any number that no other lock on the database begins with. */
const lockOfWitness = 20261127;
