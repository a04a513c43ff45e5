import { randomUUID } from 'node:crypto';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import type pg from 'pg';
import type { EventLog, NewEvent } from '#src/eventlog/event-log.ts';
import { ensureProjections } from '#src/eventlog/projections/projection.ts';
import { rebuild } from '#src/eventlog/projections/rebuild.ts';
import { spending } from '#test/support/counting-projection.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';
import { subscription } from '#test/support/subscription.ts';
import { rate } from './rate.ts';
import type { Row } from './row.ts';

export const name = 'log';

type TestLog = Awaited<ReturnType<typeof logOnPostgres>>;
export type LogBenchOptions = { readonly seconds: number; readonly events: number };

/** An event of about the size of a charge: 260 bytes of data, 230 around them. */
const charge = (): NewEvent => ({
  id: randomUUID(),
  type: 'Spent',
  schemaVersion: 1,
  data: {
    accountId: 'acc_0123456789abcdef0123456789abcdef',
    chargeId: 'chg_0123456789abcdef0123456789abcdef',
    kind: 'transcript',
    amount: 1,
    requests: 1,
    priceBook: '2026-11',
    keyId: 'key_1',
    videoId: 'abcdefghijk',
    requestId: 'req_0123456789abcdef',
    at: '2026-11-21T10:00:00.000Z',
  },
  meta: {
    occurred_at: '2026-11-21T10:00:00.000Z',
    request_id: 'req_0123456789abcdef',
    account_id: 'acc_0123456789abcdef0123456789abcdef',
    actor: { type: 'key', id: 'key_1' },
    channel: 'rest',
  },
});

const row = (what: string, value: number, more: Partial<Row> = {}): Row => {
  const { baseline } = more;
  const ratio = baseline === undefined ? {} : { ratio: Number((value / baseline).toFixed(2)) };
  return { case: what, value: Math.round(value), unit: 'events/s', ...more, ...ratio };
};

export const run = async (options: LogBenchOptions = { seconds: 3, events: 1_000_000 }): Promise<readonly Row[]> => [
  ...(await appends(options.seconds)),
  ...(await batches(options.seconds)),
  ...(await streams()),
  ...(await wakes()),
  ...(await replays(options.events)),
];

/** Single appends to many streams, against a plain INSERT of the same row without an index and against Emmett's store. */
const appends = async (seconds: number): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (const callers of [1, 8, 32]) {
    await using opened = await logOnPostgres({ max: 32 });
    const { log, pool } = opened;
    await pool.query(
      'CREATE TABLE plain (position bigserial PRIMARY KEY, stream text, event_id uuid, type text, data jsonb, meta jsonb)',
    );
    const plain = await rate(callers, seconds, (caller) => insertPlain(pool, `p${caller}`));
    const ours = await rate(callers, seconds, (caller) => appendTo(log, `s${caller}`, 1));
    rows.push(
      row(`single-row INSERT, ${callers} callers`, plain),
      row(`append, ${callers} callers, against INSERT`, ours, {
        baseline: Math.round(plain),
        ...(callers === 32 ? { goal: 5_000 } : {}),
      }),
    );
    const theirs = await emmettRate(pool, opened.url, callers, seconds);
    rows.push(row(`append, ${callers} callers, against Emmett`, ours, { baseline: Math.round(theirs) }));
  }
  return rows;
};

const emmettRate = async (
  pool: pg.Pool,
  connectionString: string,
  callers: number,
  seconds: number,
): Promise<number> => {
  const store = getPostgreSQLEventStore(connectionString, { connectionOptions: { connectionString, pool } });
  await store.schema.migrate();
  return rate(callers, seconds, (caller) => {
    const { type, data } = charge();
    return store.appendToStream(`e${caller}`, [{ type, data }]);
  });
};

const insertPlain = (pool: pg.Pool, stream: string): Promise<unknown> => {
  const { id, type, data, meta } = charge();
  return pool.query('INSERT INTO plain (stream, event_id, type, data, meta) VALUES ($1, $2, $3, $4, $5)', [
    stream,
    id,
    type,
    JSON.stringify(data),
    JSON.stringify(meta),
  ]);
};

