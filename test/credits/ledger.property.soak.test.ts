import { checkLedger } from '#test/support/ledger-properties.ts';
import { freshSeed } from '#test/support/seeded.ts';

checkLedger({ numRuns: 300, seed: freshSeed() });
