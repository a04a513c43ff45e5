import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Extraction, TrackKind } from '#src/extraction/captions/caption-track.ts';
import { type Shape, shapeTranscript } from '#src/transcripts/shape-transcript.ts';
import { clockTime, timestampOf } from '#src/transcripts/timestamp.ts';

const extracted = (kind: TrackKind = 'manual'): Extraction => {
  const track = { id: '.en', language: 'en', name: 'English', kind, isTranslatable: true, isRightToLeft: false };
  return {
    video: {
      videoId: 'abcdefghijk',
      title: 'A title',
      channel: 'A channel',
      channelId: 'UC1',
      durationS: 70,
      isLive: false,
    },
    tracks: [track],
    track,
    requestedLanguage: 'en-GB',
    matchedBy: 'default',
    segments: [
      { text: '[Music]', startMs: 0, durationMs: 900, endMs: 900 },
      { text: 'first', startMs: 61_000, durationMs: 1_000, endMs: 62_000 },
    ],
    contentSha256: '0'.repeat(64),
    fetchedAt: '2026-01-10T09:00:00.000Z',
    isCacheHit: true,
  };
};
const plain: Shape = { format: 'json', timestamps: false, clean: false };
const textsOf = (extraction: Extraction, shape: Partial<Shape>) =>
  shapeTranscript(extraction, { ...plain, ...shape }).transcript.cues.map(({ text }) => text);

describe('the shape of a transcript', () => {
  it('is as requested, in any order of the parameters', () => {
    const extraction = extracted();
    for (let turn = 0; turn < 2; turn += 1) {
      assert.deepEqual(textsOf(extraction, { timestamps: true }), ['[00:00] [Music]', '[01:01] first']);
      assert.deepEqual(textsOf(extraction, {}), ['[Music]', 'first']);
      assert.deepEqual(textsOf(extraction, { clean: true }), ['first']);
      assert.deepEqual(textsOf(extraction, { clean: true, timestamps: true }), ['[01:01] first']);
    }
  });

  it('has a separate body in each format, and none in JSON', () => {
    const extraction = extracted();
    const bodies = (['txt', 'srt', 'vtt', 'markdown'] as const).flatMap((format) =>
      [true, false].map((timestamps) => shapeTranscript(extraction, { ...plain, format, timestamps })),
    );
    assert.equal(new Set(bodies.map(({ text }) => text)).size, 8);
    assert.equal(shapeTranscript(extraction, plain).text, null);
  });

  it('is the same object for the same extraction, and another one for another', () => {
    const extraction = extracted();
    const first = shapeTranscript(extraction, plain);
    assert.equal(shapeTranscript(extraction, { ...plain }), first);
    assert.notEqual(shapeTranscript(extracted(), plain), first);
  });

  it('says where its text comes from', () => {
    const sourceOf = (kind: TrackKind) => shapeTranscript(extracted(kind), plain).transcript.source;
    assert.deepEqual(
      [sourceOf('manual'), sourceOf('automatic'), sourceOf('translated')],
      ['manual', 'platform_auto', 'translated'],
    );
    const { cues: _, ...about } = shapeTranscript(extracted(), plain).transcript;
    assert.deepEqual(about, {
      videoId: 'abcdefghijk',
      title: 'A title',
      channel: 'A channel',
      channelId: 'UC1',
      url: 'https://www.youtube.com/watch?v=abcdefghijk',
      durationS: 70,
      language: 'en',
      requestedLanguage: 'en-GB',
      source: 'manual',
    });
  });
});

describe('a time', () => {
  it('is cut to the second for people, and rounded to the millisecond for players', () => {
    assert.equal(timestampOf(59_999), '00:59');
    assert.equal(timestampOf(3_600_000), '1:00:00');
    assert.equal(timestampOf(-5), '00:00');
    assert.equal(clockTime(1_999.6, ','), '00:00:02,000');
    assert.equal(clockTime(3_723_004.4, '.'), '01:02:03.004');
    assert.equal(clockTime(-5, '.'), '00:00:00.000');
  });
});
