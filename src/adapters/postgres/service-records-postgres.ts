import type { Pool } from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import { newUuid } from '../../kernel/ids.ts';
import type { Histogram, ServiceRecordStore, ServiceRecords, Work } from '../../status/service-records.ts';

/** Minutes tell the last hour, hours the last 30 days; older ones are deleted. */
const keptMinutes = '6 hours';
const keptHours = '90 days';
const keptReports = '7 days';

/** Records of all processes in Postgres (migration 0021), each row of one process. */
export const postgresServiceRecords = ({
  pool,
  clock,
}: {
  readonly pool: Pool;
  readonly clock: Clock;
}): ServiceRecordStore => {
  const processId = newUuid();
  return {
    async recordResponses({ minutes, hours }) {
      await pool.query(storeResponses, [
        processId,
        JSON.stringify(
          minutes.map(({ startedAt, total, failed, durations }) => ({
            ...{ at: startedAt, total, failed },
            durations: Object.fromEntries(
              Object.entries(durations).map(([work, counts]) => [work, Object.fromEntries(counts)]),
            ),
          })),
        ),
        JSON.stringify(hours.map(({ startedAt, total, failed }) => ({ at: startedAt, total, failed }))),
        clock(),
      ]);
    },
    async recordExtraction({ consecutiveFailures, lastExtractedAt, lastFailureAt, lastProbe }) {
      await pool.query(storeReport, [
        ...[processId, clock(), consecutiveFailures, lastExtractedAt, lastFailureAt],
        ...[lastProbe?.ok ?? null, lastProbe?.latencyMs ?? null, lastProbe?.checkedAt ?? null],
      ]);
    },
    async read() {
      const { rows } = await pool.query<Row>(readAll, [clock(), processId]);
      const [row] = rows;
      if (row === undefined) throw new Error('the server returned no row');
      return { ...row, durations: histogramsOf(row.durations) };
    },
  };
};

/** Counts only grow, so an older statement that comes late changes nothing. */
const storeResponses = `
  WITH minutes AS (
    INSERT INTO response_minute (minute, process_id, total, failed, durations)
    SELECT at, $1::uuid, total, failed, durations
    FROM jsonb_to_recordset($2::jsonb) AS m (at timestamptz, total int, failed int, durations jsonb)
    ON CONFLICT (minute, process_id) DO UPDATE
    SET total = excluded.total, failed = excluded.failed, durations = excluded.durations
    WHERE excluded.total > response_minute.total
  ), hours AS (
    INSERT INTO response_hour (hour, process_id, total, failed)
    SELECT at, $1::uuid, total, failed
    FROM jsonb_to_recordset($3::jsonb) AS h (at timestamptz, total int, failed int)
    ON CONFLICT (hour, process_id) DO UPDATE SET total = excluded.total, failed = excluded.failed
    WHERE excluded.total > response_hour.total
  ), old_minutes AS (
    DELETE FROM response_minute WHERE minute < $4::timestamptz - interval '${keptMinutes}'
  )
  DELETE FROM response_hour WHERE hour < $4::timestamptz - interval '${keptHours}'`;

const storeReport = `
  WITH old AS (
    DELETE FROM extraction_report
    WHERE reported_at < $2::timestamptz - interval '${keptReports}' AND process_id <> $1::uuid
  )
  INSERT INTO extraction_report (process_id, reported_at, consecutive_failures, last_extracted_at,
    last_failure_at, probe_ok, probe_latency_ms, probe_checked_at)
  VALUES ($1::uuid, $2::timestamptz, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (process_id) DO UPDATE
  SET reported_at = excluded.reported_at, consecutive_failures = excluded.consecutive_failures,
    last_extracted_at = excluded.last_extracted_at, last_failure_at = excluded.last_failure_at,
    probe_ok = excluded.probe_ok, probe_latency_ms = excluded.probe_latency_ms,
    probe_checked_at = excluded.probe_checked_at`;

const readAll = `
  SELECT
    (SELECT json_build_object('total', coalesce(sum(total), 0), 'failed', coalesce(sum(failed), 0))
     FROM response_hour WHERE hour > $1::timestamptz - interval '30 days') AS "last30Days",
    (SELECT json_build_object('total', coalesce(sum(total), 0), 'failed', coalesce(sum(failed), 0))
     FROM response_minute WHERE minute > $1::timestamptz - interval '1 hour') AS "lastHour",
    (SELECT coalesce(json_agg(summed), '[]') FROM (
       SELECT work.key AS work, bucket.key::float8 AS "boundMs", sum(bucket.value::int) AS count
       FROM response_minute, jsonb_each(durations) AS work, jsonb_each_text(work.value) AS bucket
       WHERE minute > $1::timestamptz - interval '1 hour'
       GROUP BY work.key, bucket.key
     ) AS summed) AS durations,
    (SELECT coalesce(json_agg(json_build_object(
       'consecutiveFailures', consecutive_failures,
       'lastExtractedAt', last_extracted_at,
       'lastFailureAt', last_failure_at,
       'lastProbe', CASE WHEN probe_checked_at IS NOT NULL THEN json_build_object(
         'ok', probe_ok IS TRUE,
         'latencyMs', coalesce(probe_latency_ms, 0),
         'checkedAt', probe_checked_at) END)), '[]')
     FROM extraction_report WHERE process_id <> $2::uuid) AS others`;

type Row = Omit<ServiceRecords, 'durations'> & {
  readonly durations: readonly { readonly work: string; readonly boundMs: number; readonly count: number }[];
};

const histogramsOf = (rows: Row['durations']): ServiceRecords['durations'] => {
  const of = (wanted: Work): Histogram =>
    new Map(rows.filter(({ work }) => work === wanted).map(({ boundMs, count }) => [boundMs, count]));
  return { cached: of('cached'), uncached: of('uncached'), liveness: of('liveness') };
};
