import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { jobById } from '#projections/job-rows.ts';
import { headPosition } from '#projections/ledger-entries.ts';
import type { Operations } from '../edges/cli/operator-interface.ts';
import { isTerminal } from '../jobs/job.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { OpenLog } from './open-log.ts';

const lookEveryMs = 500;

/** Polls twice a second and yields the first state, every change and the end. It holds no connection between polls. */
export const watchJob = ({
  sql,
  caughtUp,
}: {
  readonly sql: Sql;
  readonly caughtUp: OpenLog['caughtUp'];
}): Operations['watchJob'] =>
  async function* ({ jobId }, { signal }) {
    let shown = '';
    for (;;) {
      signal.throwIfAborted();
      await caughtUp('jobs', await headPosition(sql));
      const job = await jobById(sql, jobId);
      if (job === null) throw new Refusal('JOB_NOT_FOUND', `There is no job ${jobId}.`);
      const text = JSON.stringify(job);
      if (text !== shown) yield job;
      shown = text;
      if (isTerminal(job)) return;
      await pause(lookEveryMs, undefined, { signal });
    }
  };
