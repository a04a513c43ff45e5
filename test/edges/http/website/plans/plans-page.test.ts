import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { creditStatus } from '#src/credits/credit-status.ts';
import { type PlanKey, planOf, plans } from '#src/credits/plans/plans.ts';
import type { PageContext } from '#src/edges/http/website/layout.tsx';
import { plansPage } from '#src/edges/http/website/plans/plans-page.tsx';
import { wordsOf } from '#src/edges/http/website/words.ts';

const context: PageContext = {
  words: wordsOf('en'),
  assets: { style: '/s.css', script: '/s.js', icon: '/i.svg', card: '/c.png' },
  url: '/account/plans',
  publicUrl: 'https://steno.example',
  user: { accountId: 'acc_1' },
};

/** What the page of an account on this plan says of each plan. */
const shown = (current: PlanKey) => {
  const isBillingConfigured = false;
  const credits = creditStatus(current, planOf(current).includedCredits, { isBillingConfigured });
  const page = plansPage(context, { plans, own: { plan: planOf(current), credits }, isBillingConfigured });
  const facts = [...page.matchAll(/<td data-label="Credits">(.*?)<\/td>/g)];
  return { page, credits: facts.map(([, text = '']) => text.replace(/<[^>]*>/g, '')) };
};

describe('the page of plans', () => {
  it('says for how long the credits of a plan are, and which plans have fewer than that of the reader', () => {
    const { page, credits } = shown('free');
    assert.match(page, /renew each month, on the day .+ Unused credits then expire\./);
    assert.deepEqual(credits, [
      '10,000 credits a month',
      '1,000 credits a month fewer than your plan',
      '10,000 credits a month',
      '50,000 credits a month',
      'credits by contract',
    ]);
    assert.doesNotMatch(shown('starter').page, /fewer than/);
    const prices = [...page.matchAll(/<td data-label="Price for 1,000 transcripts"[^>]*>(.*?)<\/td>/g)];
    assert.deepEqual(
      prices.map(([, price]) => price),
      ['$0.00', '$9.00', '$2.90', '$1.98', ''],
    );
  });

  it('is for everybody: a visitor sees the plans without one of their own, and no menu of an account', () => {
    const page = plansPage({ ...context, user: null }, { plans, own: null, isBillingConfigured: false });
    assert.match(page, /50,000 credits a month/);
    assert.doesNotMatch(page, /fewer than|badge|account\/keys|noindex/);
  });
});
