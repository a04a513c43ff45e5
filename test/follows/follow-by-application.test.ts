import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemMeta } from '#src/eventlog/event-log.ts';
import { type Payer, wakeFollow } from '#src/follows/advance-video.ts';
import * as follow from '#src/follows/follow.ts';
import * as budget from '#src/follows/follow-budget.ts';
import { followStreams, readFollow } from '#src/follows/follow-streams.ts';
import type { SourceStore } from '#src/follows/source-store.ts';
import { foundAppend } from '#src/follows/start-follow.ts';
import { callOf, ledgerOn, manualClock, openBook } from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const accountId = 'acc_1';
const followId = `fol_${'1'.repeat(32)}`;
const actor = { type: 'authorization', id: 'aut_1' } as const;
const options = {
  ...({ language: null, captions: 'any', operations: null, keep: false, kinds: ['videos'], webhookUrl: null } as const),
  ...{ maxCreditsPerPeriod: 100, intervalS: 3_600 },
};

/** A follow that an application has made on 2026-01-10, with videos that wait; each job sets two credits aside. */
const followed = async (credits: { readonly creditsPerDay: number; readonly creditsTotal: number }, videos: number) => {
  const { clock, moveTo } = manualClock('2026-01-10T09:00:00Z');
  const memory = memoryEventLog({ clock });
  await openBook(memory, accountId, { plan: 'pro', clock });
  const ledger = ledgerOn(memory, { clock });
  // There is no database: nothing is written beside the log.
  const appendLocked: typeof memory.appendLocked = (stream, from, decide) => memory.appendLocked(stream, from, decide);
  const log = { ...memory, appendLocked };
  const streams = followStreams({ log, sources: {} as SourceStore, clock });
  const meta = systemMeta(accountId, clock());
  const at = clock().toISOString();
  const source = { sourceKind: 'channel', sourceId: 'UC1' } as const;
  const data = {
    followId,
    accountId,
    ...source,
    ...options,
    keyId: null,
    authorizationId: actor.id,
    requestId: 'r',
    at,
  };
  const started = { type: 'FollowStarted', data } as const;
  const stream = follow.streamOf(followId);
  const id = follow.idOf(stream, started, 1n);
  await log.append([{ stream, expected: 0n, events: [{ ...started, id, schemaVersion: 1, meta }] }]);
  const ids = Array.from({ length: videos }, (_, index) => `video-0000${index}`);
  for (const videoId of ids) {
    await log.append([foundAppend({ followId, accountId }, { videoId, isShort: false }, { at, meta })]);
  }
  let payer: Payer | 'grant_ended' = { actor, authorizationId: actor.id, capCredits: null, budget: credits };
  const begun: string[] = [];
  const wake = wakeFollow({
    ...streams,
    engine: { readVideo: async () => ({ video: {}, tracks: [{}] }) as never },
    retries: { captionsMs: [] },
    payerOf: async () => payer,
    isOpen: async () => true,
    periodOf: async () => ({ opensAt: '2026-01-10T00:00:00.000Z', closesAt: '2026-02-10T00:00:00.000Z' }),
    priceOf: () => 2,
    startJob: async (call, { videoId }) => {
      const jobId = `job_${videoId}`;
      await ledger.reserve(call, { reservationId: jobId, jobId, amount: 2 });
      begun.push(videoId);
    },
    jobIdOf: (_, key) => `job_${key}`,
    waitingVideos: async () => ids.filter((one) => !begun.includes(one)),
    wakeLater: async () => {},
  });
  const reservationOf = (index: number) => ({ reservationId: `job_${ids[index]}`, jobId: `job_${ids[index]}` });
  return {
    ...{ moveTo, begun },
    settle: async (index: number) => {
      const work = { attempt: 1, operation: 'job_item', videoId: 'abcdefghijk' } as const;
      await ledger.settleItem(callOf(accountId), { ...reservationOf(index), itemId: 'itm_1', amount: 2, ...work });
    },
    release: async (index: number) => {
      await ledger.release(callOf(accountId), {
        ...reservationOf(index),
        itemId: null,
        amount: null,
        why: 'job_ended',
      });
    },
    end: () => {
      payer = 'grant_ended';
    },
    wake: () => wake({ followId }, { signal: new AbortController().signal }),
    state: async () => {
      const { follow: one } = await readFollow(streams, followId);
      const { reached } = await streams.budgets.read(budget.streamOf(followId, '2026-01-10'));
      return { reason: one?.reason, waitingFor: reached?.waitingFor, retryAt: reached?.retryAt };
    },
  };
};

describe('a follow that an application created', () => {
  it('waits for the next day and for running jobs, and pauses once its authorization has nothing left', async () => {
    const { wake, moveTo, begun, state, settle, release } = await followed({ creditsPerDay: 4, creditsTotal: 6 }, 5);
    await wake();
    assert.equal(begun.length, 2);
    const waiting = { reason: null, waitingFor: 'grant_budget' };
    assert.deepEqual(await state(), { ...waiting, retryAt: '2026-01-11T00:00:00.000Z' });
    moveTo('2026-01-11T00:00:00Z');
    await wake();
    assert.equal(begun.length, 3);
    assert.deepEqual(await state(), { ...waiting, retryAt: '2026-01-11T01:00:00.000Z' });
    await release(1);
    await wake();
    assert.equal(begun.length, 4);
    for (const done of [0, 2, 3]) await settle(done);
    await wake();
    assert.equal(begun.length, 4);
    assert.equal((await state()).reason, 'grant_spent');
  });

  it('pauses when its authorization ends, or if its daily budget is too small for one video', async () => {
    const ended = await followed({ creditsPerDay: 4, creditsTotal: 6 }, 1);
    ended.end();
    await ended.wake();
    const small = await followed({ creditsPerDay: 1, creditsTotal: 6 }, 1);
    await small.wake();
    const reasons = [(await ended.state()).reason, (await small.state()).reason];
    assert.deepEqual([reasons, ended.begun, small.begun], [['grant_ended', 'grant_spent'], [], []]);
  });
});
