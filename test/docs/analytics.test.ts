import assert from 'node:assert/strict';
import { createWriteStream, mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describe, it } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { Client } from 'pg';
import { postgresExportSource } from '#src/adapters/postgres/ledger-export-postgres.ts';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { exportFormats } from '#src/contract/ledger.ts';
import { sealed } from '#src/eventlog/hash-chain.ts';
import { uuidOf } from '#src/kernel/ids.ts';
import { exportLedger } from '#src/queries/ledger-export.ts';
import { testDatabase } from '#test/support/database.ts';

const read = (path: string): string => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
const questions = [...read('analysts.md').matchAll(/^### \d+\. (.+)\n\n```sql question\n([\s\S]+?);\n```$/gm)].map(
  ([, title = '', query = '']) => ({ title, query: query.replaceAll('acc_…', 'acc_one').replaceAll('key_…', 'key_a') }),
);

/** What the views read from exports in other formats than Parquet. */
const sources = [...read('analysts.md').matchAll(/^```sql source\n([\s\S]+?)\n```$/gm)].map(
  ([, source = '']) => source,
);

type Told = readonly [account: string, at: string, type: string, data: Readonly<Record<string, unknown>>];

const charged = { operation: 'transcript', requests: 1, priceBook: '2026-10', keyId: 'key_a', videoId: 'v1' };
const job = { reservationId: 'rsv_1', jobId: 'job_1' };

/** Two months of one account and one of another, with every kind of entry. */
const history: readonly Told[] = [
  ['acc_one', '2026-10-01T00:00:00Z', 'BookOpened', { period: '2026-10', part: 1 }],
  ['acc_one', '2026-10-01T00:00:00Z', 'CreditsGranted', { amount: 100, kind: 'plan', expiresAt: null }],
  [
    'acc_one',
    '2026-10-05T09:30:00Z',
    'CreditsCharged',
    { ...charged, amount: 2, chargeId: 'c1', costTag: 'project-a' },
  ],
  [
    'acc_one',
    '2026-10-06T10:00:00Z',
    'ChargeRefunded',
    { operation: 'transcript', amount: 1, chargeId: 'c1', costTag: 'project-a' },
  ],
  ['acc_one', '2026-10-31T23:59:59Z', 'CreditsExpired', { amount: 9 }],
  ['acc_one', '2026-11-01T00:00:00Z', 'BookOpened', { period: '2026-11', part: 1 }],
  [
    'acc_one',
    '2026-11-02T09:45:00Z',
    'CreditsCharged',
    { ...charged, amount: 2, chargeId: 'c2', contentSha256: 'f0', costTag: 'project-a' },
  ],
  [
    'acc_one',
    '2026-11-03T11:00:00Z',
    'CreditsCharged',
    { ...charged, amount: 2, chargeId: 'c3', contentSha256: 'f0', keyId: null },
  ],
  [
    'acc_one',
    '2026-11-04T11:00:00Z',
    'CreditsCharged',
    { ...charged, operation: 'summary', amount: 5, chargeId: 'c4', model: 'm', inputTokens: 90, outputTokens: 7 },
  ],
  ['acc_one', '2026-11-05T11:00:00Z', 'OperationServed', { operation: 'languages' }],
  ['acc_one', '2026-11-16T11:00:00Z', 'CreditsReserved', { ...job, amount: 5 }],
  [
    'acc_one',
    '2026-11-16T12:00:00Z',
    'ReservationSettled',
    { ...job, operation: 'job_item', amount: 2, chargeId: 'c5', videoId: 'v2' },
  ],
  ['acc_one', '2026-11-16T13:00:00Z', 'ReservationReleased', { ...job, amount: 1 }],
  ['acc_two', '2026-11-01T00:00:00Z', 'BookOpened', { period: '2026-11', part: 1 }],
  ['acc_two', '2026-11-01T00:00:00Z', 'CreditsGranted', { amount: 50, kind: 'operator', expiresAt: null }],
  ['acc_two', '2026-11-09T09:00:00Z', 'CreditsCharged', { ...charged, amount: 4, chargeId: 'c6', keyId: 'key_b' }],
];

const stored = async (client: Client): Promise<void> => {
  const hashes = new Map<string, string>();
  const versions = new Map<string, bigint>();
  for (const [index, [accountId, at, type, told]] of history.entries()) {
    const stream = `ledger-${accountId}-${at.slice(0, 7)}`;
    const version = (versions.get(stream) ?? 0n) + 1n;
    const meta = { occurred_at: at, account_id: accountId, actor: { type: 'system', id: 'test' } } as const;
    const event = { id: uuidOf(String(index)), type, schemaVersion: 1, data: { ...told, accountId, at }, meta };
    const prevHash = hashes.get(accountId) ?? '0'.repeat(64);
    const { hash } = sealed(event, { stream, version, prevHash });
    hashes.set(accountId, hash);
    versions.set(stream, version);
    await client.query(
      `INSERT INTO es_event (stream, version, event_id, type, schema_version, data, meta)
       VALUES ($1, $2, $3, $4, 1, $5, $6)`,
      [stream, version, event.id, type, event.data, { ...meta, chain: { prev_hash: prevHash, hash } }],
    );
  }
  for (const [stream, version] of versions) {
    await client.query('INSERT INTO es_stream (stream, version) VALUES ($1, $2)', [stream, version]);
  }
};

/** A value as text; numbers alike, however many places they are written with. */
const plain = (value: unknown): string | null => {
  if (value === null) return null;
  const text = String(value);
  return /^-?\d+(\.\d+)?$/.test(text) ? String(Number(text)) : text;
};

describe('the twenty questions of docs/analysts.md', () => {
  it('have the same answers by the role of analysts in Postgres and in DuckDB over exports', async () => {
    await using database = await testDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const pool = postgresPool({ url: database.url, applicationName: 'test', isPipelined: false });
    await using stack = new AsyncDisposableStack();
    stack.defer(() => pool.end());
    stack.defer(() => client.end());
    await stored(client);

    using folder = mkdtempDisposableSync(join(tmpdir(), 'steno-analysts-'));
    const exported = exportLedger(postgresExportSource({ pool }));
    for (const accountId of ['acc_one', 'acc_two']) {
      for (const format of exportFormats) {
        const { pieces } = await exported(accountId, format);
        const file = createWriteStream(join(folder.path, `ledger-${accountId}.${format}`));
        await pipeline(pieces(new AbortController().signal), file);
      }
    }
    /** DuckDB with the views over the exports of one format. */
    const duckOver = async (source: string) => {
      const duck = await (await DuckDBInstance.create(':memory:')).connect();
      stack.defer(() => duck.closeSync());
      const views = read('analytics.sql').replace("'ledger*.parquet'", source);
      await duck.run(views.replace("'ledger*", `'${folder.path}/ledger*`));
      return async (query: string) => {
        const texts = await duck.runAndReadAll(`SELECT COLUMNS(*)::VARCHAR FROM (${query})`);
        return texts.getRows().map((row) => row.map(plain));
      };
    };
    const overParquet = await duckOver("'ledger*.parquet'");

    assert.equal(questions.length, 20);
    await client.query('SET ROLE steno_analyst');
    const answers = new Map<string, readonly (readonly (string | null)[])[]>();
    for (const { title, query } of questions) {
      const { rows } = await client.query<unknown[]>({
        text: query,
        rowMode: 'array',
        types: { getTypeParser: () => (text: string | Buffer) => text },
      });
      const answer = rows.map((row) => row.map(plain));
      assert.deepEqual(await overParquet(query), answer, title);
      answers.set(title, answer);
    }
    assert.equal(sources.length, 2);
    for (const source of sources) {
      const over = await duckOver(source);
      // All of them read the same view: some show that it is the same.
      for (const { title, query } of questions.filter((_, at) => at % 4 === 0))
        assert.deepEqual(await over(query), answers.get(title), `${title} ${source}`);
    }
    const empty = [...answers].filter(([, rows]) => rows.length === 0).map(([title]) => title);
    assert.deepEqual(empty, ['Is an entry missing, or not linked to the previous one?']);
    assert.deepEqual(answers.get('What was the balance of an account at a given time?'), [['81']]);
    assert.deepEqual(answers.get('What has one key spent, by operation?'), [
      ['summary', '5'],
      ['transcript', '4'],
    ]);
    assert.deepEqual(answers.get('What has one tag cost, by month, less refunds?'), [
      ['2026-10-01', '1'],
      ['2026-11-01', '2'],
    ]);
    assert.deepEqual(answers.get('How do two months compare, by operation?'), [
      ['job_item', '0', '2'],
      ['summary', '0', '5'],
      ['transcript', '2', '4'],
    ]);
    assert.deepEqual(answers.get('How many credits are reserved for jobs that have not ended?'), [['job_1', '2']]);
  });

  it('are all that the role of analysts can ask', async () => {
    await using database = await testDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await using stack = new AsyncDisposableStack();
    stack.defer(() => client.end());
    const { rows } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', n.nspname, c.relname) AS name
       FROM pg_class AS c
       JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v', 'm', 'p')
         AND has_any_column_privilege('steno_analyst', c.oid, 'SELECT, INSERT, UPDATE')
       ORDER BY 1`,
    );
    const views = ['charges_v1', 'entries_v1', 'grants_v1', 'postings_v1', 'refunds_v1', 'reservations_v1'];
    assert.deepEqual(
      rows.map(({ name }) => name),
      views.map((view) => `analytics.${view}`),
    );
    await client.query('SET ROLE steno_analyst');
    await assert.rejects(client.query('SELECT * FROM es_event'), /permission denied/);
    await assert.rejects(client.query('DELETE FROM analytics.entries_v1'), /permission denied/);
  });
});
