import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { platformHttp } from '#src/adapters/platform/platform-http.ts';
import type { Engine } from '#src/extraction/captions/caption-track.ts';
import { createEngine } from '#src/extraction/engine.ts';
import type { EngineSettings } from '#src/extraction/settings.ts';
import { systemClock } from '#src/kernel/clock.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { channels, lists } from '#test/simulator/collections.ts';
import type { FaultKind } from '#test/simulator/faults.ts';
import { type Simulator, startSimulator } from '#test/simulator/main.ts';
import { memoryTranscriptCache } from '#test/support/memory-transcript-cache.ts';

const patient = () => ({ signal: new AbortController().signal });

describe('the engine on the simulated platform', () => {
  let simulator: Simulator;
  let engine: Engine;
  const engineWith = (settings: Partial<EngineSettings> = {}) =>
    createEngine({
      platform: platformHttp({ origin: simulator.origin, proxies: [] }),
      cache: memoryTranscriptCache(),
      clock: systemClock,
      random: () => 0.5,
      settings: { backoffMs: 5, ...settings },
    });
  before(async () => {
    simulator = await startSimulator();
  });
  after(() => simulator[Symbol.asyncDispose]());
  beforeEach(() => {
    simulator.reset();
    engine = engineWith();
  });
  const paths = () => simulator.requests.map(({ endpoint }) => endpoint);
  const outcome = async (work: Promise<unknown>): Promise<string> => {
    const error: unknown = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error === null) return 'read';
    assert.ok(error instanceof Refusal, String(error));
    return `${error.code} ${String(error.details?.['reason'])}`;
  };
  const read = (videoId: string, language: string | null = null) => engine.extract({ videoId, language }, patient());

  it('reads a transcript with one player request and one caption request, and reports its mode', async () => {
    const found = await read('lighthouse1');
    assert.ok(found.segments.length > 0);
    assert.deepEqual(paths(), ['reel', 'timedtext']);
    assert.equal(engine.health().mode, 'fixture');
    assert.equal(engine.health().consecutiveFailures, 0);
  });

  for (const [videoId, expected] of [
    ['no-captions', 'TRANSCRIPT_NOT_AVAILABLE no_captions'],
    ['empty-track', 'TRANSCRIPT_NOT_AVAILABLE empty_track'],
    ['live-now-01', 'TRANSCRIPT_NOT_AVAILABLE live_now'],
    ['upcoming-01', 'TRANSCRIPT_NOT_AVAILABLE upcoming'],
    ['processing1', 'TRANSCRIPT_NOT_AVAILABLE processing'],
    ['private-001', 'VIDEO_UNAVAILABLE private'],
    ['age-gate-01', 'VIDEO_UNAVAILABLE age_restricted'],
    ['members-001', 'VIDEO_UNAVAILABLE members_only'],
    ['geo-block-1', 'VIDEO_UNAVAILABLE region_blocked'],
    ['premium-001', 'VIDEO_UNAVAILABLE premium'],
    ['purchase-01', 'VIDEO_UNAVAILABLE purchase'],
    ['removed-001', 'VIDEO_UNAVAILABLE removed'],
    ['terminated1', 'VIDEO_UNAVAILABLE removed'],
    ['copyright-1', 'VIDEO_UNAVAILABLE removed'],
    ['deleted-001', 'VIDEO_NOT_FOUND not_found_or_deleted'],
    ['nobody-has1', 'VIDEO_NOT_FOUND not_found_or_deleted'],
    ['bot-check-1', 'PLATFORM_BLOCKED bot_check'],
    ['captcha-vm1', 'PLATFORM_BLOCKED bot_check'],
    ['wrong-video', 'read'],
    ['try-later-1', 'PLATFORM_RATE_LIMITED session_limit'],
    ['status-new1', 'PLATFORM_CHANGED shape'],
    ['made4kids-1', 'read'],
    ['half-empty1', 'read'],
    ['po-token-01', 'PLATFORM_BLOCKED token_required'],
    ['named-twice', 'read'],
    ['dubbed-0001', 'read'],
    ['three-hours', 'read'],
    ['edge-cases1', 'read'],
  ] as const)
    it(`answers ${expected} for ${videoId}`, async () => {
      assert.equal(await outcome(read(videoId)), expected);
    });

  for (const [name, does, expected] of [
    ['a sorry page', { kind: 'html', page: 'sorry' }, /^PLATFORM_(?:BLOCKED|RATE_LIMITED)/],
    ['a captcha', { kind: 'html', page: 'captcha' }, /^PLATFORM_BLOCKED bot_check/],
    ['a consent page', { kind: 'html', page: 'consent' }, /^PLATFORM_CHANGED shape/],
    ['a redirect', { kind: 'redirect' }, /^PLATFORM_BLOCKED bot_check/],
    ['429', { kind: 'status', status: 429, retryAfter: 77 }, /^PLATFORM_RATE_LIMITED rate_limited/],
    ['403', { kind: 'status', status: 403 }, /^PLATFORM_BLOCKED egress_refused/],
    ['503', { kind: 'status', status: 503 }, /^PLATFORM_TIMEOUT server_error/],
    ['a cut connection', { kind: 'cut', bytes: 20 }, /^PLATFORM_TIMEOUT connection/],
    ['half a JSON', { kind: 'truncated', bytes: 40 }, /^PLATFORM_CHANGED shape/],
  ] as const satisfies readonly (readonly [string, FaultKind, RegExp])[]) {
    for (const endpoint of ['player', 'captions'] as const)
      it(`maps ${name} of the ${endpoint} and recovers`, async () => {
        const targets = endpoint === 'player' ? (['player', 'reel'] as const) : (['timedtext'] as const);
        simulator.plan(...targets.map((target) => ({ endpoint: target, times: 'always' as const, does })));
        const code = await outcome(read('lighthouse1'));
        assert.match(code, expected);
        simulator.reset();
        assert.equal(await outcome(read('lighthouse1')), 'read');
      });
  }

  it('treats an empty caption response as a block, never as a video without text', async () => {
    simulator.plan({ endpoint: 'timedtext', times: 'always', does: { kind: 'empty' } });
    assert.equal(await outcome(read('lighthouse1')), 'PLATFORM_BLOCKED token_required');
  });

  it('ends within its deadline when the platform is silent', async () => {
    engine = engineWith({ deadlineMs: 200, requestTimeoutMs: 100 });
    simulator.plan({ times: 'always', does: { kind: 'delay', ms: 60_000 } });
    assert.equal(await outcome(read('lighthouse1')), 'PLATFORM_TIMEOUT timeout');
  });

  it('probes with a success, and with a block', async () => {
    assert.equal((await engine.probe()).ok, true);
    engine = engineWith();
    simulator.plan({ times: 'always', does: { kind: 'status', status: 403 } });
    const probe = await engine.probe();
    assert.deepEqual([probe.ok, probe.status, probe.reason], [false, 403, 'egress_refused']);
  });

  for (const [name, limit, count, expected, isTruncated, hasMore] of [
    ['small', 100, 5, 5, false, false],
    ['threePages', 500, 250, 250, false, false],
    ['threePages', 120, 120, 250, false, true],
    ['thousand', 1000, 1000, 1000, false, false],
    ['oldShape', 500, 120, 120, false, false],
    ['empty', 10, 0, 0, false, false],
    ['uselessLast', 500, null, null, false, false],
    ['loop', 500, null, null, true, true],
    ['truncated', 500, null, null, true, true],
  ] as const)
    it(`lists ${name} up to ${limit}`, async () => {
      const list = await engine.listPlaylist({ playlistId: lists[name], limit }, patient());
      if (count !== null) assert.equal(list.videos.length, count);
      if (expected !== null) assert.equal(list.expected, expected);
      assert.deepEqual([list.isTruncated, list.hasMore], [isTruncated, hasMore]);
      assert.equal(new Set(list.videos.map(({ position }) => position)).size, list.videos.length);
    });

  it('shows what a mixed playlist shows and counts what it hides', async () => {
    const list = await engine.listPlaylist({ playlistId: lists.mixed, limit: 100 }, patient());
    const kinds = new Set(list.videos.map(({ availability }) => availability));
    for (const kind of ['public', 'private', 'deleted', 'members_only'] as const) assert.ok(kinds.has(kind), kind);
    assert.equal(list.videos.length + (list.hidden ?? 0), list.expected);
    assert.ok((list.hidden ?? 0) > 0);
  });

  it('finds no unviewable, private or unknown playlist', async () => {
    for (const playlistId of [lists.unviewable, lists.private, 'PL00000000000000000000000000000000'])
      assert.equal(
        await outcome(engine.listPlaylist({ playlistId, limit: 5 }, patient())),
        'PLAYLIST_NOT_FOUND playlist_not_found',
      );
    assert.equal(
      await outcome(engine.listPlaylist({ playlistId: lists.unknownError, limit: 5 }, patient())),
      'PLATFORM_TIMEOUT unknown_error',
    );
  });

  for (const reference of [
    channels.harbour,
    '@harbournotes',
    'https://www.youtube.com/c/harbournotes',
    'youtube.com/user/harbournotes',
    'https://www.youtube.com/harbournotes',
    'https://m.youtube.com/@harbournotes/videos',
  ])
    it(`lists the channel ${reference}`, async () => {
      const list = await engine.listChannel({ reference, limit: 20 }, patient());
      assert.deepEqual(
        [list.channelId, list.videos.length, list.hasMore, list.isTruncated],
        [channels.harbour, 20, true, false],
      );
    });

  it('lists an age-gated channel as far as possible', async () => {
    const list = await engine.listChannel({ reference: channels.ageGated, limit: 500 }, patient());
    assert.equal(list.videos.length, 130);
  });

  it('lists a channel without videos as empty', async () => {
    const list = await engine.listChannel({ reference: channels.empty, limit: 5 }, patient());
    assert.deepEqual([list.videos, list.isTruncated], [[], false]);
  });

  it('finds no channel that was removed', async () => {
    for (const reference of [channels.terminated, channels.removed])
      assert.equal(
        await outcome(engine.listChannel({ reference, limit: 5 }, patient())),
        'CHANNEL_NOT_FOUND channel_removed',
      );
  });

  it('lists a channel whose pages have the older shapes', async () => {
    const list = await engine.listChannel({ reference: channels.oldShape, limit: 5 }, patient());
    assert.equal(list.videos.length, 5);
  });

  it('finds no channel that does not exist', async () => {
    for (const reference of ['@nobodyIsHere', 'UC0000000000000000000000'])
      assert.equal(
        await outcome(engine.listChannel({ reference, limit: 5 }, patient())),
        'CHANNEL_NOT_FOUND channel_not_found',
      );
  });
});
