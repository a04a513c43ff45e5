import type { AuthorChapter } from './captions/caption-track.ts';

const fewest = 3;
const shortestS = 10;
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
  if (entries.length < fewest || entries[0]?.startS !== 0) return null;
  const chapters: AuthorChapter[] = [];
  for (const [index, { startS, title }] of entries.entries()) {
    const endS = entries[index + 1]?.startS ?? durationS;
    if (endS !== null && endS - startS < shortestS) return null;
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
