import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Extraction } from '#src/commands.ts';
import { receipt, startEdge, videoId } from '#test/support/http.ts';

const track = {
  id: '.en',
  language: 'en',
  name: 'English',
  kind: 'automatic',
  isTranslatable: true,
  isRightToLeft: false,
} as const;

const extraction: Extraction = {
  video: { videoId, title: 'T', channel: null, channelId: null, durationS: 3, isLive: false },
  tracks: [track],
  track,
  requestedLanguage: null,
  matchedBy: 'default',
  segments: [{ text: '[Music]', startMs: 250, durationMs: 1_000, endMs: 900 }],
  contentSha256: 'ab',
  fetchedAt: '2026-11-21T10:00:00.000Z',
  isCacheHit: true,
};

describe('GET /v1/transcripts/{videoId}/raw', () => {
  it('returns the captions unchanged, with their source and their cost', async () => {
    await using edge = await startEdge({ commands: { readRaw: async () => ({ ...receipt, extraction }) } });
    const answer = await edge.get(`/v1/transcripts/${videoId}/raw`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('x-credits-charged'), '1');
    assert.equal(answer.headers.get('x-transcript-source'), 'platform_auto');
    const shown = { language: 'en', name: 'English', kind: 'automatic', translatable: true };
    assert.deepEqual(await answer.json(), {
      video_id: videoId,
      provider: 'youtube',
      fetched_at: '2026-11-21T10:00:00.000Z',
      cache_hit: true,
      tracks: [shown],
      track: shown,
      metadata: {
        title: 'T',
        channel: null,
        channel_id: null,
        duration: 3,
        is_live: false,
        requested_language: null,
        matched_by: 'default',
      },
      segments: [{ text: '[Music]', start: 0.25, duration: 1 }],
      content_sha256: 'ab',
    });
  });

  it('reads a whole link in its path', async () => {
    const references: string[] = [];
    await using edge = await startEdge({
      commands: {
        readRaw: async (_, { reference }) => {
          references.push(reference);
          return { ...receipt, extraction };
        },
      },
    });
    await edge.get(`/v1/transcripts/https://youtu.be/${videoId}/raw?lang=en`);
    await edge.get(`/v1/transcripts/${encodeURIComponent(`https://youtu.be/${videoId}`)}/raw`);
    assert.deepEqual(references, [`https://youtu.be/${videoId}`, `https://youtu.be/${videoId}`]);
  });

  it('is recognized behind a link with a query', async () => {
    const read: unknown[] = [];
    await using edge = await startEdge({
      commands: {
        readRaw: async (_, wanted) => {
          read.push(wanted);
          return { ...receipt, extraction };
        },
      },
    });
    const link = `https://www.youtube.com/watch?v=${videoId}`;
    await edge.get(`/v1/transcripts/${link}/raw`);
    await edge.get(`/v1/transcripts/${link}&t=4s/raw?lang=en`);
    await edge.get(`/v1/transcripts/${link}/raw&lang=en`);
    assert.deepEqual(read, [
      { reference: link, language: null },
      { reference: link, language: 'en' },
    ]);
  });
});
