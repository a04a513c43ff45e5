import { describe, it } from 'node:test';
import { walkLedger } from '#test/support/ledger-walk.ts';

describe('balances, usage, credits spent by key and the export', () => {
  it('equal the sums of an independent implementation after lost connections and rebuilds', () =>
    walkLedger('starter', 6, 15));
});
