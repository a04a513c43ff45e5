import { setTimeout as pause } from 'node:timers/promises';
import { systemCall } from '#src/app/open-core.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import type { TestApp } from '#test/support/app.ts';

export const videos = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => generatedId('vid', 10_000 + index));

/** Charges of these jobs in the ledger, and credits still reserved. */
export const booksOf = async (app: TestApp, accountId: string, ...jobIds: string[]) => {
  const { rows } = await app.core.pool.query<{ settled: string; items: string }>(
    `SELECT count(*)::text AS settled, count(DISTINCT (data ->> 'jobId', data ->> 'itemId'))::text AS items
     FROM es_event WHERE type = 'ReservationSettled' AND data ->> 'jobId' = ANY ($1)`,
    [jobIds],
  );
  let balance = await app.core.ledger.balance(systemCall(accountId), { fresh: true });
  for (let looks = 0; looks < 1_200 && balance.reserved > 0; looks += 1) {
    await pause(50);
    balance = await app.core.ledger.balance(systemCall(accountId), { fresh: true });
  }
  return {
    settled: Number(rows[0]?.settled),
    items: Number(rows[0]?.items),
    remaining: balance.remaining,
    reserved: balance.reserved,
  };
};
