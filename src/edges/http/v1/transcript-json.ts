import { z } from 'zod';
import { type Extraction, type Track, type Transcript, toJson } from '../../../commands.ts';
import { count, link, timestamp } from '../schemas.ts';

export const segmentSchema = z
  .object({
    text: z.string(),
    start: z.number(),
    duration: z.number(),
  })
  .meta({ id: 'Segment' });

/** The Transcript of the specification. */
export const transcriptSchema = z
  .object({
    video_id: z.string(),
    title: z.string().nullable(),
    channel: z.string().nullable(),
    channel_id: z.string().nullable(),
    url: link,
    duration: count.nullable(),
    language: z.string().nullable(),
    requested_language: z.string().nullable(),
    source: z.enum(['manual', 'platform_auto', 'translated', 'asr']),
    segment_count: count,
    segments: z.array(segmentSchema),
  })
  .meta({ id: 'Transcript' });

/** A transcript as JSON of the API. */
export const transcriptJson = (transcript: Transcript): z.input<typeof transcriptSchema> =>
  toJson(transcript);

/** A transcript for a response; `text` is the body of its format, null for json. */
type Readable = { readonly transcript: Transcript; readonly text: string | null };

/** The encoded body of a response, cached per transcript object: a cached transcript is serialized once. */
const ready = new WeakMap<Transcript, { readonly text: string | null; readonly body: Buffer }>();

export const bodyOf = ({ transcript, text }: Readable): Buffer => {
  const known = ready.get(transcript);
  if (known?.text === text) return known.body;
  const body = Buffer.from(text ?? JSON.stringify(transcriptJson(transcript)));
  ready.set(transcript, { text, body });
  return body;
};

/** One caption track of a video. */
export const trackSchema = z
  .object({
    language: z.string(),
    name: z.string(),
    kind: z.enum(['manual', 'automatic', 'translated', 'recognized']),
    translatable: z.boolean(),
  })
  .meta({ id: 'CaptionTrack' });

/** The captions as the platform sent them, with their source. */
export const rawSchema = z
  .object({
    video_id: z.string(),
    provider: z.string(),
    fetched_at: timestamp,
    cache_hit: z.boolean(),
    tracks: z.array(trackSchema),
    track: trackSchema,
    metadata: z.object({
      title: z.string().nullable(),
      channel: z.string().nullable(),
      channel_id: z.string().nullable(),
      duration: count.nullable(),
      is_live: z.boolean(),
      requested_language: z.string().nullable(),
      matched_by: z.enum(['default', 'exact', 'region']),
    }),
    segments: z.array(segmentSchema),
    content_sha256: z.string(),
  })
  .meta({ id: 'RawTranscript' });

export const trackJson = ({ language, name, kind, isTranslatable }: Track) => ({
  language,
  name,
  kind,
  translatable: isTranslatable,
});

/** An extraction as JSON of the API. */
export const rawJson = (extraction: Extraction): z.input<typeof rawSchema> => {
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
    segments: extraction.segments.map(({ text, startMs, durationMs }) => ({
      text,
      start: startMs / 1_000,
      duration: durationMs / 1_000,
    })),
    content_sha256: extraction.contentSha256,
  };
};
