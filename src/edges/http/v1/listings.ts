import {
  type Commands,
  channelLink,
  type PaidListing,
  playlistLink,
  type StartedJob,
  videoLink,
} from '../../../commands.ts';
import { answerOf } from '../../../contract/answer-of.ts';
import {
  channelSchema,
  listings as kinds,
  listedVideo,
  listingParam,
  playlistSchema,
} from '../../../contract/listings.ts';
import { isDryRun, quoteAnswer } from '../middleware/dry-run.ts';
import { json, receiptHeaders } from '../middleware/response.ts';
import { keyRoute, type Route } from '../middleware/route.ts';
import { createdAnswer, naming } from './job-creation.ts';

type Kind = (typeof kinds)[keyof typeof kinds];

const playlistAnswer = answerOf(playlistSchema);
const channelAnswer = answerOf(channelSchema);
const videoAnswer = answerOf(listedVideo);

const bodyOf = (kind: Kind['kind'], { listing }: PaidListing, limit: number) => {
  const own = {
    total: listing.expected,
    returned: listing.videos.length,
    truncated: listing.isTruncated,
    limit,
    videos: listing.videos.map((video) =>
      videoAnswer(video, { url: videoLink(video.videoId), duration: video.durationS }),
    ),
  };
  return kind === 'playlist'
    ? playlistAnswer(listing, { ...own, url: playlistLink(listing.playlistId) })
    : channelAnswer(listing, {
        ...own,
        title: listing.title ?? listing.channel,
        url: channelLink(listing.channelId ?? ''),
      });
};

type Deps = {
  readonly commands: Pick<Commands, 'listSource' | 'quoteListing' | 'planJob' | 'startJob'>;
};

/** The videos of a playlist or a channel, and a job over them. */
export const listings = (deps: Deps): Route[] => Object.values(kinds).flatMap((kind) => routesOf(kind, deps));

const routesOf = ({ kind, read, start }: Kind, { commands }: Deps): Route[] => {
  const names = { [`${kind}_id`]: listingParam(kind), url: 'webhook_url' };
  return [
    keyRoute(read, async ({ call, params, query: { limit }, requestInfo }) => {
      const reference = params[listingParam(kind)] ?? '';
      if (isDryRun(requestInfo.request.headers)) return quoteAnswer(commands.quoteListing({ kind, reference, limit }));
      const paid = await naming(names, commands.listSource(call, { kind, reference, limit }));
      return json(bodyOf(kind, paid, limit), { headers: receiptHeaders(paid) });
    }),

    keyRoute(start, async ({ call, params, body, requestInfo }) => {
      const reference = params[listingParam(kind)] ?? '';
      const shown = (started: StartedJob) => ({
        [`${kind}_id`]: started.source ?? reference,
        videos_found: started.totalItems,
        job_id: started.jobId,
        status: started.status,
      });
      const of = { kind, references: [reference] };
      return createdAnswer({ commands, call, requestInfo }, of, body, { names, shown });
    }),
  ];
};
