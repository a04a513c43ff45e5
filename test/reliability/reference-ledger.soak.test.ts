import { describe, it } from 'node:test';
import { walkLedger } from '#test/support/ledger-walk.ts';

describe('balances, usage, credits spent by key and the export', () => {
  for (const [plan, maxEvents] of [
    ['starter', 6],
    ['starter', 100_000],
    ['enterprise', 15],
  ] as const) {
    it(`equal the sums of an independent implementation after lost connections and rebuilds, in books of ${maxEvents} events from the plan ${plan} on`, () =>
      walkLedger(plan, maxEvents, 40));
  }
});
