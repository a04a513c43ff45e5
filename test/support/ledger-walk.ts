import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { balanceOf, balances } from '#projections/balances.ts';
import { entriesOf, type StoredEntry } from '#projections/ledger-entries.ts';
import { receipts } from '#projections/receipts.ts';
import { usage } from '#projections/usage.ts';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { rowForm } from '#src/adapters/postgres/read-connections.ts';
import type { PlanKey } from '#src/contract/plan-keys.ts';
import { chargeIdOf } from '#src/credits/charge-credits.ts';
import type { CreditsEvent } from '#src/credits/credits.ts';
import { resolutionIdOf } from '#src/credits/ledger/event-ids.ts';
import type { LedgerResult } from '#src/credits/ledger/ledger-result.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { ensureProjections, type Projection, projectionRunner } from '#src/eventlog/projections/projection.ts';
import { RebuildInProgressError, rebuild } from '#src/eventlog/projections/rebuild.ts';
import { callOf, ledgerOn, manualClock, openBook } from '#test/support/credits.ts';
import { testDatabase } from '#test/support/database.ts';
import { referenceLedger } from '#test/support/reference-ledger.ts';
import { seeded } from '#test/support/seeded.ts';

/*
 * Two processes keep the ledger of one account and fold its read models. At random they charge, set aside, settle, give back, grant
 * and change plans, by keys that repeat each other's operations; their database connections are cut in the middle of that, others
 * take their place, and read models are rebuilt meanwhile. In the end, the ledger and every read model are compared with the sums of an independent implementation (`referenceLedger`).
 */

const account = 'acc_1';
const models = [usage, balances, receipts] as readonly Projection[];
const caps = { key_capped: 120 };
const dayMs = 86_400_000;

type Ledger = ReturnType<typeof ledgerOn>;
type Random = ReturnType<typeof chance>;
type Options = Parameters<typeof ledgerOn>[1];

const chance = (seed: number) => {
  const random = seeded(seed);
  const int = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  return {
    int,
    /** True so many times of a hundred. */
    is: (percent: number): boolean => random() * 100 < percent,
    pick: <Of>(...list: readonly [Of, ...Of[]]): Of => list[int(0, list.length - 1)] ?? list[0],
  };
};

/** A process: connections, a ledger and the runner of the read models. */
const begin = (url: string, name: string, options: Options) => {
  const pool = postgresPool({ url, applicationName: name, max: 5, onLost: () => {} });
  const log = postgresEventLog({ pool });
  const runner = projectionRunner({ projections: models, log, pool, pollMs: 10, restMs: 5 });
  runner.start();
  const end = async (): Promise<void> => {
    await runner.stop();
    await pool.end();
  };
  return { name, pool, log, subscriptions: runner.subscriptions, end, ledger: ledgerOn(log, options) };
};

const charges = (count: number, amount: number) =>
  Array.from({ length: count }, (_, index) => ({
    what: `video ${index}`,
    operation: 'batch' as const,
    amount,
    requests: index === 0 ? 1 : 0,
    videoId: null,
  }));

const callBy = ({ int, pick }: Random, deduplicationKey: string) => {
  const key = pick('key_capped', 'key_free', null);
  return callOf(account, {
    deduplicationKey,
    requestId: `req_${int(1, 1e9)}`,
    actor: key === null ? { type: 'user', id: 'usr_1' } : { type: 'key', id: key },
    capCredits: key === 'key_capped' ? caps[key] : null,
  });
};

/** One thing that somebody asks of a ledger; the same thing is asked again and again. */
const asked = (ledger: Ledger, random: Random, now: Date): Promise<LedgerResult> => {
  const { int, is, pick } = random;
  const [n, item] = [int(0, 14), int(0, 3)];
  const job = `${int(0, 5)}`;
  const held = { reservationId: `rsv_${job}`, jobId: `job_${job}` };
  const settled = { attempt: 1, operation: 'job_item' as const, videoId: null };
  const by = (name: string) => callBy(random, name);
  const [first] = charges(1, 1);
  assert(first !== undefined);
  const chargeId = chargeIdOf(by(`charge ${n}`), first);
  const itemId = `itm_${item}`;
  const amounts = [1, 2, 3, 40] as const;
  return pick<() => Promise<LedgerResult>>(
    () => ledger.charge(by(`charge ${n}`), charges(1 + (n % 3), pick(...amounts))),
    () => ledger.charge(by(`charge ${n}`), charges(1 + (n % 3), pick(...amounts))),
    () => {
      const expiresAt = is(40) ? new Date(now.getTime() + int(1, 60) * dayMs).toISOString() : null;
      return ledger.grant(by('grant'), { reference: `${n}`, amount: int(1, 80), expiresAt });
    },
    () => ledger.reserve(by('reserve'), { ...held, amount: 4 }),
    () => ledger.settleItem(by('settle'), { ...held, ...settled, itemId, amount: 1 }),
    () => ledger.settleItem(by('settle'), { ...held, ...settled, itemId, amount: 1 }),
    () => ledger.release(by('release'), { ...held, itemId, amount: 1, why: 'item_failed' }),
    () => ledger.release(by('end'), { ...held, itemId: null, amount: null, why: 'job_ended' }),
    () => ledger.refund(by(`back ${n}`), { chargeId, amount: pick(1, 2, null), why: 'late' }),
    () =>
      ledger.refund(by(`back ${job} ${item}`), {
        chargeId: resolutionIdOf(held.reservationId, itemId),
        amount: null,
        why: 'late',
      }),
    async () => {
      await ledger.refundUnacknowledged(by(`charge ${n}`), charges(3, 1));
      return ledger.rollPeriod(by('look'));
    },
    () =>
      ledger.record(by(`record ${int(0, 60)}`), {
        operation: pick('languages', 'transcript'),
        code: pick(null, 'VIDEO_NOT_FOUND'),
      }),
    () =>
      is(30) ? ledger.assignPlan(by(`plan ${n}`), pick('starter', 'pro', 'enterprise')) : ledger.rollPeriod(by('turn')),
  )();
};

