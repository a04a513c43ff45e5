import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { testDatabase } from '#test/support/database.ts';
import { hotAccount, ledgerAt } from './bench-ledger.ts';
import { rate } from './rate.ts';
import { alternately, median, type Row, rounded } from './row.ts';

export const name = 'charge';

/** Charges through the whole ledger command: decided, hash-chained, and durable before the call resolves. */
export const run = async (options = { seconds: 2, rounds: 3, bookEvents: 50_000 }): Promise<readonly Row[]> => [
  ...(await hot(options)),
  ...(await crowded(options.seconds)),
  ...(await spread(options)),
  ...(await coldStart(options.bookEvents)),
];

type Options = { readonly seconds: number; readonly rounds: number };

const childOf = (program: string, ...args: string[]): ChildProcess =>
  fork(fileURLToPath(new URL(program, import.meta.url)), args, {
    execArgv: ['--import', import.meta.resolve('tsx/esm')],
  });

const hot = async ({ seconds, rounds }: Options): Promise<readonly Row[]> => {
  await using database = await testDatabase();
  await using theirDatabase = await testDatabase();
  await using opened = ledgerAt(database.url);
  await opened.openBook();
  const emmett = childOf('./emmett-charges.ts', theirDatabase.url);
  await once(emmett, 'message');
  const theirs = async (mode: string): Promise<number> => {
    emmett.send({ mode, callers: 32, seconds });
    const [answer] = await once(emmett, 'message');
    return answer.perSecond;
  };
  const ours = (): Promise<number> => rate(32, seconds, () => opened.charge());
  const about = 'one hot account, 32 in parallel';
  const rows: Row[] = [
    {
      case: `${about}, against Emmett's command handler`,
      unit: 'charges/s',
      ...(await alternately(rounds, ours, () => theirs('handler'))),
      goal: 200,
      goalKind: 'ratio',
    },
    {
      case: `${about}, against Emmett's append with retry`,
      unit: 'charges/s',
      ...(await alternately(rounds, ours, () => theirs('optimistic'))),
      goal: 50,
      goalKind: 'ratio',
    },
  ];
  emmett.disconnect();
  await once(emmett, 'exit');
  return rows;
};

/** Many callers in one process, and in two: the number of calls that fail with a conflict. */
const crowded = async (seconds: number): Promise<readonly Row[]> => {
  await using database = await testDatabase();
  await using opened = ledgerAt(database.url);
  await opened.openBook();
  let faults = 0;
  const alone = await rate(400, seconds, () =>
    opened.charge().catch(() => {
      faults += 1;
    }),
  );
  const workers = [0, 1].map(() => childOf('./charge-worker.ts', database.url, '200', String(seconds)));
  const said = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0]));
  const together = said.reduce((sum, { perSecond }) => sum + perSecond, 0);
  const each = said.map(({ perSecond }): number => perSecond);
  const heard = said.reduce((sum, { faults: theirs }) => sum + theirs.length, 0);
  const none = { unit: 'faults', goal: 0, goalKind: 'at most' } as const;
  return [
    { case: 'one hot account, 400 in parallel', value: rounded(alone), unit: 'charges/s' },
    { case: 'one hot account, 400 in parallel: seen by callers', value: faults, ...none },
    { case: 'one hot account, two processes of 200', value: rounded(together), unit: 'charges/s' },
    { case: 'one hot account, two processes: seen by callers', value: heard, ...none },
    {
      case: 'one hot account, two processes: the slower against the faster',
      value: rounded(Math.min(...each) / Math.max(...each)),
      unit: 'of its rate',
      goal: 0.3,
    },
  ];
};

const accounts = Array.from({ length: 1_000 }, (_, at) => `acc_${String(at).padStart(32, '0')}`);

/** A thousand accounts in rotation, against plain INSERTs of rows of the same size through the same pool. */
const spread = async ({ seconds, rounds }: Options): Promise<readonly Row[]> => {
  await using database = await testDatabase();
  await using opened = ledgerAt(database.url);
  const { pool, log } = opened;
  for (const accountId of accounts) await opened.openBook(accountId);
  await pool.query(
    'CREATE TABLE plain (position bigserial PRIMARY KEY, stream text, event_id uuid, type text, data jsonb, meta jsonb)',
  );
  const [charged] = (await opened.charge(accounts[0])).eventIds;
  const event = await log.readById(charged ?? '');
  const [data, meta] = [JSON.stringify(event?.data), JSON.stringify(event?.meta)];
  const insert = () =>
    pool.query('INSERT INTO plain (stream, event_id, type, data, meta) VALUES ($1, $2, $3, $4, $5)', [
      event?.stream,
      randomUUID(),
      event?.type,
      data,
      meta,
    ]);
  let next = 0;
  const chargeNext = () => {
    next += 1;
    return opened.charge(accounts[next % accounts.length]);
  };
  for (const accountId of accounts) await opened.charge(accountId);
  const measured = await alternately(
    rounds,
    () => rate(32, seconds, chargeNext),
    () => rate(32, seconds, insert),
  );
  return [
    {
      case: '1,000 accounts, 32 in parallel, against single INSERTs',
      unit: 'charges/s',
      ...measured,
      goal: 1,
      goalKind: 'ratio',
    },
  ];
};

/** The first charge of a process on a long book: loaded from its snapshot and later events, decided, durable. */
const coldStart = async (events: number): Promise<readonly Row[]> => {
  await using database = await testDatabase();
  await using opened = ledgerAt(database.url);
  await opened.openBook();
  for (let made = 0; made < events; made += 500) {
    await Promise.all(Array.from({ length: 500 }, () => opened.charge()));
  }
  const times: number[] = [];
  for (let turn = 0; turn < 15; turn += 1) {
    await using fresh = ledgerAt(database.url);
    await fresh.pool.query('SELECT 1');
    const started = performance.now();
    await fresh.charge(hotAccount);
    times.push(performance.now() - started);
  }
  const about = `first charge of a process, book of ${events.toLocaleString('en-US')} events`;
  return [
    { case: `${about}, median of 15`, value: rounded(median(times)), unit: 'ms', goal: 20, goalKind: 'at most' },
    { case: `${about}, longest of 15`, value: rounded(Math.max(...times)), unit: 'ms' },
  ];
};
