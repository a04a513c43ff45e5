import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryCache } from '#src/extraction/memory-cache.ts';
import type { Extraction } from '#src/extraction/types.ts';

const extraction = (videoId: string, text = 'x'): Extraction => ({
  video: { videoId, title: null, channel: null, channelId: null, durationS: null, isLive: false },
  tracks: [],
  track: {
    id: '.en',
    language: 'en',
    name: 'en',
    kind: 'manual',
    isTranslatable: true,
    isRightToLeft: false,
  },
  requestedLanguage: null,
  matchedBy: 'default',
  segments: [{ text, startMs: 0, durationMs: 1, endMs: 1 }],
  contentSha256: '',
  fetchedAt: '',
  isCacheHit: true,
});

describe('the in-memory cache', () => {
  it('drops an entry when it expires', () => {
    const hot = memoryCache({ maxEntries: 9, maxCharacters: 1e6 });
    const one = extraction('one');
    hot.set('one', one, 100);
    assert.equal(hot.get('one', 99), one);
    assert.equal(hot.get('one', 100), undefined);
    assert.equal(hot.get('one', 0), undefined);
  });

  it('has a maximum number of entries, and evicts the least recently used', () => {
    const hot = memoryCache({ maxEntries: 2, maxCharacters: 1e6 });
    for (const id of ['a', 'b']) hot.set(id, extraction(id), 100);
    hot.get('a', 0);
    hot.set('c', extraction('c'), 100);
    assert.deepEqual(
      ['a', 'b', 'c'].map((id) => hot.get(id, 0) !== undefined),
      [true, false, true],
    );
  });

  it('has a maximum size, and stores no entry that is larger', () => {
    const hot = memoryCache({ maxEntries: 99, maxCharacters: 5_000 });
    hot.set('large', extraction('large', 'x'.repeat(3_000)), 100);
    hot.set('other', extraction('other', 'x'.repeat(3_000)), 100);
    assert.equal(hot.get('large', 0), undefined);
    assert.notEqual(hot.get('other', 0), undefined);
    hot.set('huge', extraction('huge', 'x'.repeat(9_000)), 100);
    assert.equal(hot.get('huge', 0), undefined);
    assert.notEqual(hot.get('other', 0), undefined);
  });
});