/** Two processes on one database, each of which is replaced by another when its connections are cut. */
const twoProcesses = async (url: string, plan: PlanKey, options: Options) => {
  const pool = postgresPool({ url, applicationName: 'walk', max: 6 });
  const log = postgresEventLog({ pool });
  await ensureProjections(pool, models);
  await openBook(log, account, { plan, clock: options.clock });
  const all: ReturnType<typeof begin>[] = [];
  const another = () => {
    const one = begin(url, `walker ${all.length}`, options);
    all.push(one);
    return one;
  };
  let [one, other] = [another(), another()];
  return {
    pool,
    log,
    either: (isOne: boolean) => (isOne ? one : other),
    cut: async (isOne: boolean): Promise<void> => {
      const { name } = isOne ? one : other;
      if (isOne) one = another();
      else other = another();
      await pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [name]);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(all.map(({ end }) => end()));
      await pool.end();
    },
  };
};

type Processes = Awaited<ReturnType<typeof twoProcesses>>;

/** Folds a read model anew; the live one may be ahead or behind, and never says anything else. */
const rebuilt = async ({ pool, log }: Processes, { int, pick }: Random): Promise<void> => {
  const projection = models[int(0, models.length - 1)];
  assert(projection !== undefined);
  const switching = pick('when_equal', 'always', 'never');
  const batchSize = pick(1, 7, 1_000);
  try {
    const { differences } = await rebuild({ pool, log, projection, switching, batchSize });
    assert.equal(differences, 0, projection.name);
  } catch (error) {
    if (!(error instanceof RebuildInProgressError)) throw error;
  }
};

/** What was told of so many steps at random: the ids of events that callers were answered with. */
const walked = async (
  processes: Processes,
  random: Random,
  { steps, time }: { readonly steps: number; readonly time: ReturnType<typeof manualClock> },
): Promise<readonly string[]> => {
  const { int, is } = random;
  const told: string[] = [];
  const ask = async (): Promise<void> => {
    const { ledger } = processes.either(is(50));
    // What was refused did not happen. What was cut off may have; others ask for it again.
    const posted = await asked(ledger, random, time.clock()).catch(() => null);
    told.push(...(posted?.eventIds ?? []));
  };
  const rebuilds: Promise<void>[] = [];
  for (let step = 0; step < steps; step += 1) {
    const asking = Array.from({ length: int(1, 6) }, ask);
    if (is(6)) rebuilds.push(rebuilt(processes, random));
    if (is(15)) {
      await pause(int(0, 12));
      await processes.cut(is(50));
    }
    await Promise.all(asking);
    if (is(12)) time.moveBy(int(1, 25) * dayMs);
  }
  await Promise.all(rebuilds);
  return told;
};

/** Of a key without use some say 0 and some nothing. */
const ofUse = (keys: ReadonlyMap<string, number>) => [...keys].filter(([, credits]) => credits !== 0).toSorted();

const usageIn = async ({ pool }: Processes) => {
  const { rows } = await pool.query<{ name: string } & Record<string, string>>(
    `SELECT to_char(day, 'YYYY-MM-DD') || ' ' || kind || ' ' || key_id AS name,
       requests::int, failed::int, credits::int
     FROM usage`,
  );
  return rows.map(({ name, ...counts }) => [name, counts]).toSorted();
};

/** Walks so many steps with two processes, and compares what they keep with the sums of an independent implementation. */
export const walkLedger = async (plan: PlanKey, maxEvents: number, steps: number): Promise<void> => {
  await using database = await testDatabase();
  const random = chance(maxEvents);
  const time = manualClock('2026-01-31T09:00:00Z');
  const { clock } = time;
  const options = { clock, maxEvents, timeoutMs: 3_000 };
  await using processes = await twoProcesses(database.url, plan, options);
  const told = await walked(processes, random, { steps, time });
  await processes.cut(true);

  const { ledger, subscriptions } = processes.either(true);
  const balance = await ledger.balance(callBy(random, 'look'), { fresh: true });
  const sql = postgres(database.url, { ...rowForm, max: 1 });
  const entries: StoredEntry[] = [];
  for await (const entry of entriesOf(sql, account)) entries.push(entry);
  const end = entries.at(-1)?.position ?? 0n;
  for (const line of subscriptions.values()) {
    assert.ok(await line.caughtUpTo(end, { timeoutMs: 20_000 }), line.name);
  }
  const { buckets } = await balanceOf(sql, account);
  await sql.end();

  const known = new Set(entries.map(({ id }) => id));
  assert.equal(known.size, entries.length);
  assert.deepEqual(
    told.filter((id) => !known.has(id)),
    [],
    'what callers were told is in the books',
  );
  const events = entries.map(({ type, data }) => ({ type, data }) as { type: string });
  const sums = referenceLedger(events as CreditsEvent[], caps);
  assert.deepEqual(buckets, sums.buckets);
  assert.deepEqual(
    [balance.plan, balance.remaining, balance.reserved],
    [sums.plan, sums.buckets.available, sums.buckets.reserved],
  );
  assert.deepEqual(ofUse(balance.spentByKey), ofUse(sums.used));
  assert.deepEqual(await usageIn(processes), [...sums.usage].toSorted());
  const { rows } = await processes.pool.query('SELECT count(*)::int AS receipts FROM receipts');
  assert.deepEqual(rows, [{ receipts: events.length }]);
};
