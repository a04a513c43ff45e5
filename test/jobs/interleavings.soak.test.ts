import { checkInterleavings } from '#test/support/interleavings.ts';
import { freshSeed } from '#test/support/seeded.ts';

checkInterleavings(250, freshSeed());
