import { logOnPostgres } from '#test/support/eventlog.ts';
import { chaos } from './chaos.ts';
import { gapSafeReader, gapStress, naiveReader, overlapping } from './gap-stress.ts';
import { restarts } from './restarts.ts';
import type { Row } from './row.ts';

export const name = 'stress';

const zero = (what: string, value: number): Row => ({
  case: what,
  value,
  unit: 'events',
  goal: 0,
  goalKind: 'at most',
});

/**
 * Counts that must be zero under overlapping writers and kill -9, against the losses of a naive cursor in the same harness; and the
 * outcome of a job of full size whose workers are restarted all the time.
 */
export const run = async (options = { seconds: 20, kills: 59 }): Promise<readonly Row[]> => [
  ...(await gaps(options.seconds)),
  ...(await kills(options.kills)),
  ...(await restarts()),
];

const gaps = async (seconds: number): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (const kind of ['gap-safe', 'naive'] as const) {
    await using opened = await logOnPostgres({ max: 30 });
    const { log, pool } = opened;
    const reader = kind === 'naive' ? naiveReader(pool) : gapSafeReader(log);
    const { stored, lost, doubled, inverted, whileOpen } = await gapStress(opened, reader, {
      seconds,
      writers: 24,
      seed: 7,
    });
    const about = `24 writers, overlapping, ${stored} events, ${kind} cursor`;
    if (kind === 'naive') {
      rows.push({ case: `${about}: lost`, value: lost, unit: 'events' });
    } else {
      rows.push(
        zero(`${about}: lost`, lost),
        zero(`${about}: doubled`, doubled),
        zero(`${about}: inverted`, inverted),
        { case: `${about}: delivered while a stranger's transaction is open`, value: whileOpen, unit: 'events' },
      );
    }
  }
  await using opened = await logOnPostgres();
  const naive = await overlapping(opened, naiveReader(opened.pool), 100);
  rows.push({ case: '100 overlaps in turn, naive cursor: lost', value: naive.lost, unit: 'events' });
  return rows;
};

const kills = async (count: number): Promise<readonly Row[]> => {
  await using opened = await logOnPostgres();
  const effects = await chaos(opened, { kills: count, workers: 3, seed: 11 });
  const about = `3 processes, ${effects.kills} kill -9, ${effects.events} events`;
  return [
    zero(`${about}: missing`, effects.missing),
    zero(`${about}: doubled`, effects.doubled),
    zero(`${about}: inverted`, effects.inverted),
  ];
};
