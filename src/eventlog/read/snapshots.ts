import type { Pool } from 'pg';
import type { EventLog, Snapshot } from '../event-log.ts';
import { rawQuery, text } from '../event-rows.ts';
import { orUnavailable } from '../unavailable-error.ts';

/** Folded states in `es_snapshot`. The state is JSON; an older one never replaces a newer. */
export const snapshots = (pool: Pool): Pick<EventLog, 'loadSnapshot' | 'saveSnapshot' | 'forgetSnapshots'> => ({
  loadSnapshot: <State>(stream: string, foldVersion: number) =>
    orUnavailable(`reading the snapshot of ${stream}`, async () => {
      const { rows } = await pool.query<(string | null)[]>(
        rawQuery('SELECT version, state FROM es_snapshot WHERE stream = $1 AND fold_version = $2', [
          stream,
          foldVersion,
        ]),
      );
      const [row] = rows;
      if (row === undefined) return null;
      const state: State = JSON.parse(text(row[1]));
      return { version: BigInt(text(row[0])), state };
    }),

  saveSnapshot: <State>(stream: string, foldVersion: number, snapshot: Snapshot<State>) =>
    orUnavailable(`writing the snapshot of ${stream}`, async () => {
      await pool.query(
        `INSERT INTO es_snapshot AS s (stream, fold_version, version, state)
         VALUES ($1, $2, $3, $4)
         ON CONFLICT (stream, fold_version)
         DO UPDATE SET version = EXCLUDED.version, state = EXCLUDED.state
         WHERE s.version < EXCLUDED.version`,
        [stream, foldVersion, String(snapshot.version), JSON.stringify(snapshot.state)],
      );
    }),

  forgetSnapshots: (stream) =>
    orUnavailable(`removing the snapshots of ${stream}`, async () => {
      await pool.query('DELETE FROM es_snapshot WHERE stream = $1', [stream]);
    }),
});
