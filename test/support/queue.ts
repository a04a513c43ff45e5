import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Pace } from '#src/adapters/graphile-worker/pools.ts';
import { loadConfig } from '#src/config.ts';
import type { WorkCommands } from '#src/edges/worker/work-commands.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';

/** The API in this process, with the tables of the queue and without a worker: tests start and stop workers themselves. */
export const startApi = (
  environment: Readonly<Record<string, string>> = {},
  parts: Omit<Parameters<typeof startTestApp>[0] & object, 'environment'> = {},
): Promise<TestApp> =>
  startTestApp({
    ...parts,
    environment: { ROLE: 'api', OUTBOUND_ALLOW: '127.0.0.0/8', WORKER_CONCURRENCY: '4', ...environment },
  });

/** A worker in this process; `work` replaces commands of the product. */
export const workerOn = (
  { environment }: Pick<TestApp, 'environment'>,
  work: Partial<WorkCommands>,
  options: { readonly pace?: Pace; readonly isUsualPace?: boolean } = {},
): Promise<AsyncDisposable> =>
  startWorkerInProcess(loadConfig({ ...environment, ROLE: 'worker' }), { ...options, work: () => work });

/** A task with its earlier attempts. */
export type QueuedTask = {
  readonly task: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly concurrencyKeys?: readonly string[];
  readonly attempts?: number;
  /** Whether its row is locked by a dead worker. */
  readonly isHeld?: boolean;
};

/** Adds tasks to the queue, due now, under the job keys `task 0`, `task 1`, … */
export const queueTasks = async (pool: Pool, tasks: readonly QueuedTask[]): Promise<void> => {
  for (const [index, { task, payload, concurrencyKeys = null }] of tasks.entries()) {
    await pool.query(
      `SELECT graphile_worker.add_job($1, $2, job_key => $3, flags => $4, run_at => now() + interval '1 hour')`,
      [task, JSON.stringify(payload), `task ${index}`, concurrencyKeys],
    );
  }
  await pool.query(
    `UPDATE graphile_worker._private_jobs AS q
     SET run_at = now(), attempts = one.attempts, locked_by = one.locked_by,
       locked_at = CASE WHEN one.locked_by IS NOT NULL THEN now() - interval '1 hour' END
     FROM unnest($1::text[], $2::int[], $3::text[]) AS one (key, attempts, locked_by)
     WHERE q.key = one.key`,
    [
      tasks.map((_, index) => `task ${index}`),
      tasks.map(({ attempts = 0, isHeld = false }) => attempts + Number(isHeld)),
      tasks.map(({ isHeld = false }) => (isHeld ? 'pool-dead' : null)),
    ],
  );
};

/** Makes waiting retries due now. */
export const makeTasksDue = (pool: Pool): Promise<unknown> =>
  pool.query('UPDATE graphile_worker._private_jobs SET run_at = now() WHERE locked_by IS NULL');

/** Polls until the condition holds, for at most 100 s. It does not throw: the assertion after it shows what is missing. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (let looks = 0; looks < 2_000 && !(await isSo()); looks += 1) await pause(50);
};
