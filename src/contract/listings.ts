import { z } from 'zod';
import { endpointsWith, type KeyEndpoint } from './endpoint.ts';
import { refusalsOfPlatform } from './errors.ts';
import { jobAnswers, jobLimit, jobOptions, jobStatus } from './jobs.ts';
import { count, integerParameter, longestLink, member, named } from './schemas.ts';
import { chargedAnswers } from './transcripts.ts';

/** Videos that a listing answers, at most. */
export const maxListedVideos = 500;

/** One video of a playlist or channel. */
export const listedVideo = z.object({
  video_id: member.videoId,
  title: member.title,
  url: member.url,
  duration: member.duration,
  position: count.describe('Place in the order.'),
  availability: z
    .enum(['public', 'unlisted', 'private', 'deleted', 'members_only', 'unknown'])
    .describe('Whether the video can be read, as far as the listing says.'),
});

/** What a listing answers besides what it lists. */
export const listed = {
  total: count.nullable().describe('As counted by the platform; null: unknown.'),
  returned: count.describe('Videos in this response.'),
  hidden: count.nullable().describe('Counted by the platform and not shown.'),
  truncated: z.boolean().describe('The platform stopped answering before the end.'),
  limit: z.int().min(1).describe('Maximum number returned.'),
  has_more: z.boolean().describe('Whether the listing continues after these videos.'),
  videos: z.array(listedVideo).describe('The videos in the order of the listing.'),
};

export const playlistSchema = named('Playlist', {
  playlist_id: z.string().describe('Id of the playlist.'),
  title: member.title,
  channel: member.channel,
  channel_id: member.channelId,
  url: member.url,
  ...listed,
});

export const channelSchema = named('Channel', {
  channel_id: member.channelId,
  handle: z.string().nullable().describe('Handle of the channel, such as `@name`.'),
  title: member.title,
  url: member.url,
  ...listed,
});

type Listing = {
  readonly kind: 'playlist' | 'channel';
  readonly reference: string;
  readonly defaultLimit: number;
  readonly schema: z.ZodObject;
  readonly missing: 'PLAYLIST_NOT_FOUND' | 'CHANNEL_NOT_FOUND';
};

/** The name of the path parameter in the specification; it accepts an id or a link. */
export const listingParam = (kind: Listing['kind']) => `${kind}Id` as const;

/** What a listing costs, in words. */
export const listingPriceNote = 'Costs 1 credit for each started hundred of videos returned.';

/** The two endpoints of one kind of listing: read it, and make a job of its videos. */
const endpointsOf = ({ kind, reference, defaultLimit, schema, missing }: Listing) => {
  const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  const path = `/v1/${kind}s/:${listingParam(kind)}`;
  const ofListing = endpointsWith({
    access: 'key',
    tag: 'Playlists and channels',
    isIdempotent: true,
    hasDryRun: true,
    params: z.object({ [listingParam(kind)]: z.string().min(1).max(longestLink).describe(reference) }),
    refusals: [missing, ...refusalsOfPlatform],
  });
  const read = {
    ...ofListing(`get${name}`, 'GET', path),
    scope: 'transcripts',
    operation: kind,
    readsPlatform: true,
    summary: `The videos of a ${kind}`,
    description: listingPriceNote,
    query: z.object({
      limit: integerParameter('Maximum number of videos.', { default: defaultLimit, max: maxListedVideos }),
    }),
    answers: chargedAnswers('The videos.', schema),
  } satisfies KeyEndpoint;
  const start = {
    ...ofListing(`create${name}Job`, 'POST', `${path}/transcripts`),
    scope: 'jobs',
    operation: 'job',
    summary: `Create a job over the videos of a ${kind}`,
    description: `Lists the ${kind} and reads each of its videos in a job. Videos that cannot be read become failed items.`,
    isBodyOptional: true,
    body: z.object({ limit: jobLimit, ...jobOptions }),
    answers: jobAnswers(
      named(`${name}JobStarted`, {
        [`${kind}_id`]: z.string().describe(`Id of the ${kind}.`),
        videos_found: count.describe('Videos that were found.'),
        job_id: member.jobId,
        status: jobStatus.describe('Its state.'),
      }),
    ),
  } satisfies KeyEndpoint;
  return { kind, read, start };
};

/** The endpoints of each kind of listing. */
export const listings = {
  playlist: endpointsOf({
    kind: 'playlist',
    reference: 'Playlist id or link.',
    defaultLimit: 100,
    schema: playlistSchema,
    missing: 'PLAYLIST_NOT_FOUND',
  }),
  channel: endpointsOf({
    kind: 'channel',
    reference: 'Channel id, handle or link.',
    defaultLimit: 50,
    schema: channelSchema,
    missing: 'CHANNEL_NOT_FOUND',
  }),
} as const;

export const listingEndpoints = Object.values(listings).flatMap(({ read, start }) => [read, start]);
