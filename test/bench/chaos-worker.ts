import { setTimeout as pause } from 'node:timers/promises';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { seeded } from '#test/support/seeded.ts';
import { subscription } from '#test/support/subscription.ts';

/*
 * A process that runs the subscription `chaos` until it is killed. It prints a line in the middle of each transaction,
 * and one in twenty of its transactions fails.
 */
const [url = '', seed = '1'] = process.argv.slice(2);
const random = seeded(Number(seed));
const pool = postgresPool({ url, applicationName: 'steno chaos', max: 3 });

subscription({
  name: 'chaos',
  log: postgresEventLog({ pool }),
  pool,
  onError: 'stop',
  batchSize: 20,
  pollMs: 10,
  retryDelaysMs: Array.from({ length: 20 }, () => 1),
  handle: async (transaction, events) => {
    await transaction.query(
      'INSERT INTO chaos_effect (event_id, stream, version) SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[])',
      [events.map(({ id }) => id), events.map(({ stream }) => stream), events.map(({ version }) => String(version))],
    );
    process.stdout.write('.');
    await pause(random() * 5);
    if (random() < 0.05) throw new Error('one of twenty');
  },
}).start();
