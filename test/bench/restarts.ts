import { startTestApp } from '#test/support/app.ts';
import { jobUnderRestarts } from '#test/support/restarts.ts';
import type { Row } from './row.ts';

const usual = {
  items: 1_000,
  workers: 2,
  everyMs: 30_000,
  /** Long enough for several restarts during the job. */
  readMs: 1_500,
};

/**
 * A job of 1,000 items with two worker processes, one of which is ended every 30 seconds, alternately by SIGKILL and SIGTERM, with
 * the intervals of production: a killed one counts as dead after 30 s.
 */
export const restarts = async (options = usual): Promise<readonly Row[]> => {
  const { items, workers, everyMs, readMs } = options;
  await using app = await startTestApp({
    environment: { ROLE: 'api', OUTBOUND_ALLOW: '127.0.0.0/8', WORKER_CONCURRENCY: '4' },
  });
  const startedAt = performance.now();
  const { job, books, restarts, told } = await jobUnderRestarts(app, {
    ...{ items, workers, readMs, pace: ['usual'] },
    restarts: 'until it is over',
    waitMs: () => everyMs,
    signal: (n) => (n % 2 === 0 ? 'SIGKILL' : 'SIGTERM'),
  });
  const about = `${items} items, ${workers} workers, ${restarts} restarts, one every ${everyMs / 1_000} s`;
  const zero = (what: string, value: number, unit: string): Row => ({
    ...{ case: `${about}: ${what}`, value, unit },
    ...{ goal: 0, goalKind: 'at most' },
  });
  return [
    zero('not terminal', items - job.completed_items - job.failed_items, 'items'),
    zero('failed', job.failed_items, 'items'),
    zero(
      'charged otherwise than complete',
      Math.abs(books.items - job.completed_items) + (books.settled - books.items),
      'items',
    ),
    zero(
      'still held or missing',
      books.reserved + Math.abs(items - job.completed_items - books.remaining),
      'credits',
    ),
    zero('told besides the one', told.ids - 1, 'webhooks'),
    {
      case: `${about}: creation to end`,
      value: Math.round((performance.now() - startedAt) / 1_000),
      unit: 's',
    },
  ];
};
