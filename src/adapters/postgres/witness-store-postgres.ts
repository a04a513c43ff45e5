import type { Pool } from 'pg';
import { inTransaction } from '../../eventlog/connection.ts';
import type { Witnessed, WitnessStore } from '../../tlog/witness-logs.ts';

type Row = {
  origin: string;
  url: string;
  vkeys: string[];
  size: string;
  root: Buffer;
  checkpoint: string;
  cosigned_at: Date;
};

const columns = 'origin, url, vkeys, size::text, root, checkpoint, cosigned_at';

const toWitnessed = ({ size, cosigned_at: cosignedAt, ...row }: Row): Witnessed => ({
  ...row,
  size: Number(size),
  cosignedAt,
});

/** The logs that this service witnesses, in Postgres (migration 0037). */
export const postgresWitnessStore = ({ pool }: { readonly pool: Pool }): WitnessStore => ({
  all: async () =>
    (await pool.query<Row>(`SELECT ${columns} FROM tlog_witnessed ORDER BY origin`)).rows.map(toWitnessed),
  update: (origin, change) =>
    inTransaction(pool, async (client) => {
      // The row cannot be locked before it is there.
      await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockOfWitness, origin]);
      const { rows } = await client.query<Row>(`SELECT ${columns} FROM tlog_witnessed WHERE origin = $1`, [origin]);
      const [known] = rows;
      const changed = change(known === undefined ? null : toWitnessed(known));
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
