import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Pace } from '#src/adapters/work-queue/pools.ts';
import { loadConfig } from '#src/config.ts';
import type { WorkCommands } from '#src/edges/worker/work-commands.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { startWorkerHere } from '#test/support/worker.ts';

/** The API in this process; its workers begin and end where a test says. */
export const startApi = (environment: Readonly<Record<string, string>> = {}): Promise<TestApp> =>
  startTestApp({
    environment: {
      ROLE: 'api',
      OUTBOUND_ALLOW: '127.0.0.0/8',
      WORKER_CONCURRENCY: '4',
      ...environment,
    },
  });

/** A worker in this process; `work` takes the place of what the program does. */
export const workerOn = (
  { environment }: Pick<TestApp, 'environment'>,
  work: Partial<WorkCommands>,
  options: { readonly pace?: Pace } = {},
): Promise<AsyncDisposable> =>
  startWorkerHere(loadConfig({ ...environment, ROLE: 'worker' }), { ...options, work: () => work });

/** An app with the tables of a queue, which its first worker makes, and nobody who takes from it. */
export const appWithQueue = async (): Promise<TestApp> => {
  const app = await startApi();
  await (await workerOn(app, {}))[Symbol.asyncDispose]();
  return app;
};

/** A piece of work with a past. */
export type Piece = {
  readonly task: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly concurrencyKeys?: readonly string[];
  readonly attempts?: number;
  /** Its row says that a process works at it which is dead. */
  readonly isHeld?: boolean;
};

/** Puts these into the queue at the same moment, due now, under the keys `piece 0`, `piece 1`, … */
export const queuePieces = async (pool: Pool, pieces: readonly Piece[]): Promise<void> => {
  for (const [index, { task, payload, concurrencyKeys = null }] of pieces.entries()) {
    await pool.query(
      `SELECT graphile_worker.add_job($1, $2, job_key => $3, flags => $4, run_at => now() + interval '1 hour')`,
      [task, JSON.stringify(payload), `piece ${index}`, concurrencyKeys],
    );
  }
  await pool.query(
    `UPDATE graphile_worker._private_jobs AS q
     SET run_at = now(), attempts = one.attempts, locked_by = one.locked_by,
       locked_at = CASE WHEN one.locked_by IS NOT NULL THEN now() - interval '1 hour' END
     FROM unnest($1::text[], $2::int[], $3::text[]) AS one (key, attempts, locked_by)
     WHERE q.key = one.key`,
    [
      pieces.map((_, index) => `piece ${index}`),
      pieces.map(({ attempts = 0, isHeld = false }) => attempts + Number(isHeld)),
      pieces.map(({ isHeld = false }) => (isHeld ? 'pool-dead' : null)),
    ],
  );
};

/** What waits for its next try is due at once. */
export const hurry = (pool: Pool): Promise<unknown> =>
  pool.query('UPDATE graphile_worker._private_jobs SET run_at = now() WHERE locked_by IS NULL');

/** Looks until it is so, for a while: what a test expects then says what is missing. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (let looks = 0; looks < 400 && !(await isSo()); looks += 1) await pause(50);
};
