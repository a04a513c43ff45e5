import { postgresPool } from '#src/adapters/postgres/pool.ts';
import type { NewEvent } from '#src/eventlog/event-log.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import type { Upcasters } from '#src/eventlog/upcasting.ts';
import { uuidOf } from '#src/kernel/ids.ts';
import { testDatabase } from '#test/support/database.ts';

/** The id of the event with this name. */
export const idOf = (name: string): string => uuidOf(`test:${name}`);

/** An event named `name`: its id is made from the name, so that the same name is the same event. */
export const event = (name: string, data: Readonly<Record<string, unknown>> = { name }, type = 'Noted'): NewEvent => ({
  id: idOf(name),
  type,
  schemaVersion: 1,
  data: { ...data },
  meta: { occurred_at: '2026-11-21T10:00:00.000Z' },
});

/** A log on a database of its own. */
export const logOnPostgres = async (options: { upcasters?: Upcasters; max?: number } = {}) => {
  const database = await testDatabase();
  const pool = postgresPool({ url: database.url, applicationName: 'steno test', max: options.max ?? 10 });
  return {
    url: database.url,
    pool,
    log: postgresEventLog({ pool, upcasters: options.upcasters ?? {} }),
    [Symbol.asyncDispose]: async () => {
      await pool.end();
      await database[Symbol.asyncDispose]();
    },
  };
};
