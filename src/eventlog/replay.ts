import type { Pool } from 'pg';
import type { RecordedEvent } from './log.ts';
import { eventColumns, rawQuery, toRecorded } from './rows.ts';
import { orUnavailable } from './unavailable.ts';
import type { Upcasting } from './upcasting.ts';

export type ReplayOptions = {
  /** Exclusive. */
  readonly after: bigint;
  /** Inclusive; must be final: a checkpoint, or `safeUpTo` of `readAll`. */
  readonly upTo: bigint;
  readonly types?: readonly string[];
  /** Events in one batch; 10,000. Two batches are in memory at most. */
  readonly batchSize?: number;
};

type Page = { readonly rows: readonly (readonly (string | null)[])[]; readonly through: bigint };

/** Positions that one query looks through at most, so that rare types do not make a long one. */
const window = 500_000n;

/** A stretch of the log in total order, for rebuilds and audits: the next batch is on its way while one is used. */
export const replay = (pool: Pool, shapes: Upcasting) =>
  async function* (options: ReplayOptions): AsyncIterable<readonly RecordedEvent[]> {
    const { after, upTo, types, batchSize = 10_000 } = options;
    const fetch = async (from: bigint): Promise<Page> => {
      const end = upTo - from > window ? from + window : upTo;
      const { rows } = await orUnavailable(`replaying events after ${from}`, () =>
        pool.query<(string | null)[]>(
          rawQuery(
            `SELECT ${eventColumns} FROM es_event AS e
             WHERE e.position > $1 AND e.position <= $2 AND ($3::text[] IS NULL OR e.type = ANY ($3))
             ORDER BY e.position LIMIT $4`,
            [String(from), String(end), types ?? null, batchSize],
          ),
        ),
      );
      return { rows, through: rows.length < batchSize ? end : BigInt(rows.at(-1)?.[0] ?? end) };
    };

    let page = after < upTo ? await fetch(after) : null;
    while (page !== null) {
      const next: Promise<Page> | null = page.through < upTo ? fetch(page.through) : null;
      // Whoever leaves early never asks for it: its failure is then nobody's.
      next?.catch(() => {});
      if (page.rows.length > 0) yield page.rows.map((row) => toRecorded(row, shapes));
      page = await next;
    }
  };
