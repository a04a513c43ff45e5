import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import type { EventLog } from '#src/eventlog/event-log.ts';
import { checkpointWatch } from '#src/eventlog/subscriptions/checkpoints.ts';
import { event } from '#test/support/eventlog.ts';
import { seeded } from '#test/support/seeded.ts';

/** Checks that each event took effect once and in order: `missing`, `doubled` and `inverted` must be 0. */
export type Effects = {
  readonly events: number;
  readonly kills: number;
  readonly missing: number;
  readonly doubled: number;
  readonly inverted: number;
};

const worker = fileURLToPath(new URL('./chaos-worker.ts', import.meta.url));

/**
 * Processes share one subscription and are killed (SIGKILL) in the middle of a transaction, each after a random number
 * of transactions, and replaced, until the given number was killed and every event is handled.
 */
export const chaos = async (
  { log, pool, url }: { readonly log: EventLog; readonly pool: pg.Pool; readonly url: string },
  options: { readonly kills: number; readonly workers: number; readonly seed: number },
): Promise<Effects> => {
  await pool.query('CREATE TABLE chaos_effect (n bigserial PRIMARY KEY, event_id uuid, stream text, version bigint)');
  const random = seeded(options.seed);
  const running = new Set<ChildProcess>();
  const enough = Promise.withResolvers<void>();
  let kills = 0;

  const start = (): void => {
    const seed = String(Math.floor(random() * 1_000_000));
    const child = spawn(process.execPath, ['--no-warnings', worker, url, seed], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.add(child);
    let transactionsLeft = 1 + Math.floor(random() * 8);
    child.stdout.on('data', (dots: Buffer) => {
      if (kills >= options.kills || transactionsLeft <= 0) return;
      transactionsLeft -= dots.length;
      if (transactionsLeft > 0) return;
      kills += 1;
      child.kill('SIGKILL');
      running.delete(child);
      if (kills === options.kills) enough.resolve();
      start();
    });
  };
  for (let n = 0; n < options.workers; n += 1) start();

  let events = 0;
  let last = 0n;
  const isEnough = { value: false };
  const appending = (async () => {
    while (!isEnough.value) {
      const stream = `s${Math.floor(random() * 10)}`;
      const count = 1 + Math.floor(random() * 10);
      const named = Array.from({ length: count }, (_, k) => event(`${events + k}`));
      const [outcome] = await log.append([{ stream, expected: 'any', events: named }]);
      if (outcome?.outcome === 'appended') last = outcome.lastPosition;
      events += count;
    }
  })();
  await enough.promise;
  isEnough.value = true;
  await appending;

  const isDone = await checkpointWatch(pool, 'chaos').caughtUpTo(last, { timeoutMs: 120_000 });
  await Promise.all(
    [...running].map(async (child) => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }),
  );
  if (!isDone) throw new Error('the subscription did not get to the end within two minutes');
  return { events, kills, ...(await judge(pool)) };
};

const judge = async (pool: pg.Pool): Promise<Pick<Effects, 'missing' | 'doubled' | 'inverted'>> => {
  const { rows } = await pool.query<Record<'missing' | 'doubled' | 'inverted', string>>(`
    SELECT
      (SELECT count(*) FROM es_event AS e
        WHERE NOT EXISTS (SELECT FROM chaos_effect AS c WHERE c.event_id = e.event_id)) AS missing,
      (SELECT count(*) - count(DISTINCT event_id) FROM chaos_effect) AS doubled,
      (SELECT count(*) FROM (
        SELECT version < lag(version) OVER (PARTITION BY stream ORDER BY n) AS is_inverted FROM chaos_effect
      ) AS ordered WHERE is_inverted) AS inverted`);
  const [row] = rows;
  return { missing: Number(row?.missing), doubled: Number(row?.doubled), inverted: Number(row?.inverted) };
};
