import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CreditsCharged } from '#src/credits/credits.ts';
import { priceBookSchema, rebilledAmount, rebilling } from '#src/credits/ledger/price-book.ts';

const charge = (more: Partial<CreditsCharged['data']>): CreditsCharged['data'] => ({
  ...{ accountId: 'acc_1', chargeId: 'c', operation: 'transcript', amount: 1, requests: 1, priceBook: '2026-11' },
  ...{ keyId: null, videoId: null, requestId: 'req_1', at: '2026-11-02T00:00:00.000Z' },
  ...more,
});

describe('a bill under other prices', () => {
  const book = priceBookSchema.parse({
    version: '2027',
    prices: { transcript: 2, ask: { model: 4, extract: 2 }, playlist: 3, batch: { captions: 1, recognized: 8 } },
  });
  const rebilled = (more: Partial<CreditsCharged['data']>) => rebilledAmount(book, charge(more));

  it('uses the facts that the price of each charge depended on', () => {
    assert.equal(rebilled({}), 2);
    assert.equal(rebilled({ operation: 'ask', amount: 3, pricedBy: { usesModel: true } }), 4);
    assert.equal(rebilled({ operation: 'ask', amount: 1, pricedBy: { usesModel: false } }), 2);
    assert.equal(rebilled({ operation: 'playlist', amount: 2, pricedBy: { quantity: 150 } }), 6);
    assert.equal(rebilled({ operation: 'batch', amount: 10, pricedBy: { isRecognized: true } }), 8);
  });

  it('keeps a price that it does not name, and that of recognized speech where it names captions', () => {
    assert.equal(rebilled({ operation: 'raw' }), 1);
    assert.equal(rebilled({ amount: 10, pricedBy: { isRecognized: true } }), 10);
  });

  it('uses what is known about older charges', () => {
    assert.equal(rebilled({ operation: 'ask', amount: 3, model: 'a-model' }), 4);
    assert.equal(rebilled({ operation: 'ask', amount: 1, model: null }), 2);
    assert.equal(rebilled({ operation: 'playlist', amount: 2 }), 6);
  });

  it('names each difference within the period', () => {
    const bill = rebilling(book, { from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' });
    bill.add({ type: 'CreditsCharged', data: charge({}) }, 'one');
    bill.add({ type: 'CreditsCharged', data: charge({ operation: 'raw' }) }, 'two');
    bill.add({ type: 'CreditsCharged', data: charge({ at: '2026-12-01T00:00:00.000Z' }) }, 'three');
    assert.deepEqual(bill.result(), {
      rebilled: { price_book: '2027', charged: 3, difference: 1 },
      differences: [{ entry: 'one', operation: 'transcript', credits: 1, rebilled: 2 }],
    });
  });

  it('accepts no unknown operation and no negative price', () => {
    for (const prices of [{ nonsense: 1 }, { transcript: -1 }, { transcript: 1.5 }, { ask: { model: 1 } }]) {
      assert.equal(priceBookSchema.safeParse({ version: '1', prices }).success, false);
    }
    assert.equal(priceBookSchema.safeParse({ prices: {} }).success, false);
  });
});
