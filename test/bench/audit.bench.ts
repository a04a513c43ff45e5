import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { postgresExportSource } from '#src/adapters/postgres/ledger-export-postgres.ts';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { postgresTransparencyLog } from '#src/adapters/postgres/transparency-log-postgres.ts';
import { type ExportFormat, exportFormats } from '#src/contract/ledger.ts';
import { streamOf } from '#src/credits/credits.ts';
import { sealed } from '#src/eventlog/hash-chain.ts';
import { uuidOf } from '#src/kernel/ids.ts';
import { exportLedger } from '#src/queries/ledger-export.ts';
import { keyOfSeed, signerOf } from '#src/tlog/note.ts';
import { transparencyLog } from '#src/tlog/transparency-log.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp } from '#test/support/app.ts';
import { transcriptCharge } from '#test/support/credits.ts';
import { testDatabase } from '#test/support/database.ts';
import { hotAccount, ledgerAt, newCall } from './bench-ledger.ts';
import { rate } from './rate.ts';
import { alternately, median, type Row, rounded } from './row.ts';

export const name = 'audit';

const small = { entries: 50_000, leaves: 200_000, rounds: 3, seconds: 2 };
const full = { entries: 500_000, leaves: 10_000_000, rounds: 3, seconds: 4 };

/** What proofs cost: of the sizes of the goals with `BENCH_FULL=1`, else of smaller ones. */
export const run = async (options = process.env['BENCH_FULL'] === '1' ? full : small): Promise<readonly Row[]> => [
  await charges(options),
  await receipts(),
  ...(await exportsOf(options)),
  await proofs(options),
];

type Options = typeof small;

/** A charge that stores what a receipt says, against one without. */
const charges = async ({ rounds, seconds }: Options): Promise<Row> => {
  await using database = await testDatabase();
  await using opened = ledgerAt(database.url);
  await opened.openBook();
  const contentSha256 = hash('sha256', 'captions');
  const proved = { ...transcriptCharge(1), delivery: { contentSha256, format: 'json', options: {} } } as const;
  const measured = await alternately(
    rounds,
    () => rate(32, seconds, () => opened.ledger.charge(newCall(), [proved])),
    () => rate(32, seconds, () => opened.charge()),
  );
  return { case: 'charge with what a receipt says', unit: 'charges/s', ...measured, goal: 0.95, goalKind: 'ratio' };
};

const msOf = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};

const receipts = async (): Promise<Row> => {
  await using app = await startTestApp();
  const { key, accountId } = await app.createAccount();
  const answer = await app.get(`/v1/transcripts/${samples.prose}`, { key });
  const id = answer.headers.get('X-Credits-Event') ?? '';
  const times: number[] = [];
  for (let n = 0; n < 300; n += 1) {
    times.push(await msOf(() => app.core.queries.receipts(accountId, { id, cursor: null, limit: 100 })));
  }
  return { case: 'receipt, signed', value: rounded(median(times)), unit: 'ms', goal: 2, goalKind: 'at most' };
};

const exportsOf = async ({ entries, rounds }: Options): Promise<readonly Row[]> => {
  await using database = await testDatabase();
  const pool = postgresPool({ url: database.url, applicationName: 'steno bench', isPipelined: false });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => pool.end());
  await fillLedger(pool, entries);
  const exported = exportLedger(postgresExportSource({ pool }));
  let most = 0;
  const drain = async (pieces: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const _ of pieces) most = Math.max(most, process.memoryUsage().rss);
  };
  const exportTo = async (format: ExportFormat) => {
    const { pieces } = await exported(hotAccount, format);
    return pieces(new AbortController().signal);
  };
  const copy = () =>
    msOf(async () => {
      const client = await pool.connect();
      try {
        await drain(client.query(copyTo('COPY es_event TO STDOUT')));
      } finally {
        client.release();
      }
    });
  const about = `${entries.toLocaleString('en-US')} entries`;
  const rows: Row[] = [];
  // What the first exports of a process take stays: the growth is that of the later ones.
  for (const format of exportFormats) await drain(await exportTo(format));
  const before = most;
  for (const [format, goal] of [
    ['ndjson', 2.5],
    ['csv', 1.5],
    ['parquet', 6],
  ] as const) {
    const ours = async () => await msOf(async () => await drain(await exportTo(format)));
    const measured = await alternately(rounds, ours, copy);
    rows.push({
      case: `export as ${format}, ${about}, against COPY`,
      unit: 'ms',
      ...measured,
      goal,
      goalKind: 'ratio at most',
    });
  }
  rows.push({
    case: `exports, ${about}: growth of memory, from ${rounded(before / 1e6)} to ${rounded(most / 1e6)} MB`,
    value: rounded((most - before) / 1e6),
    unit: 'MB',
    goal: 200,
    goalKind: 'at most',
  });
  const text: Uint8Array[] = [];
  for await (const piece of await exportTo('ndjson')) text.push(piece);
  const times = [];
  for (let round = 0; round < rounds; round += 1) times.push(await msOf(() => verified(text)));
  const perSecond = rounded((entries * 1_000) / median(times));
  rows.push({ case: `docs/verify-ledger.mjs, ${about}`, value: perSecond, unit: 'entries/s', goal: 60_000 });
  return rows;
};

