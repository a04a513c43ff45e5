import { z } from 'zod';
import { costTagBody } from './charged.ts';
import { endpointsWith, type KeyEndpoint } from './endpoint.ts';
import { endSeconds, madeBy, moment, seconds, unavailable, verbatim } from './operation.ts';
import { ask } from './operations/ask.ts';
import { search as finder } from './operations/search.ts';
import {
  answer200,
  instant,
  integerParameter,
  languageTag,
  link,
  member,
  named,
  requiredInteger,
  rows,
  segment,
  storable,
  timestamp,
} from './schemas.ts';
import { chargedAnswers, transcriptParams } from './transcripts.ts';

/** Characters of a query, at most: some 600 words. */
const longestLibraryQuery = 4_000;

const common = { access: 'key', scope: 'transcripts', tag: 'Library' } as const;

const ofLibrary = endpointsWith(common);

const contentSha256 = z.string().describe('SHA-256 of the captions, in hexadecimal.');
const language = z.string().describe('Language code (BCP 47) of the captions.');

const ofKeptVideo = { video_id: member.videoId, title: member.title, channel: member.channel } as const;

export const keptVideoSchema = named('KeptVideo', {
  ...ofKeptVideo,
  channel_id: member.channelId,
  language,
  source: z
    .enum(['manual', 'platform_auto', 'translated', 'asr'])
    .describe('Where the captions came from, as in a transcript.'),
  content_sha256: contentSha256,
  kept_at: timestamp.describe('When the video was kept first, RFC 3339 in UTC.'),
});

/** A place in the list of a library: when a video was kept, and its id. */
export type LibraryCursor = { readonly keptAt: string; readonly videoId: string };

const cursorParts = z.tuple([z.iso.datetime(), z.string().regex(/^[\w-]{11}$/)]);

/** The text of a cursor, which clients take as it is. */
export const libraryCursor = ({ keptAt, videoId }: LibraryCursor): string =>
  Buffer.from(JSON.stringify([keptAt, videoId])).toString('base64url');

const readCursor = (text: string, context: z.RefinementCtx): LibraryCursor => {
  try {
    const [keptAt, videoId] = cursorParts.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return { keptAt, videoId };
  } catch {
    context.addIssue({ code: 'custom', message: 'must be `next_cursor` of the previous page' });
    return z.NEVER;
  }
};

export const listLibrary = {
  ...ofLibrary('listLibrary', 'GET', '/v1/library'),
  summary: 'The videos that the account keeps, newest first',
  description:
    "Free of charge. A request, job or follow with `keep` adds the videos whose captions it reads. It stores the captions, the platform's details of the video, and an index of the words.",
  query: z.object({
    limit: integerParameter('Videos per page.', { default: 50, max: 100 }),
    cursor: z.string().max(200).transform(readCursor).optional().describe('`next_cursor` of the previous page.'),
  }),
  answers: answer200('One page.', 'Library', {
    videos: z.array(keptVideoSchema).describe('Videos, the newest first.'),
    next_cursor: z.string().nullable().describe('Send it as `cursor` for the next page; null: this was the last.'),
  }),
} satisfies KeyEndpoint;

export const clearLibrary = {
  ...ofLibrary('clearLibrary', 'DELETE', '/v1/library'),
  summary: 'Remove every video from the library',
  description: 'Their captions, all versions of them and their index are deleted.',
  answers: { 204: { description: 'The library is empty.' } },
} satisfies KeyEndpoint;

const ofVideo = endpointsWith({ ...common, params: transcriptParams, refusals: ['INVALID_VIDEO_ID', 'NOT_FOUND'] });

export const removeFromLibrary = {
  ...ofVideo('removeFromLibrary', 'DELETE', '/v1/library/:videoId'),
  summary: 'Remove a video from the library',
  description: 'Its captions, all versions of them and their index are deleted.',
  answers: { 204: { description: 'The video was removed.' } },
} satisfies KeyEndpoint;

export const librarySearchQuery = z.object({
  q: z
    .string()
    .trim()
    .min(1)
    .max(longestLibraryQuery)
    .refine(...storable)
    .describe(
      'The query. `"words in quotation marks"` must appear in this order; `-word` must not appear in a passage.',
    ),
  lang: languageTag.optional().describe('Only captions in this language; without a region, those of every region.'),
  channel: z
    .string()
    .trim()
    .min(1)
    .max(128)
    .refine(...storable)
    .optional()
    .describe('Only videos of the channel with this id or name.'),
  from: instant.optional().describe('Only videos that were kept at this time or later, RFC 3339.'),
  to: instant.optional().describe('Only videos that were kept at this time or before, RFC 3339.'),
  limit: integerParameter('Maximum passages to return.', { default: 10, max: 50 }),
});

/** The same as a tool takes it: `q` and `limit` by the names and types that the search of one video has. */
export const librarySearchInput = librarySearchQuery
  .omit({ q: true })
  .extend({ query: librarySearchQuery.shape.q, limit: finder.input.limit });

export const librarySearchResults = named('LibrarySearchResults', {
  results: rows('Passages, the best first.', {
    ...ofKeptVideo,
    language,
    start: seconds,
    end: endSeconds,
    timestamp: moment,
    text: verbatim,
    score: z.number().describe('Relevance, from 0 to 1.'),
    url: link.describe('The video at the second where the passage begins.'),
  }),
});

export const searchLibrary = {
  ...ofLibrary('searchLibrary', 'GET', '/v1/library/search'),
  scope: 'ai',
  operation: finder.name,
  isIdempotent: true,
  hasDryRun: true,
  summary: 'Find passages in all videos of the library',
  description:
    'Costs 1 credit. By words, phrases, stems and corrected typos in the languages of the captions; with an embedding model also by meaning.',
  query: librarySearchQuery,
  answers: chargedAnswers('The passages, best first.', librarySearchResults),
} satisfies KeyEndpoint;

