import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chaos } from '#test/bench/chaos.ts';
import { gapSafeReader, gapStress } from '#test/bench/gap-stress.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';

describe('the total order', () => {
  it('loses, duplicates and reorders nothing under writers that overlap and roll back', async () => {
    await using opened = await logOnPostgres({ max: 26 });
    const { stored, delivered, lost, doubled, inverted, whileOpen } = await gapStress(
      opened,
      gapSafeReader(opened.log),
      { seconds: 1, writers: 24, seed: 7 },
    );
    assert.deepEqual({ lost, doubled, inverted }, { lost: 0, doubled: 0, inverted: 0 });
    assert.equal(delivered, stored);
    assert.equal(whileOpen, stored);
    assert.ok(stored > 100, `${stored} events`);
  });
});

describe('effects', () => {
  it('happen exactly once, in order, however often processes are killed amid their transactions', async () => {
    await using opened = await logOnPostgres();
    const effects = await chaos(opened, { kills: 4, workers: 3, seed: 11 });
    const { missing, doubled, inverted, kills } = effects;
    assert.deepEqual({ missing, doubled, inverted, kills }, { missing: 0, doubled: 0, inverted: 0, kills: 4 });
  });
});
