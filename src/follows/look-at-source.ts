import { maxPlaylistVideos } from '../contract/follows.ts';
import type { Engine, ListedVideo, Listing } from '../extraction/captions/caption-track.ts';
import { Refusal } from '../kernel/refusal.ts';
import { type Source, sourceKeyOf, sourceOf } from './follow.ts';
import type { FollowStreams } from './follow-streams.ts';
import { pauseFollows } from './pause-follows.ts';
import type { KnownSource, Look, SeenUpTo, SeenVideo } from './source-store.ts';

/** What looks at sources. */
export type Looker = Pick<Engine, 'readFeed' | 'listChannel' | 'listPlaylist'>;

/** Videos of a channel that its first look reads: what is behind them was there before. */
const baselineVideos = 300;
/** Videos that a feed shows, at most. */
const feedWindow = 15;
/** Videos of a channel that are read where its feed is away, and where not one of these is known. */
const [firstPage, furtherPages] = [100, 500];

/** A playlist that is longer than what is looked at. */
export class SourceTooLargeError extends Error {
  override readonly name = 'SourceTooLargeError';
}

/** Rows that can be read now or later; others are found when they can. */
const isReadable = ({ availability }: ListedVideo): boolean =>
  availability === 'public' || availability === 'unlisted' || availability === 'unknown';

const seenVideo = ({ videoId, title }: ListedVideo, shorts: ReadonlySet<string>): SeenVideo => ({
  videoId,
  title,
  isShort: shorts.has(videoId),
});

/** The first look at a source. `videos`: the oldest first. */
export type FirstLook = {
  readonly source: Source;
  readonly title: string | null;
  readonly videos: readonly (SeenVideo & { readonly isReadable: boolean })[];
  readonly isPartial: boolean;
};

/** Reads what is there of a source that nobody follows yet. Refuses like a listing; throws `SourceTooLargeError`. */
export const firstLook = async (
  engine: Looker,
  { kind, reference }: { readonly kind: Source['kind']; readonly reference: string },
  { signal, needsKinds }: { readonly signal: AbortSignal; readonly needsKinds: boolean },
): Promise<FirstLook> => {
  if (kind === 'playlist') {
    const listing = await wholePlaylist(engine, reference, signal);
    const videos = listing.videos.map((row) => ({ ...seenVideo(row, none), isReadable: isReadable(row) }));
    return { source: { kind, id: listing.playlistId }, title: listing.title, videos, isPartial: false };
  }
  const listing = await engine.listChannel({ reference, limit: baselineVideos }, { signal });
  const id = listing.channelId ?? reference;
  const shorts = needsKinds ? await shortsOf(engine, id, signal) : none;
  const rows = listing.videos.map((row) => ({ ...seenVideo(row, shorts), isReadable: isReadable(row) }));
  const videos = rows.toReversed();
  return { source: { kind, id }, title: listing.title, videos, isPartial: listing.hasMore || listing.isTruncated };
};

const none: ReadonlySet<string> = new Set();

const wholePlaylist = async (engine: Looker, playlistId: string, signal: AbortSignal): Promise<Listing> => {
  const listing = await engine.listPlaylist({ playlistId, limit: maxPlaylistVideos }, { signal });
  if (listing.hasMore && !listing.isTruncated) throw new SourceTooLargeError(playlistId);
  return listing;
};

/** The newest shorts of a channel; a channel without any has no such list. */
const shortsOf = async (engine: Looker, channelId: string, signal: AbortSignal): Promise<ReadonlySet<string>> => {
  try {
    const wanted = { playlistId: `UUSH${channelId.slice(2)}`, limit: firstPage };
    const { videos } = await engine.listPlaylist(wanted, { signal });
    return new Set(videos.map(({ videoId }) => videoId));
  } catch (error) {
    if (error instanceof Refusal && error.code === 'PLAYLIST_NOT_FOUND') return none;
    throw error;
  }
};

/**
 * Divides rows (the newest first) into what is known, what is new, and what was there before the first look, which did not
 * read so far: it stands behind everything that is known.
 */
export const divide = <Row extends { readonly videoId: string }>(
  rows: readonly Row[],
  seen: ReadonlySet<string>,
  isPartial: boolean,
): { readonly fresh: readonly Row[]; readonly old: readonly Row[] } => {
  const lastKnown = rows.findLastIndex(({ videoId }) => seen.has(videoId));
  const isOld = (index: number): boolean => isPartial && lastKnown >= 0 && index > lastKnown;
  const unseen = rows.map((row, index) => ({ row, index })).filter(({ row }) => !seen.has(row.videoId));
  return {
    fresh: unseen.filter(({ index }) => !isOld(index)).map(({ row }) => row),
    old: unseen.filter(({ index }) => isOld(index)).map(({ row }) => row),
  };
};