const libraryCitation = named('LibraryCitation', {
  video_id: member.videoId,
  start: seconds,
  end: endSeconds,
  timestamp: moment,
  text: verbatim,
  content_hash: contentSha256,
});

export const libraryAnswer = named('LibraryAnswer', {
  question: z.string().describe('The question.'),
  answer: ask.result.shape.answer,
  citations: z.array(libraryCitation).describe('Passages of the captions that the answer rests on.'),
  grounded: ask.result.shape.grounded,
  ...madeBy,
  ...unavailable,
});

export const askLibrary = {
  ...ofLibrary('askLibrary', 'POST', '/v1/library/ask'),
  scope: 'ai',
  operation: ask.name,
  isIdempotent: true,
  hasDryRun: true,
  summary: 'Ask a question about all videos of the library',
  description: `Like \`${ask.name}\` about one video: each citation is verified word by word, and if no video has the answer, the response has \`grounded: false\`. Costs ${ask.credits.model} credits, ${ask.credits.extract} if no model made the answer.`,
  body: z.object({ ...ask.input, ...costTagBody }),
  answers: chargedAnswers('The answer with its citations.', libraryAnswer),
} satisfies KeyEndpoint;

const versionNumber = z.int().describe('Number of these captions among those kept of the video, from 1.');

const ofVersion = {
  version: versionNumber,
  content_hash: contentSha256,
  language,
  first_seen_at: timestamp.describe('When these captions were kept, RFC 3339 in UTC.'),
} as const;

export const libraryVersionSchema = named('LibraryVersion', ofVersion);

/** Versions of a video that are kept; beyond, the oldest is deleted. */
export const mostVersions = 50;

export const listVersions = {
  ...ofVideo('listLibraryVersions', 'GET', '/v1/library/:videoId/versions'),
  summary: 'The versions of the captions of a kept video',
  description: `Free of charge. Changed captions are kept as another version, up to the newest ${mostVersions}. Each language has its own versions.`,
  answers: answer200('The versions, the oldest first.', 'LibraryVersions', {
    video_id: member.videoId,
    versions: z.array(libraryVersionSchema).describe('The oldest first.'),
  }),
} satisfies KeyEndpoint;

const versionParameter = (description: string) => requiredInteger(description, { max: 1_000_000 });

export const readVersion = {
  ...ofVideo('getLibraryVersion', 'GET', '/v1/library/:videoId/versions/:version'),
  summary: 'One version of the captions of a kept video',
  description: 'Free of charge. The captions as they were kept.',
  params: transcriptParams.extend({ version: versionParameter('Number of the version.') }),
  answers: answer200('The captions.', 'LibraryVersionText', {
    video_id: member.videoId,
    ...ofVersion,
    segments: z.array(segment).describe('The captions in order.'),
  }),
} satisfies KeyEndpoint;

export const captionChangeSchema = named('CaptionChange', {
  change: z.enum(['removed', 'added']).describe('removed: a line that only `from` has; added: one that only `to` has.'),
  start: seconds,
  timestamp: moment,
  text: verbatim,
});

export const compareVersions = {
  ...ofVideo('compareLibraryVersions', 'GET', '/v1/library/:videoId/diff'),
  summary: 'The differences between two versions, line by line',
  description: 'Free of charge. Lines are compared by their text; removed lines come before those that replace them.',
  query: z.object({
    from: versionParameter('Number of the version before.'),
    to: versionParameter('Number of the version after.'),
  }),
  answers: answer200('The differing lines.', 'LibraryDiff', {
    video_id: member.videoId,
    from: versionNumber,
    to: versionNumber,
    changes: z.array(captionChangeSchema).describe('In the order of the video.'),
  }),
} satisfies KeyEndpoint;

/** Videos in one archive, at most: the form of the file counts its entries in sixteen bits. */
export const mostExported = 25_000;

export const exportLibrary = {
  ...ofLibrary('exportLibrary', 'GET', '/v1/library/export'),
  summary: 'The whole library, as files in one archive',
  description:
    'Free of charge. A ZIP with a folder for each video; every version is a Markdown and a JSON file. A larger library needs several archives: `cursor` continues as in the list.',
  query: z.object({
    limit: integerParameter('Videos in the archive.', { default: mostExported, max: mostExported }),
    cursor: listLibrary.query.shape.cursor,
  }),
  answers: {
    200: {
      description: 'The archive.',
      bytes: ['application/zip'],
      headers: { 'Content-Disposition': 'A file name.' },
    },
  },
} satisfies KeyEndpoint;

/** What agents are told of the search over all videos and of reading one that was found. */
export const libraryTools = {
  search:
    'Without video_id it searches all videos that the account keeps, within lang, channel, from and to, and answers the id, title, link and best passage of each.',
  ask: 'Without video_id it asks all videos that the account keeps; each citation names its video.',
  fetch: {
    name: 'fetch',
    title: 'Read a kept video',
    description:
      'Returns the full text of a video found by search without video_id, by its id. For a part of a long video use get_transcript.',
  },
} as const;

/** A video that a search over all of them found, as agents get it. */
export const libraryDocument = z.object({
  id: z.string().describe('Id of the video.'),
  title: z.string().describe('Title.'),
  url: link.describe('The video at the second of the best passage.'),
});

/** `search` and the others before a video of that name. */
export const libraryEndpoints = [
  ...[listLibrary, clearLibrary, searchLibrary, askLibrary, exportLibrary, removeFromLibrary],
  ...[listVersions, readVersion, compareVersions],
] as const;
