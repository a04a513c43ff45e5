import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Listing } from '#src/extraction/captions/caption-track.ts';
import { listSource } from '#src/jobs/list-source.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { refused } from '#test/support/accounts.ts';
import { callOf, ledgerOn, manualClock, openBook } from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const playlistId = `PL${'0'.repeat(32)}`;
const channelId = `UC${'0'.repeat(22)}`;
const listing = (returned: number): Listing => ({
  playlistId,
  title: null,
  channel: null,
  channelId: null,
  handle: null,
  expected: null,
  hidden: null,
  isTruncated: false,
  hasMore: false,
  videos: Array.from({ length: returned }, (_, position) => ({
    videoId: 'abcdefghijk',
    title: null,
    durationS: null,
    position,
    availability: 'public' as const,
  })),
});

/** An account with 1,000 credits and a platform that lists so many videos, or refuses. */
const world = async (found: number | Refusal) => {
  const { clock } = manualClock('2026-01-10T09:00:00Z');
  const log = memoryEventLog({ clock });
  await openBook(log, 'acc_1', { plan: 'starter', clock });
  const ledger = ledgerOn(log, { clock });
  const asked: unknown[] = [];
  const answer = async (wanted: unknown) => {
    asked.push(wanted);
    if (found instanceof Refusal) throw found;
    return listing(found);
  };
  const list = listSource({ engine: { listPlaylist: answer, listChannel: answer }, ledger });
  const left = async () => (await ledger.balance(callOf('acc_1'), { fresh: true })).remaining;
  return { list, asked, left, ledger };
};

const playlist = { kind: 'playlist', reference: playlistId, limit: 500 } as const;
const channel = { kind: 'channel', reference: channelId, limit: 500 } as const;

describe('listing a source', () => {
  it('costs a credit for each started hundred, once for each operation', async () => {
    const { list, left } = await world(201);
    assert.equal((await list(callOf('acc_1'), playlist)).creditsCharged, 3);
    await list(callOf('acc_1'), playlist);
    assert.equal(await left(), 997);
    await list(callOf('acc_1', { deduplicationKey: 'another' }), channel);
    assert.equal(await left(), 994);
  });

  it('asks for the playlist or channel that was named', async () => {
    const { list, asked } = await world(1);
    await list(callOf('acc_1'), playlist);
    await list(callOf('acc_1'), channel);
    assert.deepEqual(asked, [
      { playlistId, limit: 500 },
      { reference: channelId, limit: 500 },
    ]);
  });

  it('sends no request for a source that is neither', async () => {
    const { list, asked } = await world(1);
    for (const kind of ['playlist', 'channel'] as const) {
      const wanted = { kind, reference: 'https://example.com/x', limit: 10 };
      await assert.rejects(list(callOf('acc_1'), wanted), refused('INVALID_REQUEST'));
    }
    assert.deepEqual(asked, []);
  });

  it('holds no credits after it, whether it went well or not', async () => {
    const call = callOf('acc_1', { capCredits: null });
    for (const found of [1, new Refusal('PLAYLIST_NOT_FOUND', 'no')]) {
      const { list, left, ledger } = await world(found);
      await list(call, playlist).catch(() => undefined);
      const rest = { what: 'rest', operation: 'raw', requests: 1, videoId: null } as const;
      await ledger.hold(callOf('acc_1', { deduplicationKey: 'rest' }), [{ ...rest, amount: await left() }]);
    }
  });
});
