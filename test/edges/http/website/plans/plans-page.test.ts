import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PlanKey } from '#src/contract/plan-keys.ts';
import { creditStatus } from '#src/credits/credit-status.ts';
import { describePlans } from '#src/credits/plans/describe-plans.ts';
import { planOf, plans } from '#src/credits/plans/plans.ts';
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
  const page = plansPage(context, { plans, own: { plan: planOf(current), credits }, maxKeys: 20, isBillingConfigured });
  const facts = [...page.matchAll(/<td data-label="Credits">(.*?)<\/td>/g)];
  return { page, credits: facts.map(([, text = '']) => text.replace(/<[^>]*>/g, '')) };
};

describe('the page of plans', () => {
  it('says how long the credits of a plan last, and which plans have fewer than the plan of the reader', () => {
    const { page, credits } = shown('free');
    assert.match(page, /renew every month, on the day .+ Unused credits expire then\./);
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
      ['$0', '$9', '$2.90', '$1.98', ''],
    );
  });

  it('is public: a visitor sees the plans, none marked as current, and no account menu', () => {
    const page = plansPage({ ...context, user: null }, { plans, own: null, maxKeys: 20, isBillingConfigured: false });
    assert.match(page, /50,000 credits a month/);
    assert.doesNotMatch(page, /fewer than|badge|account\/keys|noindex/);
  });

  it('speaks the language of the reader, with the words of the operator where there are some', () => {
    const described = describePlans(
      JSON.stringify({
        currency: 'EUR',
        plans: {
          starter: { monthly_price_cents: 1_250, features: ['Support by mail'] },
          pro: { label: 'Team', price_label: 'Ask us', texts: { de: { price_label: 'Auf Anfrage' } } },
        },
      }),
    );
    const inLanguage = (language: 'en' | 'de') =>
      plansPage(
        { ...context, words: wordsOf(language), user: null },
        { plans: described, own: null, maxKeys: 20, isBillingConfigured: false },
      ).replaceAll('\u00a0', ' ');
    assert.match(inLanguage('de'), /Kostenlos.*12,50 € pro Monat.*Support by mail.*Team.*Auf Anfrage.*99 € pro Monat/);
    assert.match(inLanguage('en'), /€12\.50 a month.*Support by mail.*Team.*Ask us.*All transcript formats · Batch/);
  });
});
