import type { AuthorChapter, LiveState, Thumbnail, Video, VideoDetails } from './captions/caption-track.ts';
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

const fewestChapters = 3;
const shortestChapterS = 10;
const longestTitle = 200;
/** A line of a description that is longer names no chapter. */
const longestLine = 400;

/** No time of a day, such as 8:15pm. */
const time = '(?<![\\d:])(?:(\\d{1,3}):)?(\\d{1,3}):(\\d{2})(?![A-Za-z\\d]|:\\d)';
/** Bullets, brackets and the number of a chapter may stand before the time. */
const lead = '^(?:\\d{1,3}[.)]\\s{1,4})?[^\\p{L}\\p{N}\\n]{0,12}';
const timeFirst = new RegExp(`${lead}${time}(.*)$`, 'u');
/** The end of a range: `0:00 - 1:20 Opening`. */
const rangeEnd = /^\s{0,4}[-–—~]\s{0,4}(?:\d{1,3}:)?\d{1,3}:\d{2}(?!\d|:\d)/u;
const timeLast = new RegExp(`${time}[)\\]}]?$`, 'u');

type Entry = { readonly startS: number; readonly title: string };

/**
 * The chapters that the author of a video wrote into its description, by the rule of the platform: a time and a title on a
 * line, the first at 0:00, at least three, each later than the one before and at least ten seconds long. Null where the
 * list is not so, also where it goes beyond the end of the video.
 */
export const authorChapters = (description: string, durationS: number | null): readonly AuthorChapter[] | null => {
  const lines = description
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line.length <= longestLine);
  return chaptersOf(lines, entryOf, durationS) ?? chaptersOf(lines, lastEntryOf, durationS);
};

const chaptersOf = (
  lines: readonly string[],
  readEntry: (line: string) => Entry | null,
  durationS: number | null,
): readonly AuthorChapter[] | null => {
  const entries = lines.flatMap((line) => readEntry(line) ?? []);
  if (entries.length < fewestChapters || entries[0]?.startS !== 0) return null;
  const chapters: AuthorChapter[] = [];
  for (const [index, { startS, title }] of entries.entries()) {
    const endS = entries[index + 1]?.startS ?? durationS;
    if (endS !== null && endS - startS < shortestChapterS) return null;
    chapters.push(Object.freeze({ startS, endS, title }));
  }
  return Object.freeze(chapters);
};

/** A line that begins with a time. */
const entryOf = (line: string): Entry | null => {
  const [, hours, minutes = '', seconds = '', rest = ''] = timeFirst.exec(line) ?? [];
  return entry(hours, minutes, seconds, rest.replace(rangeEnd, ''));
};

/** A line that ends with one. */
const lastEntryOf = (line: string): Entry | null => {
  const found = timeLast.exec(line);
  const [, hours, minutes = '', seconds = ''] = found ?? [];
  return entry(hours, minutes, seconds, line.slice(0, found?.index ?? 0));
};

const entry = (hours: string | undefined, minutes: string, seconds: string, rest: string): Entry | null => {
  const title = titleOf(rest);
  if (minutes === '' || title === '' || Number(seconds) > 59) return null;
  if (hours !== undefined && Number(minutes) > 59) return null;
  return { startS: Number(hours ?? 0) * 3_600 + Number(minutes) * 60 + Number(seconds), title };
};

/** What stands between time and title is no part of it, and neither is the bracket around the time. */
const titleOf = (rest: string): string => {
  const bare = rest
    .replace(/^[\s\-–—:|.,)\]}>→»•·]+/u, '')
    .replace(/[\s\-–—:|([{<→«•·]+$/u, '')
    .slice(0, longestTitle);
  return bare.toWellFormed().trim();
};
