import { z } from 'zod';
import type { KeyEndpoint } from './endpoint.ts';
import { moment, seconds, verbatim } from './operation.ts';
import { integerParameter, languageTag, link, member, representable, storable, timestamp } from './schemas.ts';
import { chargeHeaders, transcriptParams } from './transcripts.ts';

/** Characters of a query, at most: some 600 words. */
export const longestLibraryQuery = 4_000;

const common = { access: 'key', scope: 'transcripts', tag: 'Library' } as const;

const contentSha256 = z.string().meta({ description: 'SHA-256 of the captions, in hexadecimal.' });
const language = z.string().meta({ description: 'Language code (BCP 47) of the captions.' });

const ofKeptVideo = { video_id: member.videoId, title: member.title, channel: member.channel } as const;

export const keptVideoSchema = z
  .object({
    ...ofKeptVideo,
    channel_id: member.channelId,
    language,
    source: z
      .enum(['manual', 'platform_auto', 'translated', 'asr'])
      .meta({ description: 'Where the captions came from, as in a transcript.' }),
    content_sha256: contentSha256,
    kept_at: timestamp.meta({ description: 'When the video was kept first, RFC 3339 in UTC.' }),
  })
  .meta({ id: 'KeptVideo' });

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
    context.addIssue({ code: 'custom', message: 'takes `next_cursor` of the page before' });
    return z.NEVER;
  }
};

export const listLibrary = {
  ...common,
  id: 'listLibrary',
  method: 'GET',
  path: '/v1/library',
  summary: 'The videos that the account keeps, newest first',
  description:
    'Free of charge. A request, job or follow with `keep` adds the videos whose captions it reads. What is kept: the captions, what the platform says of the video, and an index of their words.',
  query: z.object({
    limit: integerParameter('Videos per page.', { default: 50, max: 100 }),
    cursor: z
      .string()
      .max(200)
      .transform(readCursor)
      .optional()
      .meta({ description: '`next_cursor` of the page before.' }),
  }),
  answers: {
    200: {
      description: 'One page.',
      schema: z
        .object({
          videos: z.array(keptVideoSchema).meta({ description: 'Videos, the newest first.' }),
          next_cursor: z
            .string()
            .nullable()
            .meta({ description: 'To be sent as `cursor` for the next page; null: this was the last.' }),
        })
        .meta({ id: 'Library' }),
    },
  },
} satisfies KeyEndpoint;

export const clearLibrary = {
  ...common,
  id: 'clearLibrary',
  method: 'DELETE',
  path: '/v1/library',
  summary: 'Remove every video from the library',
  description: 'Their captions, all versions of them and their index are deleted.',
  answers: { 204: { description: 'Nothing is kept any more.' } },
} satisfies KeyEndpoint;

export const removeFromLibrary = {
  ...common,
  id: 'removeFromLibrary',
  method: 'DELETE',
  path: '/v1/library/:videoId',
  summary: 'Remove a video from the library',
  description: 'Its captions, all versions of them and their index are deleted.',
  params: transcriptParams,
  answers: { 204: { description: 'The video is not kept any more.' } },
  refusals: ['INVALID_VIDEO_ID', 'NOT_FOUND'],
} satisfies KeyEndpoint;

const time = (description: string) =>
  z.iso
    .datetime({ offset: true, error: 'takes a time such as 2027-01-31T00:00:00Z' })
    .refine(...representable)
    .optional()
    .meta({ description });

export const librarySearchQuery = z.object({
  q: z
    .string()
    .trim()
    .min(1)
    .max(longestLibraryQuery)
    .refine(...storable)
    .meta({
      description:
        'What is searched for. `"words in quotation marks"` stand there one after the other; `-word` stands nowhere in a passage.',
    }),
  lang: languageTag
    .optional()
    .meta({ description: 'Only captions of this language; without a region those of every region.' }),
  channel: z
    .string()
    .trim()
    .min(1)
    .max(128)
    .refine(...storable)
    .optional()
    .meta({ description: 'Only videos of the channel with this id or name.' }),
  from: time('Only videos that were kept at this time or later, RFC 3339.'),
  to: time('Only videos that were kept at this time or before, RFC 3339.'),
  limit: integerParameter('The most passages that are returned.', { default: 10, max: 50 }),
});

export const librarySearchResults = z
  .object({
    results: z
      .array(
        z.object({
          ...ofKeptVideo,
          language,
          start: seconds,
          end: z.number().meta({ description: 'Seconds from the beginning of the video, at which it ends.' }),
          timestamp: moment,
          text: verbatim,
          score: z.number().meta({ description: 'How well it fits, from 0 to 1.' }),
          url: link.meta({ description: 'The video at the second where the passage begins.' }),
        }),
      )
      .meta({ description: 'Passages, the best first.' }),
  })
  .meta({ id: 'LibrarySearchResults' });

export const searchLibrary = {
  ...common,
  scope: 'ai',
  id: 'searchLibrary',
  method: 'GET',
  path: '/v1/library/search',
  operation: 'search',
  summary: 'Find passages in all videos of the library',
  description:
    'Costs 1 credit. By words, phrases, stems and corrected typing errors in the languages of the captions; with an embedding model also by meaning.',
  query: librarySearchQuery,
  answers: { 200: { description: 'The passages, best first.', schema: librarySearchResults, headers: chargeHeaders } },
  refusals: ['INSUFFICIENT_CREDITS'],
} satisfies KeyEndpoint;

/** `search` before a video of that name. */
export const libraryEndpoints = [listLibrary, clearLibrary, searchLibrary, removeFromLibrary] as const;
