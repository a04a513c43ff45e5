import { z } from 'zod';
import {
  booleanParameter,
  count,
  listOf,
  listParameter,
  member,
  named,
  rows,
  timestamp,
  trackSchema,
} from './schemas.ts';

const moment = z.string().describe('mm:ss, from one hour on h:mm:ss');
const wholeSeconds = count.describe('Seconds from the beginning of the video.');

/** A video as the platform and its author describe it. */
export const videoSchema = named('Video', {
  video_id: member.videoId,
  url: member.url,
  title: member.title,
  channel: member.channel,
  channel_id: member.channelId,
  duration: count.nullable().describe('Seconds; null while it is live or upcoming.'),
  description: z.string().nullable().describe('With its line breaks, without other control characters.'),
  views: count.nullable().describe('View count.'),
  thumbnails: rows('Its thumbnails, in the order of the platform.', {
    url: member.url,
    width: count.nullable().describe('Pixels.'),
    height: count.nullable().describe('Pixels.'),
  }),
  live_state: z.enum(['none', 'upcoming', 'live', 'ended']).describe('ended: it was live.'),
  published_at: timestamp
    .nullable()
    .describe(
      'Null if the platform does not send it with the captions. If only the day is known, its beginning in UTC.',
    ),
  chapters: z
    .array(
      z.object({
        start: wholeSeconds,
        end: wholeSeconds.nullable().describe('Seconds; null if the length of the video is not known.'),
        timestamp: moment,
        title: z.string().describe('Title.'),
      }),
    )
    .nullable()
    .describe(
      "Those that its author wrote into the description, by the platform's rule: the first at 0:00, at least three, each at least ten seconds long and later than the previous one; null: there are none.",
    ),
  tracks: z.array(trackSchema).describe('Empty for a video without captions.'),
});

export type VideoDetails = z.input<typeof videoSchema>;

/** One chapter that its author wrote. */
export type WrittenChapter = NonNullable<VideoDetails['chapters']>[number];

/** What `include` may name. */
export const includable = ['video'] as const;
const aboutInclude =
  '`video`: the transcript has `video`, what `GET /v1/videos/{videoId}` answers, for the same price.';
const aboutTokens =
  'The transcript has `token_count`: the tokens of its text for a language model (`o200k_base`), lines joined by spaces.';

/** What a transcript in JSON may have besides, in a query. */
export const besidesQuery = {
  include: listParameter(includable, aboutInclude),
  count_tokens: booleanParameter(aboutTokens),
} as const;

/** The same in a body. */
export const besidesBody = {
  include: listOf(includable).default([]).describe(aboutInclude),
  count_tokens: z.boolean().default(false).describe(aboutTokens),
} as const;
