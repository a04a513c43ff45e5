import { checkLedger } from '#test/support/ledger-properties.ts';

checkLedger({ numRuns: 60, seed: 20_261_121 });
