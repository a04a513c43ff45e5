import { videoLink } from '../extraction/links.ts';
import {
  parseChannelId,
  parseSourceLink,
  requireChannelReference,
  requirePlaylistId,
} from '../extraction/list-reference.ts';
import type { Engine, Listing } from '../extraction/types.ts';
import { parseVideoId } from '../extraction/video-id.ts';
import { invalidRequest } from '../kernel/refusal.ts';
import type { JobKind } from './job.ts';

export type ListingDeps = Pick<Engine, 'listPlaylist' | 'listChannel'> & {
  /** How long a caller waits for listings before the worker resolves them, milliseconds. */
  readonly timeoutMs: number;
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
    const video = { videoId: parseVideoId(reference), reference };
    if (!found.has(keyOf(video))) found.set(keyOf(video), video);
  }
  return [...found.values()];
};

const keyOf = ({ videoId, reference }: WantedVideo): string => videoId ?? ` ${reference}`;

/** What a job is asked to read, in the order in which it was named; a listing stands for its videos. */
type Source =
  | { readonly kind: 'video'; readonly video: WantedVideo }
  | { readonly kind: 'playlist' | 'channel'; readonly reference: string };

export type WantedListings = {
  readonly kind: JobKind;
  readonly references: readonly string[];
  /** Videos of all references together. */
  readonly limit: number;
};

/** The references of a batch are videos, but for the links of playlists and channels. */
const sourceOf = (kind: JobKind, reference: string): Source => {
  if (kind !== 'batch') return { kind, reference };
  const videoId = parseVideoId(reference);
  const link = videoId === null ? parseSourceLink(reference) : null;
  return link === null
    ? { kind: 'video', video: { videoId, reference } }
    : { kind: link, reference };
};

/** Whether a job has to list a playlist or a channel before its videos are known. */
export const hasListings = (kind: JobKind, references: readonly string[]): boolean =>
  references.some((reference) => sourceOf(kind, reference).kind !== 'video');

/**
 * Lists playlists or channels one after the other, as far as `limit` videos of all together. Null when the
 * time-out ends first. Refuses what the listing refuses: nothing is made of a playlist that is not there.
 */
export const listVideos =
  (deps: ListingDeps) =>
  async (
    wanted: WantedListings,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<FoundVideos | null> => {
    const listings = wanted.references.filter(
      (reference) => sourceOf(wanted.kind, reference).kind !== 'video',
    );
    if (listings.length > maxListingsPerJob) {
      const message = `A job names at most ${maxListingsPerJob} playlists or channels.`;
      const field = { path: 'ids', code: 'too_big' };
      throw invalidRequest(message, field, { max: maxListingsPerJob });
    }
    const timeout = AbortSignal.timeout(deps.timeoutMs);
    try {
      return await listAll(deps, wanted, AbortSignal.any([signal, timeout]));
    } catch (error) {
      if (timeout.aborted && !signal.aborted) return null;
      throw error;
    }
  };

/** The same without a time-out: for the worker. */
export const listAll = async (
  deps: Pick<ListingDeps, 'listPlaylist' | 'listChannel'>,
  { kind, references, limit }: WantedListings,
  signal: AbortSignal,
): Promise<FoundVideos> => {
  const sources = references.map((reference) => sourceOf(kind, reference));
  const named = distinctVideos(
    sources.flatMap((source) => (source.kind === 'video' ? [source.video.reference] : [])),
  );
  const videos = new Map<string, WantedVideo>();
  let listed: ListedSource | null = null;
  // Videos that are named one by one are never left out for those of a listing.
  let left = limit - named.length;
  for (const source of sources) {
    if (source.kind === 'video') {
      videos.set(keyOf(source.video), videos.get(keyOf(source.video)) ?? source.video);
      continue;
    }
    if (left <= 0) continue;
    const { reference } = source;
    const listing =
      source.kind === 'playlist'
        ? await deps.listPlaylist(
            { playlistId: requirePlaylistId(reference), limit: left },
            { signal },
          )
        : await deps.listChannel({ reference, limit: left }, { signal });
    for (const { videoId } of listing.videos.slice(0, left)) {
      if (videos.has(videoId)) continue;
      videos.set(videoId, { videoId, reference: videoLink(videoId) });
      left -= 1;
    }
    const id = source.kind === 'channel' ? (listing.channelId ?? reference) : listing.playlistId;
    listed = references.length === 1 ? { id, listing } : null;
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
