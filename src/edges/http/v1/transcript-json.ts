import type { z } from 'zod';
import { type Extraction, trackJson } from '../../../commands.ts';
import type { rawSchema } from '../../../contract/transcripts.ts';

/** An extraction as JSON of the API. */
export const rawJson = (extraction: Extraction, hasWords: boolean): z.input<typeof rawSchema> => {
  const { video, track, tracks } = extraction;
  return {
    video_id: video.videoId,
    provider: 'youtube',
    fetched_at: extraction.fetchedAt,
    cache_hit: extraction.isCacheHit,
    tracks: tracks.map(trackJson),
    track: trackJson(track),
    metadata: {
      title: video.title,
      channel: video.channel,
      channel_id: video.channelId,
      duration: video.durationS,
      is_live: video.isLive,
      requested_language: extraction.requestedLanguage,
      matched_by: extraction.matchedBy,
    },
    segments: extraction.segments.map(({ text, startMs, durationMs, words }) => ({
      text,
      start: startMs / 1_000,
      duration: durationMs / 1_000,
      ...(hasWords ? { words: words?.map((word) => ({ text: word.text, start: word.startMs / 1_000 })) ?? null } : {}),
    })),
    content_sha256: extraction.contentSha256,
  };
};
