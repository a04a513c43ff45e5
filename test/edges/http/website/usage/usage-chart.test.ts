import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { lastsUntil } from '#src/edges/http/website/overview/overview-page.tsx';
import { axisOf } from '#src/edges/http/website/parts/usage-chart.tsx';
import { daysFrom } from '#src/edges/http/website/usage/usage-routes.ts';
import { wordsOf } from '#src/edges/http/website/words.ts';

describe('the chart of usage', () => {
  it('has an axis of a few round numbers, from 0 to at least the highest value', () => {
    assert.deepEqual(axisOf(0), [0, 1]);
    assert.deepEqual(axisOf(22), [0, 10, 20, 30]);
    assert.deepEqual(axisOf(100), [0, 50, 100]);
    for (const most of fc.sample(fc.integer({ min: 0, max: 1_000_000_000 }), { numRuns: 200, seed: 27 })) {
      const axis = axisOf(most);
      assert.ok(axis.length >= 2 && axis.length <= 4, String(most));
      assert.ok((axis.at(-1) ?? 0) >= most && axis.every((value) => Number.isInteger(value)), String(most));
    }
  });

  it('counts the days of a billing period, the first and today included', () => {
    assert.equal(daysFrom('2026-11-26T09:00:00.000Z', new Date('2026-11-26T23:59:00Z')), 1);
    assert.equal(daysFrom('2026-10-27T23:00:00.000Z', new Date('2026-11-26T00:00:00Z')), 31);
  });
});

describe('the overview', () => {
  it('says how long the credits will last at the rate of the last week', () => {
    const words = wordsOf('en');
    const view = { now: new Date('2026-11-01T00:00:00Z'), periodEnd: '2026-12-01T00:00:00.000Z' };
    const told = (remaining: number, creditsPerDay: number) =>
      lastsUntil(words, { ...view, credits: { remaining }, creditsPerDay });
    assert.equal(told(100, 10), 'At last week’s rate they last until Nov 11, 2026.');
    assert.equal(told(300, 10), 'At last week’s rate they last until then.');
    assert.equal(told(0, 10), 'At last week’s rate they last until Nov 1, 2026.');
    assert.equal(told(100, 0), null);
  });
});
