import { z } from 'zod';
import { nameLink, type PaidListing, priceOf } from '../../../../commands.ts';
import { listVideosTool, maxVideosReached, videosOfPage } from '../../../../contract/agent-tools.ts';
import { listings } from '../../../../contract/listings.ts';
import { longestLink } from '../../../../contract/schemas.ts';
import { invalidRequest } from '../../../../kernel/refusal.ts';
import { naming } from '../../middleware/job-creation.ts';
import { listingBody } from '../../middleware/listing-answer.ts';
import { json, receiptHeaders } from '../../middleware/response.ts';
import type { Application } from '../../middleware/route.ts';
import { cursorsOf } from '../paging.ts';
import { ofPages, type Tool, tool } from './tool.ts';

/** A playlist or channel, as the tools for many videos take it. */
export const sourceArgument = z
  .string()
  .min(1)
  .max(longestLink)
  .meta({ description: 'channel id, @handle, playlist id or a link to one' });

/** The names under which the commands refuse a source. */
export const sourceNames = { playlist_id: 'source', channel_id: 'source' } as const;

/** The playlist or channel that a text names. Throws INVALID_REQUEST for anything else. */
export const sourceNamed = (given: string) => {
  const named = nameLink(given.trim());
  if (named !== null && named.kind !== 'video') return named;
  const code = named === null ? 'malformed' : 'video';
  const what = named === null ? 'neither a channel nor a playlist' : 'a video';
  const message = `source is ${what}: must be a channel id, an @handle, a playlist id or a link to one`;
  throw invalidRequest(message, { path: 'source', code });
};

type Source = ReturnType<typeof sourceNamed>;

type Start = NonNullable<PaidListing['next']>;

const offsetForm = z
  .int()
  .min(1)
  .max(maxVideosReached - 1);
/** The source, and where its next page starts. */
const cursors = cursorsOf('lv1_', z.tuple([z.string(), offsetForm, z.string()]));

/** Where a cursor goes on; null without one. Refuses what is no cursor, and one of another source. */
const startOf = (cursor: string | undefined, { reference }: Source): Start | null => {
  if (cursor === undefined) return null;
  const read = cursors.read(cursor.trim());
  if (read?.[0] === reference) return { offset: read[1], after: read[2] };
  const why = read === null ? 'must be the next_cursor of the previous page' : 'it belongs to another source';
  throw invalidRequest(`cursor is not valid: ${why}`, { path: 'cursor', code: 'malformed' });
};

/** The videos of a playlist or channel, as `GET /v1/playlists/{playlistId}` and its like answer them, page by page. */
export const listVideos = ({ commands }: Application<'listSource'>): Tool =>
  tool({
    ...listVideosTool,
    scope: listings.channel.read.scope,
    operation: listings.channel.read.operation,
    input: z.object({
      source: sourceArgument,
      limit: z.int().min(1).max(videosOfPage.max).default(videosOfPage.usual),
      cursor: ofPages.cursor.meta({ description: 'next_cursor of the page before' }),
    }),
    output: null,
    quote: async ({ limit }) => priceOf(listings.channel.read.operation, { quantity: limit }),
    prepare(args) {
      const source = sourceNamed(args.source);
      const begin = startOf(args.cursor, source);
      const limit = Math.min(args.limit, maxVideosReached - (begin?.offset ?? 0));
      return async (call) => {
        const { kind, reference } = source;
        const paid = await naming(sourceNames, commands.listSource(call, { kind, reference, limit, start: begin }));
        const { next } = paid;
        const isWithinReach = next !== null && next.offset < maxVideosReached;
        const next_cursor = isWithinReach ? cursors.write([reference, next.offset, next.after]) : null;
        const body = { ...listingBody(kind, paid, limit), next_cursor };
        return json(body, { headers: receiptHeaders(paid) });
      };
    },
  });
