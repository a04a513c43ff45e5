import { z } from 'zod';
import { type Commands, channelLink, type PaidListing, playlistLink, videoLink } from '../../../commands.ts';
import type { KeyEndpoint } from '../../../contract/endpoint.ts';
import { jobStatus } from '../../../contract/jobs.ts';
import { count, integerParameter, languageTag, link } from '../../../contract/schemas.ts';
import { chargeHeaders } from '../../../contract/transcripts.ts';
import { json, receiptHeaders } from '../middleware/response.ts';
import { keyRoute, type Route } from '../middleware/route.ts';
import {
  createdAnswer,
  jobAnswers,
  jobLimit,
  jobOptions,
  naming,
  refusalsOfListing,
  type Started,
} from './job-creation.ts';

type ListingKind = 'playlist' | 'channel';

const videoSchema = z.object({
  video_id: z.string(),
  title: z.string().nullable(),
  url: link,
  duration: count.nullable(),
  position: count,
  availability: z.enum(['public', 'unlisted', 'private', 'deleted', 'members_only', 'unknown']),
});

const counts = {
  total: count.nullable().meta({ description: 'As the platform counts; null: it does not say.' }),
  returned: count,
  hidden: count.nullable().meta({ description: 'Counted by the platform and not shown.' }),
  truncated: z.boolean().meta({ description: 'The platform stopped answering before the end.' }),
  limit: z.int().min(1),
  has_more: z.boolean(),
  videos: z.array(videoSchema),
};

const playlistSchema = z
  .object({
    playlist_id: z.string(),
    title: z.string().nullable(),
    channel: z.string().nullable(),
    channel_id: z.string().nullable(),
    url: link,
    ...counts,
  })
  .meta({ id: 'Playlist' });

const channelSchema = z
  .object({
    channel_id: z.string().nullable(),
    handle: z.string().nullable(),
    title: z.string().nullable(),
    url: link,
    ...counts,
  })
  .meta({ id: 'Channel' });

const countsOf = ({ listing }: PaidListing, limit: number) => ({
  total: listing.expected,
  returned: listing.videos.length,
  hidden: listing.hidden,
  truncated: listing.isTruncated,
  limit,
  has_more: listing.hasMore,
  videos: listing.videos.map((video) => ({
    video_id: video.videoId,
    title: video.title,
    url: videoLink(video.videoId),
    duration: video.durationS,
    position: video.position,
    availability: video.availability,
  })),
});

const bodyOf = (kind: ListingKind, paid: PaidListing, limit: number): unknown => {
  const { listing } = paid;
  if (kind === 'playlist') {
    const body: z.input<typeof playlistSchema> = {
      playlist_id: listing.playlistId,
      title: listing.title,
      channel: listing.channel,
      channel_id: listing.channelId,
      url: playlistLink(listing.playlistId),
      ...countsOf(paid, limit),
    };
    return body;
  }
  const body: z.input<typeof channelSchema> = {
    channel_id: listing.channelId,
    handle: listing.handle,
    title: listing.title ?? listing.channel,
    url: channelLink(listing.channelId ?? ''),
    ...countsOf(paid, limit),
  };
  return body;
};

/** The name of the path parameter in the specification; it accepts an id or a link. */
const idName = (kind: ListingKind) => `${kind}Id` as const;

/** The two operations on one kind of listing: read it, and make a job of its videos. */
const endpointsOf = (kind: ListingKind, defaultLimit: number) => {
  const name = kind === 'playlist' ? 'Playlist' : 'Channel';
  const params = z.object({
    [idName(kind)]: z
      .string()
      .min(1)
      .max(2_048)
      .meta({
        description: kind === 'playlist' ? 'Playlist id or link.' : 'Channel id, handle or link.',
      }),
  });
  const path = `/v1/${kind}s/:${idName(kind)}`;
  const missing = kind === 'playlist' ? 'PLAYLIST_NOT_FOUND' : 'CHANNEL_NOT_FOUND';
  const refusals = [missing, ...refusalsOfListing] as const;
  const shared = { access: 'key', tag: 'Playlists and channels', params, refusals } as const;
  const read = {
    ...shared,
    scope: 'transcripts',
    operation: kind,
    isIdempotent: true,
    id: `get${name}`,
    method: 'GET',
    readsPlatform: true,
    path,
    summary: `The videos of a ${kind}`,
    description: 'Costs 1 credit for each started hundred of videos returned.',
    query: z.object({
      limit: integerParameter('Videos at most.', { default: defaultLimit, max: 500 }),
    }),
    answers: {
      200: {
        description: 'The videos.',
        schema: kind === 'playlist' ? playlistSchema : channelSchema,
        headers: chargeHeaders,
      },
    },
  } satisfies KeyEndpoint;
  const start = {
    ...shared,
    scope: 'jobs',
    operation: 'job',
    isIdempotent: true,
    id: `create${name}Job`,
    method: 'POST',
    path: `${path}/transcripts`,
    summary: `Create a job over the videos of a ${kind}`,
    description: `Lists the ${kind} and reads each of its videos in a job. Videos that cannot be read become failed items.`,
    isBodyOptional: true,
    body: z.object({
      limit: jobLimit,
      lang: languageTag.optional(),
      ...jobOptions,
    }),
    answers: jobAnswers(
      z
        .object({
          [`${kind}_id`]: z.string(),
          videos_found: count,
          job_id: z.string(),
          status: jobStatus,
        })
        .meta({ id: `${name}JobStarted` }),
    ),
  } satisfies KeyEndpoint;
  return { read, start };
};

type Deps = {
  readonly commands: Pick<Commands, 'listSource' | 'planJob' | 'startJob'>;
};

const playlist = endpointsOf('playlist', 100);
const channel = endpointsOf('channel', 50);

export const listingEndpoints = [playlist.read, playlist.start, channel.read, channel.start];

/** The videos of a playlist or a channel, and a job over them. */
export const listings = (deps: Deps): Route[] => [
  ...routesOf('playlist', playlist, deps),
  ...routesOf('channel', channel, deps),
];

const routesOf = (kind: ListingKind, { read, start }: ReturnType<typeof endpointsOf>, { commands }: Deps): Route[] => {
  const names = { [`${kind}_id`]: idName(kind), url: 'webhook_url' };
  return [
    keyRoute(read, async ({ call, params, query: { limit } }) => {
      const reference = params[idName(kind)] ?? '';
      const paid = await naming(names, commands.listSource(call, { kind, reference, limit }));
      return json(bodyOf(kind, paid, limit), { headers: receiptHeaders(paid) });
    }),

    keyRoute(start, async ({ call, params, body }) => {
      const reference = params[idName(kind)] ?? '';
      const shown = (started: Started) => ({
        [`${kind}_id`]: started.source ?? reference,
        videos_found: started.totalItems,
        job_id: started.jobId,
        status: started.status,
      });
      const of = { kind, references: [reference] };
      return createdAnswer({ commands, call }, of, body, { names, shown });
    }),
  ];
};
