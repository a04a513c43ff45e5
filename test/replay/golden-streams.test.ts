import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { projections } from '#projections/index.ts';
import * as account from '#src/accounts/account.ts';
import * as mailbox from '#src/accounts/email-address.ts';
import * as session from '#src/accounts/sign-in/session.ts';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import * as authorization from '#src/authorizations/authorization.ts';
import * as credits from '#src/credits/credits.ts';
import type { RecordedEvent } from '#src/eventlog/event-log.ts';
import { type PostgresEventLog, postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { ensureProjections, projectionRunner } from '#src/eventlog/projections/projection.ts';
import { catalogue, chapters, eventSchemas, type ProductEvent, upcasters } from '#src/events.ts';
import * as follow from '#src/follows/follow.ts';
import * as followBudget from '#src/follows/follow-budget.ts';
import * as followedVideo from '#src/follows/followed-video.ts';
import * as items from '#src/jobs/item-group.ts';
import * as job from '#src/jobs/job.ts';
import * as key from '#src/keys/key.ts';
import * as library from '#src/library/library.ts';
import * as delivery from '#src/webhooks/delivery.ts';
import * as webhook from '#src/webhooks/webhook.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';
import { idOf } from '#test/support/eventlog.ts';

/*
 * Every event in every shape that was ever shipped, as the log holds it: one file of streams for each chapter of the
 * catalogue. `states.ndjson` and `rows.ndjson` are what they fold to, one state or row a line. Lines are added, with an event or a shape that is
 * new; no line is ever changed. A red test here says: the past would be read differently.
 */

type Line = {
  readonly stream: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: Readonly<Record<string, unknown>>;
};

const file = (name: string): URL => new URL(name, import.meta.url);
const linesOf = (chapter: string): readonly Line[] =>
  readFileSync(file(`${chapter}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const chapterNames = Object.keys(chapters) as (keyof typeof chapters)[];
const lines = chapterNames.flatMap(linesOf);

const folding =
  <State, E extends ProductEvent>({
    initialState,
    evolve,
  }: {
    initialState: () => State;
    evolve: (state: State, event: E) => State;
  }) =>
  (events: readonly RecordedEvent[]): unknown =>
    events.reduce((state, { type, data }) => evolve(state, { type, data } as E), initialState());

const foldOf = {
  ledger: folding(credits),
  accounts: folding(account),
  mailboxes: folding(mailbox),
  sessions: folding(session),
  keys: folding(key),
  authorizations: folding(authorization),
  jobs: folding(job),
  items: folding(items),
  libraries: folding(library),
  follows: folding(follow),
  followedVideos: folding(followedVideo),
  followBudgets: folding(followBudget),
  webhooks: folding(webhook),
  deliveries: folding(delivery),
} as const satisfies Record<keyof typeof chapters, unknown>;

/** Maps and sets as the lists of what they hold. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one) => (one instanceof Map || one instanceof Set ? [...one] : one)));

type NamedValue = readonly [name: string, value: unknown];

/** What these streams came to when they were kept. `KEEP_GOLDEN=1` keeps what they come to now, to be read in review. */
const kept = (name: 'states.ndjson' | 'rows.ndjson', found: readonly NamedValue[]): unknown => {
  if (process.env['KEEP_GOLDEN'] === '1') {
    writeFileSync(file(name), found.map((one) => `${JSON.stringify(one)}\n`).join(''));
  }
  const text = readFileSync(file(name), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
};

let database: TestDatabase;
let pool: ReturnType<typeof postgresPool>;
let log: PostgresEventLog;

describe('streams as they were stored', () => {
  before(async () => {
    database = await testDatabase();
    pool = postgresPool({ url: database.url, applicationName: 'steno test', max: 4 });
    log = postgresEventLog({ pool, upcasters, schemas: eventSchemas });
    // As the database holds them, past the rules for what is appended today.
    const streams = [...Map.groupBy(lines, ({ stream }) => stream)];
    await pool.query('SELECT * FROM es_append($1, $2, $3)', [
      streams.map(([stream]) => stream),
      streams.map(() => null),
      JSON.stringify(
        streams.map(([stream, its]) =>
          its.map(({ type, schemaVersion, data }, index) => ({
            event_id: idOf(`${stream}|${index}`),
            type,
            schema_version: schemaVersion,
            data,
            meta: { occurred_at: data['at'], account_id: data['accountId'] ?? 'acc_golden' },
          })),
        ),
      ),
    ]);
  });
  after(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });

  it('contain every type of event, each in its chapter', () => {
    for (const chapter of chapterNames) {
      const types = new Set(linesOf(chapter).map(({ type }) => type));
      const own = Object.entries(catalogue).flatMap(([type, its]) => (its === chapter ? type : []));
      assert.deepEqual([...types].toSorted(), own.toSorted(), chapter);
    }
  });

  it('have the shapes that the schemas of their types declare', async () => {
    const { events } = await log.readAll({ after: 0n, limit: 10_000 });
    for (const { type, data, stream } of events) {
      const fields = eventSchemas[type]?.strict().safeParse(data);
      assert.ok(fields?.success, `${type} in ${stream}: ${fields?.error}`);
    }
  });

  it('fold to the states they always folded to', async () => {
    const states: NamedValue[] = [];
    for (const chapter of chapterNames) {
      for (const stream of new Set(linesOf(chapter).map((line) => line.stream))) {
        states.push([stream, plain(foldOf[chapter](await log.read(stream)))]);
      }
    }
    assert.deepEqual(states, kept('states.ndjson', states));
  });

  // Without positions: a line that is added moves those behind it.
  it('fold to the rows they always folded to', async () => {
    await ensureProjections(pool, projections);
    const { safeUpTo } = await log.readAll({ after: 0n, limit: 10_000 });
    await using runner = projectionRunner({ projections, log, pool, restMs: 0 });
    runner.start();
    for (const [name, { caughtUpTo }] of runner.subscriptions) {
      assert.ok(await caughtUpTo(safeUpTo, { timeoutMs: 60_000 }), name);
    }
    const reader = new Client({ connectionString: database.url, options: '-c TimeZone=UTC' });
    await reader.connect();
    const rows: NamedValue[] = [];
    for (const table of projections.flatMap(({ tables }) => tables)) {
      const found = await reader.query(
        `SELECT to_jsonb(one) - 'position' - 'ended_position' AS row FROM ${table} AS one ORDER BY 1`,
      );
      rows.push(...found.rows.map(({ row }): NamedValue => [table, row]));
    }
    await reader.end();
    assert.deepEqual(rows, kept('rows.ndjson', rows));
  });
});
