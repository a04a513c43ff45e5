import { channelLink, listedVideoJson, type PaidListing, playlistLink } from '../../../commands.ts';
import { answerOf } from '../../../contract/answer-of.ts';
import { channelSchema, type listings, playlistSchema } from '../../../contract/listings.ts';

const playlistAnswer = answerOf(playlistSchema);
const channelAnswer = answerOf(channelSchema);

/** What a listing of at most `limit` videos, or a page of one, answers. */
export const listingBody = (kind: keyof typeof listings, { listing }: Pick<PaidListing, 'listing'>, limit: number) => {
  const own = {
    total: listing.expected,
    returned: listing.videos.length,
    truncated: listing.isTruncated,
    limit,
    videos: listing.videos.map(listedVideoJson),
  };
  return kind === 'playlist'
    ? playlistAnswer(listing, { ...own, url: playlistLink(listing.playlistId) })
    : channelAnswer(listing, {
        ...own,
        title: listing.title ?? listing.channel,
        url: channelLink(listing.channelId ?? ''),
      });
};
