import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type RawRow, rawQuery, text } from '../event-rows.ts';

/** The delays in which one call waits for appends in flight before it returns the position that is final already. */
const delaysMs = [1, 2, 4, 8];

export type HighWaterMark = {
  /** The final position; waits a few milliseconds for appends in flight when it is not above `after`. */
  advance(after: bigint): Promise<bigint>;
  /**
   * To be called whenever a connection is opened or closed. A crash of the server can take back positions that were drawn
   * and not committed, and they are drawn again: a mark of before would pass their events.
   */
  forget(): void;
};

/**
 * The high-water mark: the position up to which no event can appear any more. An appender takes a shared lock before it
 * draws a position and releases it after its events are visible. A position is final once none of the transactions that
 * held the lock right after the position was read holds it any more. Transactions that do not append never delay it.
 * Must run outside any transaction; its state is only an optimization of this process.
 */
export const highWaterMark = (pool: Pool): HighWaterMark => {
  let final = 0n;
  /** The last position drawn, and the appenders of that time that may still hold a position at or below it. */
  let pending: { readonly position: bigint; readonly appenders: ReadonlySet<string> } | null = null;

  const readMark = async (): Promise<void> => {
    const waiting = pending;
    const { rows } = await pool.query<string[]>(
      rawQuery('SELECT h, appenders FROM es_high_water($1, $2)', [
        String(waiting?.position ?? final),
        waiting !== null,
      ]),
    );
    // It was forgotten, or replaced by a concurrent read: the next read decides.
    if (waiting !== null && pending !== waiting) return;
    const [row]: (RawRow | undefined)[] = rows;
    const drawn = BigInt(text(row?.[0]));
    const appenders = appendersOf(text(row?.[1]));

    if (waiting !== null) {
      const left = waiting.appenders.intersection(appenders);
      if (left.size > 0) {
        pending = { position: waiting.position, appenders: left };
        return;
      }
      if (waiting.position > final) final = waiting.position;
      pending = null;
    }
    if (drawn <= final) return;
    if (appenders.size === 0) final = drawn;
    else pending = { position: drawn, appenders };
  };

  return {
    advance: async (after) => {
      await readMark();
      for (const ms of delaysMs) {
        if (final > after || pending === null) break;
        await pause(ms);
        await readMark();
      }
      return final;
    },
    forget: () => {
      final = 0n;
      pending = null;
    },
  };
};

/** `{3/17,5/4}` as a set. */
const appendersOf = (array: string): ReadonlySet<string> =>
  new Set(array === '{}' ? [] : array.slice(1, -1).split(','));
