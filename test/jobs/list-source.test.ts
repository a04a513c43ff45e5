import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Listing } from '#src/extraction/captions/caption-track.ts';
import { type ListingStart, listSource } from '#src/jobs/list-source.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { refused } from '#test/support/accounts.ts';
import { callOf, ledgerOn, manualClock, openBook } from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const playlistId = `PL${'0'.repeat(32)}`;
const channelId = `UC${'0'.repeat(22)}`;
const listing = (returned: number, ids: readonly string[], limit: number): Listing => ({
  playlistId,
  title: null,
  channel: null,
  channelId: null,
  handle: null,
  expected: null,
  hidden: null,
  isTruncated: false,
  hasMore: ids.length > limit,
  videos: (ids.length > 0 ? ids.slice(0, limit) : Array(returned).fill('abcdefghijk')).map((videoId, position) => ({
    videoId,
    title: null,
    durationS: null,
    position,
    availability: 'public' as const,
  })),
});

/** An account with 1,000 credits and a platform that lists so many videos, or those of `ids`, or refuses. */
const world = async (found: number | Refusal, ids: readonly string[] = []) => {
  const { clock } = manualClock('2026-01-10T09:00:00Z');
  const log = memoryEventLog({ clock });
  await openBook(log, 'acc_1', { plan: 'starter', clock });
  const ledger = ledgerOn(log, { clock });
  const asked: unknown[] = [];
  const answer = async (wanted: { readonly limit: number }) => {
    asked.push(wanted);
    if (found instanceof Refusal) throw found;
    return listing(found, ids, wanted.limit);
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

  it('requests the named playlist or channel', async () => {
    const { list, asked } = await world(1);
    await list(callOf('acc_1'), playlist);
    await list(callOf('acc_1'), channel);
    assert.deepEqual(asked, [
      { playlistId, limit: 500 },
      { reference: channelId, limit: 500 },
    ]);
  });

  it('continues after the last video of the previous page, and charges only this page', async () => {
    const ids = Array.from({ length: 130 }, (_, index) => `v${index}`);
    const { list } = await world(0, ids);
    const of = async (limit: number, start: ListingStart | null, key: string) => {
      const page = await list(callOf('acc_1', { deduplicationKey: key }), { ...channel, limit, start });
      return { ...page, ids: page.listing.videos.map(({ videoId }) => videoId) };
    };
    const first = await of(120, null, 'first');
    assert.deepEqual(
      [first.ids, first.creditsCharged, first.next],
      [ids.slice(0, 120), 2, { offset: 120, after: 'v119' }],
    );
    // A new video came in front meanwhile.
    ids.unshift('new');
    const second = await of(5, first.next, 'second');
    assert.deepEqual([second.ids, second.creditsCharged], [['v120', 'v121', 'v122', 'v123'], 1]);
    const last = await of(100, second.next, 'last');
    assert.deepEqual([last.ids, last.next], [['v124', 'v125', 'v126', 'v127', 'v128', 'v129'], null]);
    // The video behind which it would go on is gone.
    assert.deepEqual((await of(3, { offset: 2, after: 'gone' }, 'gone')).ids, ['v1', 'v2', 'v3']);
  });

  it('sends no request for a source that is neither', async () => {
    const { list, asked } = await world(1);
    for (const kind of ['playlist', 'channel'] as const) {
      const wanted = { kind, reference: 'https://example.com/x', limit: 10 };
      await assert.rejects(list(callOf('acc_1'), wanted), refused('INVALID_REQUEST'));
    }
    assert.deepEqual(asked, []);
  });

  it('holds no credits afterwards, whether it succeeded or failed', async () => {
    const call = callOf('acc_1', { capCredits: null });
    for (const found of [1, new Refusal('PLAYLIST_NOT_FOUND', 'no')]) {
      const { list, left, ledger } = await world(found);
      await list(call, playlist).catch(() => undefined);
      const rest = { what: 'rest', operation: 'raw', requests: 1, videoId: null } as const;
      await ledger.hold(callOf('acc_1', { deduplicationKey: 'rest' }), [{ ...rest, amount: await left() }]);
    }
  });
});
