import type { Pool } from 'pg';
import { projections } from '#projections/index.ts';
import type { Check } from '../edges/cli/operator-interface.ts';
import { projectionStates } from '../eventlog/projections/projection.ts';
import { isAnyStopped, type SubscriptionReport } from '../eventlog/subscriptions/checkpoints.ts';
import { parkedReport } from '../eventlog/subscriptions/parked-streams.ts';
import { lateAfterS } from '../kernel/status-history.ts';

const ok = (name: string, message: string): Check => ({ name, status: 'ok', message, fix: null });

/** Checks that every read model exists in the version of this program. */
export const checkReadModels = async (pool: Pool): Promise<Check> => {
  const name = 'read models';
  const states = await projectionStates(pool, projections);
  const namesOf = (wanted: string): readonly string[] =>
    [...states].flatMap(([projection, state]) => (state === wanted ? [projection] : []));
  if (await isAnyStopped(pool, [...states.keys()])) {
    const message = 'one stands still at an event that it cannot fold; /api/status names it';
    return { name, status: 'failed', message, fix: 'see docs/operations.md, Read models' };
  }
  const [older, newer] = [namesOf('older'), namesOf('newer')];
  if (older.length > 0) {
    const message = `of an older version, and not kept up to date: ${older.join(', ')}`;
    return { name, status: 'failed', message, fix: 'steno projections rebuild' };
  }
  if (newer.length === 0) return ok(name, 'every one is of this version');
  const message = `of a newer version: ${newer.join(', ')}`;
  return { name, status: 'warning', message, fix: 'install the version that the servers run' };
};

/** Checks the lag of each subscription; while no process runs, lag is expected. */
export const checkLag = (
  reports: readonly SubscriptionReport[],
  processes: readonly unknown[],
): Check => {
  const name = 'lag';
  const describe = (report: SubscriptionReport): string =>
    `${report.name} is ${report.lagPositions} positions (${Math.round(report.lagSeconds)} s) behind`;
  const late = reports.filter(({ lagSeconds }) => lagSeconds > lateAfterS);
  if (late.length > 0) {
    const fix =
      processes.length === 0
        ? 'start a server: steno serve'
        : 'look in the log of the servers for their names; of one that stands still see docs/operations.md, Read models';
    return { name, status: 'warning', message: late.map(describe).join('; '), fix };
  }
  const [worst] = reports.toSorted((a, b) => b.lagSeconds - a.lagSeconds);
  if (worst === undefined || worst.lagPositions === 0n) return ok(name, 'no read model is behind');
  return ok(name, `at most: ${describe(worst)}`);
};

/** Checks that no stream waits for a fault to be mended. */
export const checkParked = async (pool: Pool): Promise<Check> => {
  const name = 'parked streams';
  const report = await parkedReport(pool);
  if (report === null) return ok(name, 'none');
  const { subscription, stream, eventId, failure } = report.oldest;
  return {
    name,
    status: 'warning',
    message: `${report.streams}; the oldest: ${stream}, which ${subscription} set aside at event ${eventId}: ${failure}`,
    fix: 'end the cause or deploy the fix; a worker tries them again at its start and every 30 s',
  };
};
