import type { z } from 'zod';
import { type Commands, channelLink, type PaidListing, playlistLink, videoLink } from '../../../commands.ts';
import {
  type channelSchema,
  listings as kinds,
  listingParam,
  type playlistSchema,
} from '../../../contract/listings.ts';
import { json, receiptHeaders } from '../middleware/response.ts';
import { keyRoute, type Route } from '../middleware/route.ts';
import { createdAnswer, naming, type Started } from './job-creation.ts';

type Kind = (typeof kinds)[number];

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

const bodyOf = (kind: Kind['kind'], paid: PaidListing, limit: number): unknown => {
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

type Deps = {
  readonly commands: Pick<Commands, 'listSource' | 'planJob' | 'startJob'>;
};

/** The videos of a playlist or a channel, and a job over them. */
export const listings = (deps: Deps): Route[] => kinds.flatMap((kind) => routesOf(kind, deps));

const routesOf = ({ kind, read, start }: Kind, { commands }: Deps): Route[] => {
  const names = { [`${kind}_id`]: listingParam(kind), url: 'webhook_url' };
  return [
    keyRoute(read, async ({ call, params, query: { limit } }) => {
      const reference = params[listingParam(kind)] ?? '';
      const paid = await naming(names, commands.listSource(call, { kind, reference, limit }));
      return json(bodyOf(kind, paid, limit), { headers: receiptHeaders(paid) });
    }),

    keyRoute(start, async ({ call, params, body }) => {
      const reference = params[listingParam(kind)] ?? '';
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