const verified = async (text: readonly Uint8Array[]): Promise<void> => {
  const program = new URL('../../docs/verify-ledger.mjs', import.meta.url).pathname;
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  await pipeline(Readable.from(text), child.stdin);
  const [code] = await ended;
  if (code !== 0) throw new Error('the ledger of the bench does not hold');
};

/** Charges of one account in books of 100,000, well hashed. */
const fillLedger = async (pool: pg.Pool, entries: number): Promise<void> => {
  const [perBook, step] = [100_000, 10_000];
  let prevHash = '0'.repeat(64);
  for (let from = 0; from < entries; from += step) {
    const stream = streamOf(hotAccount, '2026-11', Math.floor(from / perBook) + 1);
    const rows = Array.from({ length: Math.min(step, entries - from) }, (_, index) => {
      const version = BigInt(((from + index) % perBook) + 1);
      const data = {
        ...{
          accountId: hotAccount,
          chargeId: uuidOf(String(from + index)),
          operation: 'transcript',
          amount: 1,
          requests: 1,
        },
        ...{ priceBook: '2026-11', keyId: 'key_example', videoId: 'abcdefghijk', requestId: `req_${from + index}` },
        at: '2026-11-26T10:00:00.000Z',
      };
      const meta = { occurred_at: data.at, request_id: data.requestId, account_id: hotAccount } as const;
      const event = { id: data.chargeId, type: 'CreditsCharged', schemaVersion: 1, data, meta };
      const { hash: own } = sealed(event, { stream, version, prevHash });
      const row = {
        id: event.id,
        version: String(version),
        data,
        meta: { ...meta, chain: { prev_hash: prevHash, hash: own } },
      };
      prevHash = own;
      return row;
    });
    await pool.query(
      `INSERT INTO es_event (stream, version, event_id, type, schema_version, data, meta)
       SELECT $1, r.version, r.id, 'CreditsCharged', 1, r.data, r.meta
       FROM jsonb_to_recordset($2) AS r (id uuid, version bigint, data jsonb, meta jsonb)
       ORDER BY r.version`,
      [stream, JSON.stringify(rows)],
    );
  }
  await pool.query(`INSERT INTO es_stream (stream, version) SELECT stream, max(version) FROM es_event GROUP BY stream`);
  await pool.query('VACUUM ANALYZE es_event');
};

const proofs = async ({ leaves }: Options): Promise<Row> => {
  await using database = await testDatabase();
  const pool = postgresPool({ url: database.url, applicationName: 'steno bench' });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => pool.end());
  const log = transparencyLog({
    store: postgresTransparencyLog({ pool }),
    signers: [signerOf('bench.example/tlog', 'note', keyOfSeed(Buffer.alloc(32, 7)))],
    ...{ saltKey: Buffer.alloc(32, 1), intervalMs: 60_000, clock: () => new Date() },
  });
  await log.begin('bench.example/tlog');
  const step = 20_000;
  for (let from = 0; from < leaves; from += step) {
    const batch = Array.from({ length: Math.min(step, leaves - from) }, (_, index) => ({
      ...{ position: BigInt(from + index + 1), accountId: hotAccount },
      hash: (from + index).toString(16).padStart(64, '0'),
    }));
    await log.append(batch, BigInt(from + batch.length));
  }
  const times: number[] = [];
  for (let n = 0; n < 300; n += 1) {
    const position = BigInt(1 + ((n * 7_919) % leaves));
    times.push(await msOf(() => log.prove(hotAccount, position)));
  }
  const about = `inclusion proof among ${leaves.toLocaleString('en-US')} leaves`;
  return { case: about, value: rounded(median(times)), unit: 'ms', goal: 5, goalKind: 'at most' };
};
