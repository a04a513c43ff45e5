import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseFeed } from '#src/extraction/lists/feed.ts';
import * as budget from '#src/follows/follow-budget.ts';
import * as video from '#src/follows/followed-video.ts';
import { divide } from '#src/follows/look-at-source.ts';
import { decidePostponed } from '#src/follows/postpone-video.ts';

const hour = 3_600_000;
const found = '2026-11-20T10:00:00.000Z';
const about = { followId: 'fol_1', accountId: 'acc_1', videoId: 'video-00001' };
const retries = { captionsMs: [hour, 6 * hour, 24 * hour] };

describe('a video that cannot be read yet', () => {
  const begun = video.evolve(video.initialState(), {
    type: 'FollowVideoFound',
    data: { ...about, isShort: false, at: found },
  });
  const postpone = (state: video.State, why: video.WaitReason, afterMs: number) => {
    const now = new Date(Date.parse(found) + afterMs);
    return decidePostponed({ ...about, why, code: 'TRANSCRIPT_NOT_AVAILABLE', jobId: null, retries, now }, state);
  };

  it('is tried for captions 1, 6 and 24 hours after it was found, and then fails', () => {
    let state = begun;
    const at: number[] = [];
    for (let tries = 0, nowMs = 0; ; tries += 1) {
      assert.ok(tries < 10);
      const [event] = postpone(state, 'captions', nowMs);
      if (event?.type !== 'FollowVideoPostponed') {
        assert.equal(event?.type, 'FollowVideoFailed');
        break;
      }
      nowMs = Date.parse(event.data.retryAt) - Date.parse(found);
      at.push(nowMs / hour);
      state = video.evolve(state, event);
    }
    assert.deepEqual(at, [1, 6, 24]);
  });

  it('is tried at most some sixty times, however the clock jumps', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('live', 'captions', 'platform'), fc.integer({ min: -1e10, max: 1e10 })), {
          maxLength: 200,
        }),
        (steps) => {
          let state = begun;
          for (const [why, afterMs] of steps) {
            for (const event of postpone(state, why, afterMs)) {
              if (event.type === 'FollowVideoPostponed') assert.ok(event.data.retryAt >= event.data.at);
              state = video.evolve(state, event);
            }
          }
          assert.ok(state.waits.captions <= 3 && state.waits.platform <= 12);
        },
      ),
    );
  });
});

describe('the budget of a follow', () => {
  it('is never exceeded, and each job is counted once, in any order of events', () => {
    const steps = fc.array(
      fc.tuple(
        fc.constantFrom('reserve', 'settle', 'wait'),
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 1, max: 9 }),
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 30 }), (done, maxCreditsPerPeriod) => {
        let state = budget.initialState();
        const now = new Date(found);
        const period = { followId: 'fol_1', accountId: 'acc_1', period: '2026-11-01' };
        for (const [what, number, credits] of done) {
          const job = { ...period, videoId: `video-0000${number}`, jobId: `job_${number}` };
          const limit = { maxCreditsPerPeriod, closesAt: '2026-12-01T00:00:00.000Z' };
          const waits = { waitingFor: 'credits', retryAt: found, maxCreditsPerPeriod } as const;
          const events =
            what === 'reserve'
              ? budget.decideReserve(
                  { type: 'ReserveBudget', data: { ...job, ...limit, credits }, metadata: { now } },
                  state,
                )
              : what === 'settle'
                ? budget.decideSettle(
                    { ...job, credits: Math.min(credits, state.jobs.get(job.jobId)?.credits ?? 0), now },
                    state,
                  )
                : budget.decideWait({ type: 'WaitForCredits', data: { ...job, ...waits }, metadata: { now } }, state);
          state = events.reduce(budget.evolve, state);
          const sum = state.jobs.values().reduce((all, one) => all + one.credits, 0);
          assert.equal(state.used, sum);
          assert.ok(state.used <= maxCreditsPerPeriod);
        }
      }),
    );
  });
});

describe('what is new in a list', () => {
  it('is every video that was not seen, but none behind the last known one of a list that was not read to its end', () => {
    const rows = ['new', 'known', 'hidden', 'older', 'oldest'].map((videoId) => ({ videoId }));
    const ids = (some: readonly { videoId: string }[]) => some.map(({ videoId }) => videoId);
    const seen = new Set(['known', 'older']);
    const partial = divide(rows, seen, true);
    assert.deepEqual([ids(partial.fresh), ids(partial.old)], [['new', 'hidden'], ['oldest']]);
    const whole = divide(rows, seen, false);
    assert.deepEqual([ids(whole.fresh), ids(whole.old)], [['new', 'hidden', 'oldest'], []]);
  });
});

describe('a feed of the platform', () => {
  const entry = '<entry><yt:videoId>video-00001</yt:videoId><title>A &amp; B</title></entry>';
  const feed = (inside: string, head = '') =>
    `<?xml version="1.0"?>${head}<feed xmlns="x"><title>T</title>${inside}</feed>\n`;

  it('is read with its titles, its shorts and its channel', () => {
    assert.deepEqual(parseFeed(feed(entry)), {
      title: 'T',
      channelId: null,
      entries: [{ videoId: 'video-00001', title: 'A & B', isShort: false }],
    });
  });

  it('is refused if it is truncated, defines entities, or names no video', () => {
    for (const broken of [
      feed(entry).slice(0, -10),
      feed(entry, '<!DOCTYPE feed [<!ENTITY a "b">]>'),
      feed('<entry><title>no video</title></entry>'),
      feed('<entry><yt:videoId>../../etc</yt:videoId></entry>'),
      '',
      '{"feed": 1}',
    ]) {
      assert.equal(parseFeed(broken), null);
    }
  });

  it('never makes the reader throw, whatever it contains', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseFeed(feed(text))));
  });
});
