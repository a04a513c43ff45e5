import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Extraction } from '#src/extraction/captions/caption-track.ts';
import { memoryCache } from '#src/extraction/engine.ts';

const extraction = (videoId: string, text = 'x'): Extraction => ({
  video: { videoId, title: null, channel: null, channelId: null, durationS: null, isLive: false },
  tracks: [],
  track: { id: '.en', language: 'en', name: 'en', kind: 'manual', isTranslatable: true, isRightToLeft: false },
  requestedLanguage: null,
  matchedBy: 'default',
  segments: [{ text, startMs: 0, durationMs: 1, endMs: 1 }],
  contentSha256: '',
  fetchedAt: '',
  isCacheHit: true,
});

describe('the in-memory cache', () => {
  let now = 0;
  const cacheOf = (max: number, maxSize: number) => memoryCache(() => new Date(1_000_000 + now), { max, maxSize });

  it('drops an entry when it expires', () => {
    const hot = cacheOf(9, 1e6);
    const one = extraction('one');
    hot.set('one', one, { ttl: 100 });
    now += 99;
    assert.equal(hot.get('one'), one);
    now += 2;
    assert.equal(hot.get('one'), undefined);
  });

  it('has a maximum number of entries, and evicts the least recently used', () => {
    const hot = cacheOf(2, 1e6);
    for (const id of ['a', 'b']) hot.set(id, extraction(id));
    hot.get('a');
    hot.set('c', extraction('c'));
    assert.deepEqual(
      ['a', 'b', 'c'].map((id) => hot.has(id)),
      [true, false, true],
    );
  });

  it('has a maximum size, and stores no entry that is larger', () => {
    const hot = cacheOf(99, 5_000);
    hot.set('large', extraction('large', 'x'.repeat(3_000)));
    hot.set('other', extraction('other', 'x'.repeat(3_000)));
    assert.deepEqual([hot.has('large'), hot.has('other')], [false, true]);
    hot.set('huge', extraction('huge', 'x'.repeat(9_000)));
    assert.deepEqual([hot.has('huge'), hot.has('other')], [false, true]);
  });
});
