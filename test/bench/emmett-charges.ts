import { setTimeout as pause } from 'node:timers/promises';
import { CommandHandler, isExpectedVersionConflictError } from '@event-driven-io/emmett';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import pg from 'pg';
import { decide as decideCharge } from '#src/credits/charge-credits.ts';
import { type CreditsEvent, evolve, initialState } from '#src/credits/credits.ts';
import { firstBook } from '#src/credits/plans/renew-period.ts';
import { systemClock } from '#src/kernel/clock.ts';
import { transcriptCharge } from '#test/support/credits.ts';
import { hotAccount, newCall } from './bench-ledger.ts';
import { rate } from './rate.ts';

/**
 * The baselines of `charge.bench.ts` in a separate process, because Emmett replaces the type parsers of
 * `pg` globally. A message `{mode, callers, seconds}` is answered with charges per second: the same decision
 * and fold as ours, on one stream, through Emmett's command handler or by optimistic appends with retries.
 */
const [connectionString = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 100 });
const store = getPostgreSQLEventStore(connectionString, { connectionOptions: { connectionString, pool } });
await store.schema.migrate();

const book = () => {
  const opening = { accountId: hotAccount, plan: 'enterprise' } as const;
  return [...firstBook(opening, systemClock()).events];
};

const decide = (state: ReturnType<typeof initialState>) =>
  decideCharge(
    {
      type: 'ChargeCredits',
      data: { context: newCall(), charges: [transcriptCharge(1)] },
      metadata: { now: systemClock(), known: new Set() },
    },
    state,
  );

/** Emmett's default retries: three, with exponential backoff. */
const handle = CommandHandler<ReturnType<typeof initialState>, CreditsEvent>({
  evolve,
  initialState,
  retry: { onVersionConflict: true },
});

const byHandler = async (stream: string): Promise<number> => {
  await handle(store, stream, decide);
  return 1;
};

/** Appends at the version shared by all callers, and retries at once after a conflict. */
const optimistic = (stream: string, state: ReturnType<typeof initialState>) => {
  let version = BigInt(book().length);
  return async (): Promise<number> => {
    for (;;) {
      const expectedStreamVersion = version;
      try {
        const appended = await store.appendToStream(stream, decide(state), { expectedStreamVersion });
        if (appended.nextExpectedStreamVersion > version) {
          version = appended.nextExpectedStreamVersion;
        }
        return 1;
      } catch (error) {
        if (!isExpectedVersionConflictError(error)) throw error;
        if (version === expectedStreamVersion) await pause(1);
      }
    }
  };
};

type Order = { readonly mode: 'handler' | 'optimistic'; callers: number; seconds: number };

let runs = 0;
process.on('message', async ({ mode, callers, seconds }: Order) => {
  runs += 1;
  const stream = `ledger-${hotAccount}-${runs}`;
  const events = book();
  await store.appendToStream(stream, events);
  const state = events.reduce<ReturnType<typeof initialState>>(evolve, initialState());
  const append = optimistic(stream, state);
  let made = 0;
  const started = performance.now();
  await rate(callers, seconds, async () => {
    const charged = mode === 'handler' ? byHandler(stream) : append();
    // A conflict after the last retry: the call fails and nothing is charged.
    const count = await charged.catch(() => 0);
    made += count;
  });
  process.send?.({ perSecond: made / ((performance.now() - started) / 1_000) });
});
process.on('disconnect', () => void pool.end());
process.send?.('ready');
