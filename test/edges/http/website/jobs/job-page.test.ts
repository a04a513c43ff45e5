import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PageLanguage, pageLanguages } from '#src/contract/languages.ts';
import { jobPage, minutesLeft } from '#src/edges/http/website/jobs/job-page.tsx';
import { costOf } from '#src/edges/http/website/jobs/jobs-page.tsx';
import { wordsOf } from '#src/edges/http/website/words.ts';
import type { DetailedItemRow } from '#src/queries.ts';
import { runningJob } from '#test/support/http.ts';

const later = (minutes: number): Date => new Date(Date.parse(runningJob.createdAt) + minutes * 60_000);

const item: DetailedItemRow = {
  ...{ itemId: 'itm_1', jobId: runningJob.jobId, videoId: 'lighthouse1', reference: 'lighthouse1', attempts: 1 },
  ...{ status: 'complete', requestedLanguage: null, language: 'en', errorCode: null, errorMessage: null },
  errorDetails: null,
  ...{ creditsCharged: 3, chargeId: 'charge', endedPosition: '2' },
};

/** The lines of these items on the page, without tags. */
const itemsOn = (
  items: readonly DetailedItemRow[],
  paidCaptions: ReadonlySet<string>,
  language: PageLanguage = 'en',
): readonly string[] => {
  const page = jobPage(
    {
      words: wordsOf(language),
      assets: { style: '/s.css', script: '/s.js', icon: '/i.svg', card: '/c.png' },
      url: '/jobs/job_1',
      publicUrl: 'https://steno.example',
      user: { accountId: 'acc_1' },
    },
    { job: { ...runningJob, totalItems: 2 }, items, titles: new Map(), now: later(1), paidCaptions },
  );
  return [...page.matchAll(/<p>(.*?)<\/p>/g)]
    .map(([, line = '']) => line.replace(/<[^>]*>/g, '').trim())
    .filter((line) => line.startsWith('lighthouse1'));
};

describe('the page of a job', () => {
  it('says how long the rest takes, once an item of the first run is done', () => {
    const job = { ...runningJob, totalItems: 10 };
    assert.equal(minutesLeft(job, later(4)), null);
    assert.equal(minutesLeft({ ...job, completedItems: 3, failedItems: 1 }, later(4)), 6);
    assert.equal(minutesLeft({ ...job, completedItems: 9 }, later(1)), 1);
    assert.equal(minutesLeft({ ...job, completedItems: 3, run: 2 }, later(4)), null);
    assert.equal(minutesLeft({ ...job, completedItems: 10, status: 'completed' }, later(4)), null);
  });

  it('shows the credits charged for each complete item, and what opening it costs once that is no longer free', () => {
    const waiting = { ...item, itemId: 'itm_2', status: 'queued', creditsCharged: 0, language: null } as const;
    assert.deepEqual(itemsOn([item, waiting], new Set(['lighthouse1 en'])), [
      'lighthouse1 ✓ complete · 3 credits',
      'lighthouse1 … waiting',
    ]);
    assert.deepEqual(itemsOn([item], new Set()), ['lighthouse1 opening it costs 1 credit ✓ complete · 3 credits']);
  });

  it('says in every language why an item failed, as exactly as its reason', () => {
    const failed = {
      ...item,
      ...({ status: 'failed', language: null, errorCode: 'TRANSCRIPT_NOT_AVAILABLE' } as const),
      ...{ errorMessage: 'The video is live.', errorDetails: { reason: 'live_now', retryable: true } },
    };
    assert.match(itemsOn([failed], new Set())[0] ?? '', /TRANSCRIPT_NOT_AVAILABLE The video is live\.$/);
    for (const language of pageLanguages.filter((each) => each !== 'en')) {
      const [line = ''] = itemsOn([failed], new Set(), language);
      assert.ok(line.endsWith(wordsOf(language).refusals.reasons.live_now), line);
    }
  });

  it('shows the cost of the job so far, and the maximum while credits are reserved', () => {
    const words = wordsOf('en');
    assert.equal(costOf(words, { creditsCharged: 1_200, creditsReserved: 300 }), '1,200 so far, 1,500 at most');
    assert.equal(costOf(words, { creditsCharged: 7, creditsReserved: 0 }), '7');
  });
});
