import type { Pool, PoolClient } from 'pg';
import { inTransaction } from './connection.ts';

/** The newest events that are compared with their streams; a full check compares all streams. */
const newestCount = 1_000;
/** Inconsistencies of one kind that are reported. */
const maxReported = 20;

/**
 * The inconsistencies between the tables of the log, as sentences. The tables are written in one transaction, so they only
 * disagree after a partial restore: a dump of some tables, or a copy that is not a snapshot. `isWhole` compares all
 * streams and may take minutes; otherwise the check takes milliseconds.
 */
export const inconsistencies = (pool: Pool, { isWhole }: { readonly isWhole: boolean }): Promise<readonly string[]> =>
  inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL statement_timeout = '10min'`);
    // One statement has one snapshot: concurrent appends do not look like inconsistencies.
    const { rows } = await client.query<{ told: string }>(isWhole ? `${ends} UNION ALL ${missingEvents}` : ends);
    return { commit: false, result: rows.map(({ told }) => told) };
  });

const drawn = 'CROSS JOIN (SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS at FROM es_position) AS drawn';

const ends = `
  (SELECT format('the next position is %s, and there is an event at %s', drawn.at + 1, written.at) AS told
   FROM (SELECT coalesce(max(position), 0) AS at FROM es_event) AS written ${drawn}
   WHERE drawn.at < written.at)
  UNION ALL
  (SELECT format('%s has handled position %s, and only %s were given', s.name, s.position, drawn.at)
   FROM es_subscription AS s ${drawn}
   WHERE s.position > drawn.at
   ORDER BY s.name LIMIT ${maxReported})
  UNION ALL
  (SELECT format('%s has an event of version %s, and is said to be at %s', n.stream, n.version, coalesce(s.version, 0))
   FROM (
     SELECT e.stream, max(e.version) AS version
     FROM (SELECT stream, version FROM es_event ORDER BY position DESC LIMIT ${newestCount}) AS e
     GROUP BY e.stream
   ) AS n
   LEFT JOIN es_stream AS s ON s.stream = n.stream
   WHERE s.version IS DISTINCT FROM n.version
   ORDER BY n.stream LIMIT ${maxReported})`;

const missingEvents = `
  (SELECT format('%s is said to be at version %s, and that event is missing', s.stream, s.version)
   FROM es_stream AS s
   WHERE NOT EXISTS (SELECT FROM es_event AS e WHERE e.stream = s.stream AND e.version = s.version)
   ORDER BY s.stream LIMIT ${maxReported})`;

/**
 * Makes the other tables agree with the events. The sequence of positions continues after the highest position in any
 * table, so that no subscription takes a new event for one that it has handled; each stream gets the version of its
 * last event; snapshots of later versions are removed. There must be no appends meanwhile. Read models keep the effects
 * of lost events until they are rebuilt. Returns the inconsistencies that were found.
 */
export const adoptEvents = async (pool: Pool): Promise<readonly string[]> => {
  const wrong = await inconsistencies(pool, { isWhole: true });
  if (wrong.length > 0) await inTransaction(pool, adopt);
  return wrong;
};

const adopt = async (client: PoolClient): Promise<{ commit: true; result: undefined }> => {
  await client.query(`
    SET LOCAL statement_timeout = '10min';
    LOCK TABLE es_event IN SHARE MODE;
    SELECT setval('es_position', most) FROM (
      SELECT greatest(drawn.at, (SELECT max(position) FROM es_event), (SELECT max(position) FROM es_subscription)) AS most
      FROM (SELECT) AS one ${drawn}
    ) AS ends WHERE most > 0;
    INSERT INTO es_stream AS s (stream, version)
    SELECT stream, max(version) FROM es_event GROUP BY stream
    ON CONFLICT (stream) DO UPDATE SET version = excluded.version WHERE s.version <> excluded.version;
    DELETE FROM es_stream AS s WHERE NOT EXISTS (SELECT FROM es_event AS e WHERE e.stream = s.stream);
    DELETE FROM es_snapshot AS n
    WHERE NOT EXISTS (SELECT FROM es_stream AS s WHERE s.stream = n.stream AND s.version >= n.version)`);
  return { commit: true, result: undefined };
};
