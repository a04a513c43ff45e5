import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { openLedger } from '#src/app/open-ledger.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { systemClock } from '#src/kernel/clock.ts';
import { callOf, openBook, transcriptCharge } from '#test/support/credits.ts';

export const hotAccount = 'acc_0123456789abcdef0123456789abcdef';

/** The call of one request, with a new deduplication key. */
export const newCall = (accountId = hotAccount) =>
  callOf(accountId, { deduplicationKey: randomUUID(), requestId: `req_${randomUUID()}` });

/** The log and the ledger on this database, composed as in the program, with its number of connections. */
export const ledgerAt = (url: string) => {
  const pool: pg.Pool = postgresPool({ url, applicationName: 'steno bench', max: 20 });
  const log = postgresEventLog({ pool, isPrepared: true });
  const ledger = openLedger(log, systemClock);
  return {
    pool,
    log,
    ledger,
    /** Runs the whole charge command: durable when it resolves. */
    charge: (accountId = hotAccount) => ledger.charge(newCall(accountId), [transcriptCharge(1)]),
    openBook: (accountId = hotAccount) => openBook(log, accountId, { plan: 'enterprise', clock: systemClock }),
    [Symbol.asyncDispose]: () => pool.end(),
  };
};
