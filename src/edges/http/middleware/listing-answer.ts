import { channelLink, type PaidListing, playlistLink, videoLink } from '../../../commands.ts';
import { answerOf } from '../../../contract/answer-of.ts';
import { channelSchema, listedVideo, type listings, playlistSchema } from '../../../contract/listings.ts';

const playlistAnswer = answerOf(playlistSchema);
const channelAnswer = answerOf(channelSchema);
const videoAnswer = answerOf(listedVideo);

/** What a listing of at most `limit` videos, or a page of one, answers. */
export const listingBody = (kind: keyof typeof listings, { listing }: Pick<PaidListing, 'listing'>, limit: number) => {
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