const appendTo = (log: EventLog, stream: string, count: number): Promise<unknown> =>
  log.append([{ stream, expected: 'any', events: Array.from({ length: count }, charge) }]);

/** One caller, one stream, several events in each append: the cost of a group commit. */
const batches = async (seconds: number): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (const size of [10, 50, 200]) {
    await using opened = await logOnPostgres();
    const batchesPerS = await rate(1, seconds, () => appendTo(opened.log, 'hot', size));
    const goal = size === 50 ? { goal: 45_000 } : {};
    rows.push(row(`one stream, appends of ${size}`, batchesPerS * size, goal));
  }
  return rows;
};

const streams = async (): Promise<readonly Row[]> => {
  await using opened = await logOnPostgres();
  const { log } = opened;
  for (let n = 0; n < 50; n += 1) await appendTo(log, 'long', 200);
  const timed = async (what: string, from: bigint): Promise<Row> => {
    await log.read('long', { from });
    const started = performance.now();
    await log.read('long', { from });
    return { case: what, value: Number((performance.now() - started).toFixed(1)), unit: 'ms' };
  };
  return [await timed('read a stream of 10,000', 1n), await timed('read the last 10 of 10,000', 9_991n)];
};

/** Time from the end of an append until a subscription in the same process has committed its effects. */
const wakes = async (): Promise<readonly Row[]> => {
  await using opened = await logOnPostgres();
  const { log, pool } = opened;
  await using line = subscription({ name: 'wakes', log, pool, onError: 'stop', handle: async () => {} });
  line.start();
  const waits: number[] = [];
  for (let n = 0; n < 200; n += 1) {
    const [outcome] = await log.append([{ stream: 's', expected: 'any', events: [charge()] }]);
    if (outcome?.outcome !== 'appended') throw new Error('a charge was not appended');
    const started = performance.now();
    await line.caughtUpTo(outcome.lastPosition, { timeoutMs: 5_000 });
    waits.push(performance.now() - started);
  }
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (share: number): number => Number((sorted[Math.floor(share * 200)] ?? 0).toFixed(1));
  return [
    { case: 'append to effect, p50', value: at(0.5), unit: 'ms' },
    { case: 'append to effect, p95', value: at(0.95), unit: 'ms' },
  ];
};

const replays = async (events: number): Promise<readonly Row[]> => {
  await using opened = await logOnPostgres();
  const { log, pool } = opened;
  await fill(opened, events);
  await ensureProjections(pool, [spending]);
  await pool.query(`INSERT INTO es_subscription (name, position) SELECT 'spending', max(position) FROM es_event`);
  let most = 0;
  const { elapsedMs, isSwitched } = await rebuild({
    pool,
    log,
    projection: spending,
    switching: 'always',
    onProgress: () => {
      most = Math.max(most, process.memoryUsage().rss);
    },
  });
  if (!isSwitched) throw new Error('the rebuild was not switched to');
  return [
    row(`rebuild of a folded projection, ${events} events`, events / (elapsedMs / 1_000), { goal: 200_000 }),
    { case: 'resident memory during the rebuild', value: Math.round(most / 1e6), unit: 'MB' },
  ];
};

/** A thousand accounts, thirty days, three kinds: generated by SQL, because only the fold is measured. */
const fill = async ({ pool }: TestLog, events: number): Promise<void> => {
  const { data, meta } = charge();
  const step = 50_000;
  for (let from = 0; from < events; from += step) {
    await pool.query(
      `INSERT INTO es_event (stream, version, event_id, type, schema_version, data, meta)
       SELECT 's' || n % 1000, n / 1000 + 1, gen_random_uuid(), 'Spent', 1,
         $3::jsonb || jsonb_build_object(
           'accountId', 'acc_' || n % 1000,
           'kind', (ARRAY['transcript', 'ask', 'raw'])[n % 3 + 1],
           'at', '2026-11-' || lpad((n * 30::bigint / $4 + 1)::text, 2, '0') || 'T10:00:00.000Z'
         ), $5
       FROM generate_series($1::int, $2::int) AS n`,
      [from, Math.min(from + step, events) - 1, JSON.stringify(data), events, JSON.stringify(meta)],
    );
  }
  await pool.query('VACUUM es_event');
};
