import { describe, it } from 'node:test';
import { checkInterleavings, checkLongJob } from '#test/support/interleavings.ts';

checkInterleavings(40, 1);

describe('a job', () => {
  it('of 1,000 items ends with exact counts although its workers are restarted again and again', () => checkLongJob(1));
});
