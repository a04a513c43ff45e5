import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { minutesLeft } from '#src/edges/http/website/jobs/job-page.tsx';
import { costOf } from '#src/edges/http/website/jobs/jobs-page.tsx';
import { wordsOf } from '#src/edges/http/website/words.ts';
import { runningJob } from '#test/support/http.ts';

const later = (minutes: number): Date => new Date(Date.parse(runningJob.createdAt) + minutes * 60_000);

describe('the page of a job', () => {
  it('says how long the rest takes, once an item of the first run is done', () => {
    const job = { ...runningJob, totalItems: 10 };
    assert.equal(minutesLeft(job, later(4)), null);
    assert.equal(minutesLeft({ ...job, completedItems: 3, failedItems: 1 }, later(4)), 6);
    assert.equal(minutesLeft({ ...job, completedItems: 9 }, later(1)), 1);
    assert.equal(minutesLeft({ ...job, completedItems: 3, run: 2 }, later(4)), null);
    assert.equal(minutesLeft({ ...job, completedItems: 10, status: 'completed' }, later(4)), null);
  });

  it('says what the job cost so far, and at most while credits are set aside', () => {
    const words = wordsOf('en');
    assert.equal(costOf(words, { creditsCharged: 1_200, creditsReserved: 300 }), '1,200 so far, 1,500 at most');
    assert.equal(costOf(words, { creditsCharged: 7, creditsReserved: 0 }), '7');
  });
});