type LookDeps = Pick<FollowStreams, 'sources'> & { readonly engine: Looker };

/** What a feed that is away, and a playlist, which has none, say of themselves. */
const unmarked = { title: null, etag: null, lastModified: null };

const seenAmong = (sources: LookDeps['sources'], source: string, rows: readonly { readonly videoId: string }[]) =>
  sources.seenAmong(
    source,
    rows.map(({ videoId }) => videoId),
  );

const lookAtChannel = async (
  { engine, sources }: LookDeps,
  channelId: string,
  known: KnownSource,
  signal: AbortSignal,
): Promise<Look> => {
  const source = sourceKeyOf({ kind: 'channel', id: channelId });
  const marks = { etag: known.etag, lastModified: known.lastModified };
  const feed = await engine.readFeed({ channelId, ...marks }, { signal });
  if (feed.kind === 'unchanged') return { source, title: null, ...marks, fresh: [], old: [] };
  const { title, etag, lastModified } = feed.kind === 'entries' ? feed : unmarked;
  if (feed.kind === 'entries') {
    const seen = await seenAmong(sources, source, feed.entries);
    // Without one that is known, there may be more than the feed shows.
    const hasGap = feed.entries.length >= feedWindow && seen.size === 0;
    if (!hasGap) {
      const { fresh, old } = divide(feed.entries, seen, known.isPartial);
      return { source, title, etag, lastModified, fresh: fresh.toReversed(), old };
    }
  }
  const { listing, seen } = await listedChannel({ engine, sources }, { source, channelId }, signal);
  const { fresh, old } = divide(listing.videos.filter(isReadable), seen, known.isPartial);
  const shorts = fresh.length === 0 ? none : await shortsOf(engine, channelId, signal);
  return {
    source,
    title: title ?? listing.title,
    ...{ etag, lastModified },
    fresh: fresh.map((row) => seenVideo(row, shorts)).toReversed(),
    old: old.map((row) => seenVideo(row, none)),
  };
};

/** The first pages of the list of a channel, as far as one of its videos is known. */
const listedChannel = async (
  { engine, sources }: LookDeps,
  { source, channelId }: { readonly source: string; readonly channelId: string },
  signal: AbortSignal,
): Promise<{ readonly listing: Listing; readonly seen: ReadonlySet<string> }> => {
  const read = async (limit: number) => {
    const listing = await engine.listChannel({ reference: channelId, limit }, { signal });
    return { listing, seen: await seenAmong(sources, source, listing.videos) };
  };
  const first = await read(firstPage);
  return first.seen.size > 0 || !first.listing.hasMore ? first : await read(furtherPages);
};

const lookAtPlaylist = async (
  { engine, sources }: LookDeps,
  playlistId: string,
  signal: AbortSignal,
): Promise<Look> => {
  const source = sourceKeyOf({ kind: 'playlist', id: playlistId });
  const { title, videos } = await wholePlaylist(engine, playlistId, signal);
  const { fresh } = divide(videos.filter(isReadable), await seenAmong(sources, source, videos), false);
  return { ...unmarked, source, title, fresh: fresh.map((row) => seenVideo(row, none)), old: [] };
};

export type LookAtSourceDeps = FollowStreams & {
  readonly engine: Looker;
  /** How long the platform may refuse a source before its follows pause, milliseconds. */
  readonly pauseAfterMs: number;
};

const isGone = (error: unknown): error is Refusal =>
  error instanceof Refusal && (error.code === 'CHANNEL_NOT_FOUND' || error.code === 'PLAYLIST_NOT_FOUND');

/**
 * Looks at a source for all of its follows; what is new and the task that tells them are stored together. A source that
 * the platform refuses for long, and a playlist that has grown too long, pauses its follows. Null: nobody follows it, or
 * the platform refuses it. Throws where the platform fails us.
 */
export const lookAtSource =
  (deps: LookAtSourceDeps) =>
  async (key: string, signal: AbortSignal): Promise<(SeenUpTo & { readonly found: number }) | null> => {
    const { sources } = deps;
    const known = await sources.find(key);
    if (known === null) return null;
    const { kind, id } = sourceOf(key);
    try {
      const look = kind === 'channel' ? lookAtChannel(deps, id, known, signal) : lookAtPlaylist(deps, id, signal);
      return await sources.saveLook(await look);
    } catch (error) {
      if (error instanceof SourceTooLargeError) await pauseFollows(deps)({ source: key }, 'source_too_large');
      else if (!isGone(error)) throw error;
      else if ((await sources.saveRefusal(key, error.code)) >= deps.pauseAfterMs) {
        await pauseFollows(deps)({ source: key }, 'source_gone');
      }
      return null;
    }
  };
