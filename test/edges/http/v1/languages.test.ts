import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Track } from '#src/commands.ts';
import { startEdge, videoId } from '#test/support/http.ts';

const track = (language: string, kind: Track['kind']): Track => ({
  id: `.${language}`,
  language,
  name: language,
  kind,
  isTranslatable: true,
  isRightToLeft: false,
});

describe('GET /v1/transcripts/{videoId}/languages', () => {
  it('returns the available tracks, manual or automatic, free of charge', async () => {
    await using edge = await startEdge({
      commands: {
        listLanguages: async () => ({
          creditsCharged: 0,
          eventId: null,
          videoId,
          available: ['en', 'de'],
          defaultLanguage: 'en',
          hasCaptions: true,
          tracks: [track('en', 'manual'), track('de', 'automatic')],
        }),
      },
    });
    const answer = await edge.get(`/v1/transcripts/${videoId}/languages`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('x-credits-charged'), '0');
    assert.equal(answer.headers.has('x-credits-event'), false);
    assert.deepEqual(await answer.json(), {
      video_id: videoId,
      available: ['en', 'de'],
      default: 'en',
      has_captions: true,
      tracks: [
        { language: 'en', name: 'en', kind: 'manual', translatable: true },
        { language: 'de', name: 'de', kind: 'automatic', translatable: true },
      ],
    });
  });
});
