import { maxListingsPerJob } from '../contract/jobs.ts';
import type { Engine, Listing, ListOptions } from '../extraction/captions/caption-track.ts';
import {
  parseChannelId,
  parseSourceLink,
  requireChannelReference,
  requirePlaylistId,
} from '../extraction/lists/list-reference.ts';
import { videoLink } from '../extraction/platform-links.ts';
import { AllowanceSpentError } from '../extraction/platform-requests.ts';
import { parseVideoId } from '../extraction/video-id.ts';
import { type Call, callerOf } from '../kernel/call.ts';
import { invalidRequest, Refusal } from '../kernel/refusal.ts';
import type { QueuedItem } from './item-group.ts';
import type { JobKind, PendingListing } from './job.ts';

/** What lists playlists and channels. */
export type Lister = Pick<Engine, 'listPlaylist' | 'listChannel'>;

export type ListingDeps = Lister & {
  /** Counts a call that lists, before it asks the platform. Throws RATE_LIMITED above the limit of its caller. */
  readonly admit: (caller: string) => Promise<void>;
  /** Timeout of listings in the request, milliseconds; then the worker resolves them. */
  readonly timeoutMs: number;
};

/** A video of a job, before it has an item id. */
export type WantedVideo = Omit<QueuedItem, 'itemId'>;

/** The single playlist or channel of a job; `id` is that of the platform. */
export type ListedSource = { readonly id: string; readonly listing: Listing };

export type FoundVideos = { readonly items: readonly WantedVideo[]; readonly listed: ListedSource | null };

/** The distinct videos in order of first mention. An invalid reference stays as it was sent and fails as an item. */
export const distinctVideos = (references: readonly string[]): readonly WantedVideo[] => {
  const found = new Map<string, WantedVideo>();
  for (const reference of references) {
    const video = { videoId: parseVideoId(reference), reference };
    if (!found.has(keyOf(video))) found.set(keyOf(video), video);
  }
  return [...found.values()];
};

const keyOf = ({ videoId, reference }: WantedVideo): string => videoId ?? ` ${reference}`;

/** The references of a job in order; a listing stands for its videos. */
type Source =
  | { readonly kind: 'video'; readonly video: WantedVideo }
  | { readonly kind: 'playlist' | 'channel'; readonly reference: string };

export type WantedListings = PendingListing & { readonly kind: JobKind };

/** A playlist or channel that the platform refuses to list. */
export type RefusedSource = { readonly reference: string; readonly refusal: Refusal };

/** A list names many: the message says which of them is refused. */
const refuseNamed = ({ reference, refusal }: RefusedSource): never => {
  const { code, message, details, retryAfterS } = refusal;
  throw new Refusal(code, `${reference}: ${message}`, details, retryAfterS);
};

/** References of a batch are videos, except links of playlists and channels. */
const sourceOf = (kind: JobKind, reference: string): Source => {
  if (kind !== 'batch') return { kind, reference };
  const videoId = parseVideoId(reference);
  const link = videoId === null ? parseSourceLink(reference) : null;
  return link === null ? { kind: 'video', video: { videoId, reference } } : { kind: link, reference };
};

/** Whether a reference of a job is a playlist or a channel, which has to be listed before its videos are known. */
export const isListing = (kind: JobKind, reference: string): boolean => sourceOf(kind, reference).kind !== 'video';

/** Whose call lists, and how many requests to the platform it may make; `requests` unset: as many as it takes. */
export type ListingCall = ListOptions & Pick<Call, 'accountId' | 'network'>;

/**
 * Lists playlists or channels one after the other, up to `limit` videos in total. Null after the timeout, and where more
 * requests would be needed. Throws RATE_LIMITED, and the refusal of a listing, so that no job is made of a missing playlist, unless `onRefused` takes it.
 */
export const listVideos =
  (deps: ListingDeps) =>
  async (
    wanted: WantedListings,
    call: ListingCall,
    onRefused?: (refused: RefusedSource) => void,
  ): Promise<FoundVideos | null> => {
    const listings = wanted.references.filter((reference) => isListing(wanted.kind, reference));
    if (listings.length > maxListingsPerJob) {
      const message = `A job may have at most ${maxListingsPerJob} playlists or channels.`;
      throw invalidRequest(message, { path: 'ids', code: 'too_big' }, { max: maxListingsPerJob });
    }
    if (listings.length > 0) await deps.admit(callerOf(call));
    const { signal, requests } = call;
    const timeout = AbortSignal.timeout(deps.timeoutMs);
    const options = { signal: AbortSignal.any([signal, timeout]), requests };
    try {
      return await listAll(deps, wanted, options, onRefused);
    } catch (error) {
      const isTimeUp = timeout.aborted && !signal.aborted;
      if (isTimeUp || error instanceof AllowanceSpentError) return null;
      throw error;
    }
  };

/** Without a timeout, for the worker. */
export const listAll = async (
  deps: Lister,
  { kind, references, limit }: WantedListings,
  options: ListOptions,
  onRefused?: (refused: RefusedSource) => void,
): Promise<FoundVideos> => {
  const sources = references.map((reference) => sourceOf(kind, reference));
  const named = distinctVideos(sources.flatMap((source) => (source.kind === 'video' ? [source.video.reference] : [])));
  const videos = new Map<string, WantedVideo>();
  let listed: ListedSource | null = null;
  // Videos that are named one by one have priority over those of listings.
  let left = limit - named.length;
  for (const source of sources) {
    if (source.kind === 'video') {
      videos.set(keyOf(source.video), videos.get(keyOf(source.video)) ?? source.video);
      continue;
    }
    if (left <= 0) continue;
    const { reference } = source;
    const listing = await listOf(deps, source, left, options).catch((error: unknown) => {
      if (!(error instanceof Refusal) || options.signal.aborted || kind !== 'batch') throw error;
      (onRefused ?? refuseNamed)({ reference, refusal: error });
      return null;
    });
    if (listing === null) continue;
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

/** Lists one playlist or channel. */
export const listOf = async (
  deps: Lister,
  { kind, reference }: Exclude<Source, { kind: 'video' }>,
  limit: number,
  options: ListOptions,
): Promise<Listing> =>
  kind === 'playlist'
    ? await deps.listPlaylist({ playlistId: requirePlaylistId(reference), limit }, options)
    : await deps.listChannel({ reference, limit }, options);

/** The name of a playlist or a channel before it is listed: its id, or the address of a channel. */
export const nameOfSource = (kind: 'playlist' | 'channel', reference: string): string =>
  kind === 'playlist' ? requirePlaylistId(reference) : (parseChannelId(reference) ?? reference);

/** The distinct playlists or channels in order of first mention. Throws INVALID_REQUEST for any other reference. */
export const distinctSources = (kind: 'playlist' | 'channel', references: readonly string[]): readonly string[] => {
  const named = new Map<string, string>();
  for (const reference of references) {
    requireReference(kind, reference);
    const name = nameOfSource(kind, reference);
    if (!named.has(name)) named.set(name, reference);
  }
  return [...named.values()];
};

/** Throws INVALID_REQUEST for a reference that is none of this kind. */
export const requireReference = (kind: 'playlist' | 'channel', reference: string): void => {
  if (kind === 'playlist') requirePlaylistId(reference);
  else requireChannelReference(reference);
};
