import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type RawRow, rawQuery, text } from '../event-rows.ts';

/** How long one call waits for appends in flight before it answers with what is final already. */
const patienceMs = [1, 2, 4, 8];

/**
 * Up to which position nothing can appear any more. An appender takes a shared lock before it draws a
 * position and releases it after its events are visible. So a position that was drawn is final once none
 * of those who held the lock right after it was read holds it any more; transactions that do not append
 * never delay it. Must run outside any transaction; state is only an optimization, per process.
 */
export const highWater = (pool: Pool) => {
  let final = 0n;
  /** A position drawn, and who of the appenders of that time may still hold one at or below it. */
  let pending: { readonly position: bigint; readonly appenders: ReadonlySet<string> } | null = null;

  const look = async (): Promise<void> => {
    const waiting = pending;
    const { rows } = await pool.query<string[]>(
      rawQuery('SELECT h, appenders FROM es_high_water($1, $2)', [
        String(waiting?.position ?? final),
        waiting !== null,
      ]),
    );
    const [row]: (RawRow | undefined)[] = rows;
    const drawn = BigInt(text(row?.[0]));
    const appenders = appendersOf(text(row?.[1]));

    // Of overlapping looks each is sound alone: `final` only grows, and `pending` is one of them.
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
    /** The final position; waits a few milliseconds for appends in flight when it is not above `after`. */
    async advance(after: bigint): Promise<bigint> {
      await look();
      for (const ms of patienceMs) {
        if (final > after || pending === null) break;
        await pause(ms);
        await look();
      }
      return final;
    },
    /** Whether appends in flight hold back a position that was drawn: to look again soon. */
    isWaiting: (): boolean => pending !== null,
  };
};

/** `{3/17,5/4}` as a set. */
const appendersOf = (array: string): ReadonlySet<string> =>
  new Set(array === '{}' ? [] : array.slice(1, -1).split(','));
