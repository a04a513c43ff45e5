import type { Engine, Listing } from '../extraction/extraction.ts';
import { videoLink } from '../extraction/links.ts';
import {
  parseChannelId,
  requireChannelReference,
  requirePlaylistId,
} from '../extraction/list-reference.ts';
import { parseVideoId } from '../extraction/video-id.ts';
import { invalidRequest } from '../kernel/refusal.ts';

export type ListingDeps = Pick<Engine, 'listPlaylist' | 'listChannel'> & {
  /** How long a caller waits for listings before the job goes on without them, milliseconds. */
  readonly patienceMs: number;
};

/** A video that a job is to read, before it has an id as an item. */
export type WantedVideo = { readonly videoId: string | null; readonly reference: string };

/** The one playlist or channel that was listed; `id` as the platform calls it. */
export type ListedSource = { readonly id: string; readonly listing: Listing };

export type FoundVideos = {
  readonly items: readonly WantedVideo[];
  readonly listed: ListedSource | null;
};

/** Playlists or channels that one job names at most: each costs several requests. */
export const maxListingsPerJob = 20;

/** The distinct videos, first mention kept. What is no video is kept as it was sent, and fails as an item. */
export const distinctVideos = (references: readonly string[]): readonly WantedVideo[] => {
  const found = new Map<string, WantedVideo>();
  for (const reference of references) {
    const videoId = parseVideoId(reference);
    const key = videoId ?? ` ${reference}`;
    if (!found.has(key)) found.set(key, { videoId, reference });
  }
  return [...found.values()];
};

/**
 * Lists playlists or channels one after the other, as far as `limit` videos of all together. Null when the
 * caller's patience ends first. Refuses what the listing refuses: nothing is made of a playlist that is not there.
 */
export const listVideos =
  (deps: ListingDeps) =>
  async (
    wanted: {
      readonly kind: 'playlist' | 'channel';
      readonly references: readonly string[];
      readonly limit: number;
    },
    { signal }: { readonly signal: AbortSignal },
  ): Promise<FoundVideos | null> => {
    if (wanted.references.length > maxListingsPerJob) {
      const message = `A job names at most ${maxListingsPerJob} playlists or channels.`;
      const field = { path: 'ids', code: 'too_big' };
      throw invalidRequest(message, field, { max: maxListingsPerJob });
    }
    const patience = AbortSignal.timeout(deps.patienceMs);
    try {
      return await listAll(deps, wanted, AbortSignal.any([signal, patience]));
    } catch (error) {
      if (patience.aborted && !signal.aborted) return null;
      throw error;
    }
  };

/** The same without patience: for the worker. */
export const listAll = async (
  deps: Pick<ListingDeps, 'listPlaylist' | 'listChannel'>,
  wanted: {
    readonly kind: 'playlist' | 'channel';
    readonly references: readonly string[];
    readonly limit: number;
  },
  signal: AbortSignal,
): Promise<FoundVideos> => {
  const videos = new Map<string, WantedVideo>();
  let listed: ListedSource | null = null;
  for (const reference of wanted.references) {
    const limit = wanted.limit - videos.size;
    if (limit <= 0) break;
    const listing =
      wanted.kind === 'playlist'
        ? await deps.listPlaylist({ playlistId: requirePlaylistId(reference), limit }, { signal })
        : await deps.listChannel({ reference, limit }, { signal });
    for (const { videoId } of listing.videos.slice(0, limit)) {
      if (!videos.has(videoId)) videos.set(videoId, { videoId, reference: videoLink(videoId) });
    }
    const id = wanted.kind === 'channel' ? (listing.channelId ?? reference) : listing.playlistId;
    listed = wanted.references.length === 1 ? { id, listing } : null;
  }
  return { items: [...videos.values()], listed };
};

/** What a playlist or a channel is called before it is listed: its id, or of a channel the address it was named by. */
export const nameOfSource = (kind: 'playlist' | 'channel', reference: string): string =>
  kind === 'playlist' ? requirePlaylistId(reference) : (parseChannelId(reference) ?? reference);

/** Each playlist or channel once, as it was first named. Refuses what is none. */
export const distinctSources = (
  kind: 'playlist' | 'channel',
  references: readonly string[],
): readonly string[] => {
  const named = new Map<string, string>();
  for (const reference of references) {
    requireReference(kind, reference);
    const name = nameOfSource(kind, reference);
    if (!named.has(name)) named.set(name, reference);
  }
  return [...named.values()];
};

const requireReference = (kind: 'playlist' | 'channel', reference: string): void => {
  if (kind === 'playlist') requirePlaylistId(reference);
  else requireChannelReference(reference);
};
