import { describe, it } from 'node:test';
import { apart } from '#test/support/apart.ts';

const interleavings = new URL('interleavings.ts', import.meta.url);

describe('a job under any interleaving', () => {
  it('ends in one state, and charges what is complete, when a cancellation races the last items', () =>
    apart(interleavings, 'cancellationRaces'));

  it('survives retries that race a cancellation and each other', () =>
    apart(interleavings, 'retriesRace'));

  it('charges each item once when processes are killed at any of their calls', () =>
    apart(interleavings, 'killsAnywhere'));

  it('of 1,000 items ends with exact counts although its workers are restarted again and again', () =>
    apart(interleavings, 'longJob'));
});
