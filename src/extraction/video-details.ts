import { authorChapters } from './author-chapters.ts';
import type { LiveState, Thumbnail, Video, VideoDetails } from './captions/caption-track.ts';
import { at, listAt, numberAt, stringAt } from './json-path.ts';

/** The platform takes 5,000 characters. */
const longestDescription = 10_000;
const mostThumbnails = 20;
const longestAddress = 2_048;

/** What a player answer says of a video besides its captions. */
export const videoDetailsOf = (
  player: unknown,
  { isLive, durationS }: Pick<Video, 'isLive' | 'durationS'>,
): VideoDetails => {
  const details = at(player, 'videoDetails');
  const description = descriptionOf(stringAt(details, 'shortDescription') ?? '');
  const views = numberAt(details, 'viewCount');
  return Object.freeze({
    description,
    views: views !== null && Number.isSafeInteger(views) && views >= 0 ? views : null,
    thumbnails: Object.freeze(
      listAt(details, 'thumbnail', 'thumbnails')
        .slice(0, mostThumbnails)
        .flatMap((row) => thumbnailOf(row) ?? []),
    ),
    liveState: liveStateOf(details, isLive),
    publishedAt: publishedOf(at(player, 'microformat', 'playerMicroformatRenderer')),
    chapters: description === null ? null : authorChapters(description, durationS),
  });
};

/** Line breaks stay; a tab is a space, and nothing is left of the other control characters. */
const descriptionOf = (raw: string): string | null => {
  const text = raw
    .slice(0, longestDescription)
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029]/gu, '\n')
    .replaceAll('\t', ' ')
    .replace(/(?!\n)\p{Cc}/gu, '')
    .trim();
  return text === '' ? null : text.normalize('NFC');
};

const thumbnailOf = (row: unknown): Thumbnail | null => {
  const given = stringAt(row, 'url') ?? '';
  const url = URL.parse(given.startsWith('//') ? `https:${given}` : given);
  if (url === null || url.protocol !== 'https:' || given.length > longestAddress) return null;
  return { url: url.href, width: sizeOf(row, 'width'), height: sizeOf(row, 'height') };
};

const sizeOf = (row: unknown, name: string): number | null => {
  const size = numberAt(row, name);
  return size !== null && Number.isSafeInteger(size) && size > 0 ? size : null;
};

const liveStateOf = (details: unknown, isLive: boolean): LiveState => {
  if (at(details, 'isUpcoming') === true) return 'upcoming';
  if (isLive) return 'live';
  const wasLive = at(details, 'isPostLiveDvr') === true || at(details, 'isLiveContent') === true;
  return wasLive ? 'ended' : 'none';
};

const dateForm = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2}))?$/;

const publishedOf = (microformat: unknown): string | null => {
  const given = stringAt(microformat, 'publishDate') ?? stringAt(microformat, 'uploadDate') ?? '';
  const at = dateForm.test(given) ? Date.parse(given) : Number.NaN;
  return Number.isNaN(at) ? null : new Date(at).toISOString();
};
