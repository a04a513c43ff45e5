import type { Pool } from 'pg';
import {
  incidentGoneMinutes,
  type StatusHistory,
  type StatusNote,
  type StatusNotes,
  type StatusSample,
  statusDays,
} from '../../status/status-history.ts';
import { rowsWithTimes } from './pool.ts';

/** Samples that wait for the database: a day of one process that looks every two minutes. */
const maxWaiting = 720;
const maxIncidents = 200;
const maxNotes = 100;

type History = Awaited<ReturnType<StatusHistory['read']>>;

/** The history of the status in Postgres (migration 0020). */
export const postgresStatusHistory = ({ pool }: { readonly pool: Pool }): StatusHistory => {
  const waiting: StatusSample[] = [];
  return {
    async record(sample) {
      waiting.push(sample);
      if (waiting.length > maxWaiting) waiting.shift();
      for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
        await store(pool, next);
        waiting.shift();
      }
    },
    async read() {
      const days = await pool.query<History['days'][number]>(
        'SELECT day::text, checks, degraded, outage FROM status_day ORDER BY day',
      );
      const incidents = await rowsWithTimes<History['incidents'][number]>(
        pool,
        `SELECT alert, summary, started_at AS "startedAt", last_seen_at AS "lastSeenAt" FROM status_incident
         ORDER BY started_at DESC, alert LIMIT $1`,
        [maxIncidents],
      );
      return { days: days.rows, incidents, notes: await notesIn(pool) };
    },
  };
};

/** Notes of operators in Postgres (migration 0021). */
export const postgresStatusNotes = ({ pool }: { readonly pool: Pool }): StatusNotes => ({
  async add({ noteId, text, severity, component, startedAt, endsAt }) {
    await pool.query(
      `INSERT INTO status_note (note_id, text, severity, component, started_at, ends_at)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [noteId, text, severity, component, startedAt, endsAt],
    );
  },
  async end(noteId, at) {
    const [ended] = await rowsWithTimes<StatusNote>(
      pool,
      `UPDATE status_note SET ends_at = least(ends_at, $2) WHERE note_id = $1 RETURNING ${noteColumns}`,
      [noteId, at],
    );
    return ended ?? null;
  },
  list: () => notesIn(pool),
});

const noteColumns = `note_id AS "noteId", text, severity, component, started_at AS "startedAt", ends_at AS "endsAt"`;

const notesIn = (pool: Pool): Promise<readonly StatusNote[]> =>
  rowsWithTimes<StatusNote>(pool, `SELECT ${noteColumns} FROM status_note ORDER BY started_at DESC, note_id LIMIT $1`, [
    maxNotes,
  ]);

/** One statement, so that a sample is counted whole or not at all. */
const store = async (pool: Pool, { at, state, alerts }: StatusSample): Promise<void> => {
  await pool.query(
    `WITH today AS (
       INSERT INTO status_day (day, checks, degraded, outage)
       VALUES (($1::timestamptz AT TIME ZONE 'UTC')::date, 1, $2::int, $3::int)
       ON CONFLICT (day) DO UPDATE SET checks = status_day.checks + 1,
         degraded = status_day.degraded + excluded.degraded, outage = status_day.outage + excluded.outage
     ), given AS (
       SELECT alert, summary FROM jsonb_to_recordset($4::jsonb) AS a (alert text, summary text)
     ), seen AS (
       UPDATE status_incident i SET last_seen_at = greatest(i.last_seen_at, $1), summary = given.summary
       FROM given
       WHERE i.alert = given.alert AND i.last_seen_at > $1::timestamptz - make_interval(mins => $5::int)
       RETURNING i.alert
     ), begun AS (
       INSERT INTO status_incident (alert, started_at, last_seen_at, summary)
       SELECT alert, $1, $1, summary FROM given WHERE alert NOT IN (SELECT alert FROM seen)
       ON CONFLICT DO NOTHING
     ), old_notes AS (
       DELETE FROM status_note WHERE coalesce(ends_at, started_at) < $1::timestamptz - make_interval(days => $6::int)
     ), over AS (
       DELETE FROM status_incident WHERE last_seen_at < $1::timestamptz - make_interval(days => $6::int)
     )
     DELETE FROM status_day WHERE day < ($1::timestamptz AT TIME ZONE 'UTC')::date - $6::int`,
    [
      at,
      state === 'degraded' ? 1 : 0,
      state === 'outage' ? 1 : 0,
      JSON.stringify(alerts.map(({ id, summary }) => ({ alert: id, summary }))),
      incidentGoneMinutes,
      statusDays,
    ],
  );
};
