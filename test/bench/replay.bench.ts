import type pg from 'pg';
import { usage } from '#projections/usage.ts';
import { ensureProjections } from '#src/eventlog/projections/projection.ts';
import { rebuild } from '#src/eventlog/projections/rebuild.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';
import { type Row, rounded } from './row.ts';

export const name = 'replay';

/** The read model of usage, rebuilt from a tenth of the ledger events and from all of them. */
export const run = async ({ events } = { events: 1_000_000 }): Promise<readonly Row[]> => {
  await using opened = await logOnPostgres();
  const { pool } = opened;
  await ensureProjections(pool, [usage]);
  const tenth = events / 10;
  await fill(pool, 0, tenth);
  await rebuilt(opened);
  const few = await rebuilt(opened);
  await fill(pool, tenth, events);
  const many = await rebuilt(opened);
  const about = `rebuild of usage, ${events.toLocaleString('en-US')} events`;
  return [
    { case: about, value: rounded(events / many.seconds), unit: 'events/s', goal: 200_000 },
    {
      case: `${about}, against ${tenth.toLocaleString('en-US')}`,
      value: rounded(many.seconds / few.seconds / 10),
      unit: 'times as long for each event',
      goal: 1.25,
      goalKind: 'at most',
    },
    { case: `${about}: growth of memory`, value: rounded(many.grownMB), unit: 'MB', goal: 200, goalKind: 'at most' },
    { case: `${about}: rows`, value: many.rows, unit: 'rows' },
  ];
};

const rebuilt = async ({ pool, log }: Awaited<ReturnType<typeof logOnPostgres>>) => {
  await pool.query(
    `INSERT INTO es_subscription (name, position) SELECT 'usage', max(position) FROM es_event
     ON CONFLICT (name) DO UPDATE SET position = EXCLUDED.position`,
  );
  const before = process.memoryUsage().rss;
  let most = before;
  const { elapsedMs, isSwitched, proof } = await rebuild({
    pool,
    log,
    projection: usage,
    switching: 'always',
    onProgress: () => {
      most = Math.max(most, process.memoryUsage().rss);
    },
  });
  if (!isSwitched) throw new Error('the rebuild was not switched to');
  const rows = proof.reduce((sum, table) => sum + table.rows, 0);
  return { seconds: elapsedMs / 1_000, grownMB: (most - before) / 1e6, rows };
};

/**
 * A thousand accounts over thirty days: nine charges in ten, the rest free operations, failures and refunds. Written
 * by SQL directly into the log, because only the fold is measured; and vacuumed, as autovacuum does after growth by
 * a fifth: otherwise the first reader of a page sets its hint bits and writes it. Then a checkpoint: no log
 * grows by so much in seconds.
 */
export const fill = async (pool: pg.Pool, from: number, to: number): Promise<void> => {
  const step = 25_000;
  for (let at = from; at < to; at += step) {
    await pool.query(
      `INSERT INTO es_event (stream, version, event_id, type, schema_version, data, meta)
       SELECT 'ledger-' || a.id || '-2026-11', n / 1000 + 1, gen_random_uuid(), t.type, 1,
         jsonb_build_object(
           'accountId', a.id,
           'chargeId', gen_random_uuid(),
           'operation', (ARRAY['transcript', 'raw', 'languages'])[n % 3 + 1],
           'amount', 1,
           'requests', 1,
           'priceBook', '2026-11',
           'keyId', 'key_' || a.id || n % 2,
           'videoId', 'abcdefghijk',
           'requestId', 'req_' || md5(n::text),
           'at', '2026-11-' || lpad((n * 30::bigint / 1000000 % 30 + 1)::text, 2, '0') || 'T10:00:00.000Z'
         ),
         jsonb_build_object(
           'occurred_at', '2026-11-21T10:00:00.000Z', 'request_id', 'req_' || md5(n::text),
           'account_id', a.id, 'actor', jsonb_build_object('type', 'key', 'id', 'key_1'), 'channel', 'rest',
           'chain', jsonb_build_object('prev_hash', repeat('0', 64), 'hash', repeat('f', 64))
         )
       FROM generate_series($1::int, $2::int) AS n
       CROSS JOIN LATERAL (SELECT 'acc_' || lpad((n % 1000)::text, 32, '0') AS id) AS a
       CROSS JOIN LATERAL (
         SELECT CASE n % 20 WHEN 0 THEN 'OperationServed' WHEN 1 THEN 'ChargeRefunded' ELSE 'CreditsCharged' END AS type
       ) AS t`,
      [at, Math.min(at + step, to) - 1],
    );
  }
  await pool.query('VACUUM es_event');
  await pool.query('CHECKPOINT');
};
