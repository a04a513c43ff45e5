import pg from 'pg';
import type { EventLog } from '#src/eventlog/event-log.ts';
import { event } from '#test/support/eventlog.ts';
import { seeded } from '#test/support/seeded.ts';

type EventPlace = { readonly stream: string; readonly version: bigint; readonly position: bigint };

/** Reads events after a cursor and returns the next cursor. */
export type Reader = (after: bigint) => Promise<{ readonly seen: readonly EventPlace[]; readonly next: bigint }>;

/** What a reader delivered: every number except the first two must be 0. */
export type Delivery = {
  readonly stored: number;
  readonly delivered: number;
  readonly lost: number;
  readonly doubled: number;
  readonly inverted: number;
};

export const gapSafeReader =
  (log: EventLog): Reader =>
  async (after) => {
    const { events, safeUpTo } = await log.readAll({ after, limit: 500 });
    return { seen: events, next: safeUpTo };
  };

/** The cursor of most event stores on Postgres: it moves past positions that open transactions may still fill. */
export const naiveReader =
  (pool: pg.Pool): Reader =>
  async (after) => {
    const { rows } = await pool.query<{ stream: string; version: string; position: string }>(
      'SELECT stream, version, position FROM es_event WHERE position > $1 ORDER BY position LIMIT 500',
      [String(after)],
    );
    const seen = rows.map(({ stream, version, position }) => ({
      stream,
      version: BigInt(version),
      position: BigInt(position),
    }));
    return { seen, next: seen.at(-1)?.position ?? after };
  };

const judge = async (pool: pg.Pool, delivered: readonly EventPlace[]): Promise<Delivery> => {
  const { rows } = await pool.query<{ n: string }>('SELECT count(*) AS n FROM es_event');
  const stored = Number(rows[0]?.n);
  const distinct = new Set(delivered.map(({ position }) => position)).size;
  const last = new Map<string, bigint>();
  let inverted = 0;
  for (const { stream, version } of delivered) {
    if (version < (last.get(stream) ?? 0n)) inverted += 1;
    last.set(stream, version);
  }
  return {
    stored,
    delivered: delivered.length,
    lost: stored - distinct,
    doubled: delivered.length - distinct,
    inverted,
  };
};

/** Reads until the cursor has passed the end of the log. */
const readToEnd = async (pool: pg.Pool, read: Reader, after: bigint): Promise<readonly EventPlace[]> => {
  const { rows } = await pool.query<{ last: string }>('SELECT coalesce(max(position), 0) AS last FROM es_event');
  const end = BigInt(rows[0]?.last ?? 0);
  const all: EventPlace[] = [];
  for (let cursor = after; cursor < end; ) {
    const { seen, next } = await read(cursor);
    all.push(...seen);
    cursor = next;
  }
  return all;
};

/**
 * Each round, deterministically: an append draws its position and stays open, a later one commits, the reader reads, the
 * first one commits. A reader that passes open positions loses one event each round.
 */
export const overlapping = async (
  { log, pool }: { readonly log: EventLog; readonly pool: pg.Pool },
  read: Reader,
  rounds: number,
): Promise<Delivery> => {
  const all: EventPlace[] = [];
  let cursor = 0n;
  for (let round = 0; round < rounds; round += 1) {
    const drawn = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const first = log.append([{ stream: 'first', expected: 'any', events: [event(`first ${round}`)] }], {
      within: async () => {
        drawn.resolve();
        await mayCommit.promise;
      },
    });
    await drawn.promise;
    await log.append([{ stream: 'second', expected: 'any', events: [event(`second ${round}`)] }]);
    const { seen, next } = await read(cursor);
    all.push(...seen);
    cursor = next;
    mayCommit.resolve();
    await first;
  }
  all.push(...(await readToEnd(pool, read, cursor)));
  return judge(pool, all);
};

/**
 * Writers with overlapping transactions and rollbacks against one reader, while an unrelated transaction with an
 * id stays open all the time. `whileOpen`: events delivered before the unrelated transaction ended.
 */
export const gapStress = async (
  { log, pool, url }: { readonly log: EventLog; readonly pool: pg.Pool; readonly url: string },
  read: Reader,
  options: { readonly seconds: number; readonly writers: number; readonly seed: number },
): Promise<Delivery & { readonly whileOpen: number }> => {
  const stranger = new pg.Client({ connectionString: url });
  await stranger.connect();
  await stranger.query('BEGIN');
  await stranger.query('SELECT pg_current_xact_id()');

  const until = performance.now() + options.seconds * 1_000;
  const write = async (writer: number): Promise<void> => {
    const random = seeded(options.seed * 1_000 + writer);
    for (let n = 0; performance.now() < until; n += 1) {
      const dice = random();
      const count = 1 + Math.floor(random() * 3);
      const holdS = random() * 0.008;
      const events = Array.from({ length: count }, (_, k) => event(`${writer} ${n} ${k}`));
      const stream = `s${Math.floor(random() * 20)}`;
      const append = log.append(
        [{ stream, expected: 'any', events }],
        dice < 0.6
          ? {}
          : {
              within: async (transaction) => {
                await transaction.query('SELECT pg_sleep($1)', [holdS]);
                if (dice > 0.9) throw new Error('rolled back');
              },
            },
      );
      await append.catch((error: unknown) => {
        if (!(error instanceof Error && error.message === 'rolled back')) throw error;
      });
    }
  };

  const all: EventPlace[] = [];
  let cursor = 0n;
  const reading = (async () => {
    while (performance.now() < until) {
      const { seen, next } = await read(cursor);
      all.push(...seen);
      cursor = next;
    }
  })();
  await Promise.all([reading, ...Array.from({ length: options.writers }, (_, n) => write(n))]);
  all.push(...(await readToEnd(pool, read, cursor)));
  const whileOpen = all.length;
  await stranger.end();
  return { ...(await judge(pool, all)), whileOpen };
};
