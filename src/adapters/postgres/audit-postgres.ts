import type { Pool } from 'pg';
import { columnsOf, inTransaction } from '../../eventlog/connection.ts';
import type { AuditState } from '../../status/audit-state.ts';

/** What is compared: the books of an account by its id, or leaves of the transparency log by the position before them. */
export type AuditSubject = { readonly what: 'books' | 'leaves'; readonly subject: string };

/** A subject that was compared. `message`: what does not match; null: all of it does. */
export type AuditFinding = AuditSubject & { readonly message: string | null };

/** How far the auditor has come. */
export type AuditProgress = { readonly position: bigint; readonly sweptPosition: bigint };

/** Where the auditor keeps its state, for all workers (migration 0058). */
export const postgresAudit = ({ pool }: { readonly pool: Pool }) => ({
  /** Begins to compare; null: another worker did so less than `apartMs` ago. */
  begin: async (apartMs: number): Promise<AuditProgress | null> => {
    const { rows } = await pool.query<Record<keyof AuditProgress, string>>(
      `UPDATE audit_state SET begun_at = clock_timestamp()
       WHERE begun_at <= clock_timestamp() - make_interval(secs => $1::float8 / 1000)
       RETURNING position::text, swept_position::text AS "sweptPosition"`,
      [apartMs],
    );
    const [row] = rows;
    return row === undefined ? null : { position: BigInt(row.position), sweptPosition: BigInt(row.sweptPosition) };
  },

  /** Says that this worker still compares. */
  renew: () => pool.query('UPDATE audit_state SET begun_at = clock_timestamp()'),

  /** Subjects that did not match, the oldest first. */
  mismatched: async (limit: number): Promise<readonly AuditSubject[]> => {
    const { rows } = await pool.query<AuditSubject>(
      'SELECT what, subject FROM audit_mismatch ORDER BY found_at LIMIT $1',
      [limit],
    );
    return rows;
  },

  /** Stores what was found, and how far the auditor has come. Answers the subjects that did match before. */
  end: (findings: readonly AuditFinding[], { position, sweptPosition }: AuditProgress) =>
    inTransaction(pool, async (client) => {
      const good = findings.filter(({ message }) => message === null);
      const bad = findings.filter(({ message }) => message !== null);
      await client.query(
        `DELETE FROM audit_mismatch WHERE (what, subject) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
        columnsOf(good, 'what', 'subject'),
      );
      const { rows } = await client.query<AuditSubject & { is_new: boolean }>(
        `INSERT INTO audit_mismatch AS known (what, subject, message, found_at)
         SELECT *, clock_timestamp() FROM unnest($1::text[], $2::text[], $3::text[])
         ON CONFLICT (what, subject) DO UPDATE SET message = excluded.message
         RETURNING what, subject, xmax = 0 AS is_new`,
        columnsOf(bad, 'what', 'subject', 'message'),
      );
      await client.query('UPDATE audit_state SET position = $1, swept_position = $2, checked_at = clock_timestamp()', [
        String(position),
        String(sweptPosition),
      ]);
      return { commit: true, result: rows.filter(({ is_new }) => is_new) };
    }),

  state: async (): Promise<AuditState> => {
    const { rows } = await pool.query<AuditState>(
      `SELECT checked_at AS "checkedAt", extract(epoch FROM clock_timestamp() - checked_at)::float8 AS "ageS",
         (SELECT count(*)::int FROM audit_mismatch) AS mismatches,
         (SELECT min(found_at) FROM audit_mismatch) AS since
       FROM audit_state`,
    );
    return rows[0] ?? { checkedAt: null, ageS: null, mismatches: 0, since: null };
  },
});
