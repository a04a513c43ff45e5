import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deadlyOf, inParts, isSuspect } from '#src/edges/worker/taken.ts';
import { deathsUntilGivenUp, mostTries } from '#src/kernel/work.ts';

const taken = {
  key: 'items',
  payload: { jobId: 'job_1', itemIds: ['itm_0000', 'itm_0001'], deaths: deathsUntilGivenUp },
  priority: 3,
  flags: { alone: true, 'deaths:7': true },
  attempts: 12,
  max_attempts: 14,
} as const;
const payloads = taken.payload.itemIds.map((itemId) => ({ jobId: 'job_1', itemIds: [itemId] }));

describe('work that is divided', () => {
  it('is not given up for deaths that it met undivided: each piece works alone first', () => {
    const parts = inParts('extract-items', taken, payloads);
    assert.deepEqual(
      parts.map(({ key, uses, tries }) => ({ key, uses, tries })),
      ['items|0', 'items|1'].map((key) => ({ key, uses: ['alone'], tries: mostTries })),
    );
    for (const part of parts) assert.deepEqual([isSuspect(part), deadlyOf(part)], [true, null]);
  });

  it('goes on with the tries that are left', () => {
    const payload = { ...taken.payload, deaths: 2 };
    const parts = inParts('extract-items', { ...taken, payload }, payloads);
    assert.deepEqual(
      parts.map(({ tries }) => tries),
      [3, 3],
    );
  });
});
