import type { Channel, ListEntry, Playlist, PublishedEntry } from './collections.ts';
import { generatedLines } from './generated-videos.ts';
import type { SampleVideo } from './samples.ts';

/** A video that appears in a channel, or at the end of a playlist. */
export type Publication = {
  /** The channel or the playlist that it appears in. */
  readonly listId: string;
  /** Absent: a new one. */
  readonly videoId?: string;
  readonly title?: string;
  readonly as?: 'video' | 'short' | 'stream';
  /** `upcoming`, `live`: it can be read once its state is changed to `ok`. */
  readonly state?: 'ok' | 'upcoming' | 'live';
  readonly hasCaptions?: boolean;
};

/** What a publication changes. */
type Platform = {
  readonly channels: Map<string, Channel>;
  readonly playlists: Map<string, Playlist>;
  readonly videos: Map<string, SampleVideo>;
  readonly nowIso: () => string;
};

/** Publishes a video; undefined: there is no such list. */
export const publishTo = (platform: Platform) => {
  let count = 0;
  return (wanted: Publication): SampleVideo | undefined => {
    const { channels, playlists, videos, nowIso } = platform;
    const channel = channels.get(wanted.listId);
    const playlist = playlists.get(wanted.listId);
    const owner = channel?.owner ?? playlist?.owner;
    if (owner === undefined) return undefined;
    count += 1;
    const { title = `Harbour news, number ${count}`, hasCaptions = true, state = 'ok', as = 'video' } = wanted;
    const videoId = wanted.videoId ?? `new-${String(count).padStart(7, '0')}`;
    const known = videos.get(videoId);
    const video: SampleVideo = known ?? {
      ...{ videoId, title, state, channel: owner.channel, channelId: owner.channelId },
      about: 'published while the simulator runs',
      durationS: as === 'short' ? 40 : 75,
      description: `Published as number ${count}.`,
      category: 'News & Politics',
      publishDate: nowIso(),
      keywords: ['harbour'],
      tracks: hasCaptions ? [{ language: 'en', name: 'English', kind: 'manual', lines: generatedLines(8, count) }] : [],
    };
    videos.set(videoId, video);
    const entry: ListEntry = { videoId, title: video.title, durationS: video.durationS, shown: 'yes' };
    const published: PublishedEntry = { ...entry, as, at: nowIso() };
    if (channel !== undefined)
      channels.set(wanted.listId, { ...channel, published: [published, ...channel.published] });
    if (playlist !== undefined) playlists.set(wanted.listId, { ...playlist, entries: [...playlist.entries, entry] });
    return video;
  };
};

/** Takes a video out of a channel or a playlist. */
export const removeFrom =
  ({ channels, playlists }: Pick<Platform, 'channels' | 'playlists'>) =>
  (listId: string, videoId: string): void => {
    const without = <Entry extends ListEntry>(entries: readonly Entry[]) =>
      entries.filter((entry) => entry.videoId !== videoId);
    const channel = channels.get(listId);
    if (channel !== undefined) {
      const { published, videos, shorts, lives } = channel;
      const left = {
        published: without(published),
        videos: without(videos),
        shorts: without(shorts),
        lives: without(lives),
      };
      channels.set(listId, { ...channel, ...left });
    }
    const playlist = playlists.get(listId);
    if (playlist !== undefined) playlists.set(listId, { ...playlist, entries: without(playlist.entries) });
  };
