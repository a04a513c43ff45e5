import type { ListEntry, Owner } from './collections.ts';

type Json = Readonly<Record<string, unknown>>;

/** A length in the format of badges. */
export const lengthText = (seconds: number): string => {
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
};

const isUnavailable = (entry: ListEntry): boolean => entry.shown === 'private' || entry.shown === 'deleted';

const picture = (videoId: string): Json => ({
  sources: [{ url: `https://i.ytimg.com/vi/${videoId}/hqdefault.jpg`, width: 168, height: 94 }],
});

const overlays = (entry: ListEntry): Json[] => {
  const badge = (text: string, style: string): Json => ({
    thumbnailBadgeViewModel: {
      text,
      badgeStyle: `THUMBNAIL_OVERLAY_BADGE_STYLE_${style}`,
      animationActivationTargetId: entry.videoId,
    },
  });
  const hover = { thumbnailHoverOverlayToggleActionsViewModel: { buttons: [] } };
  if (isUnavailable(entry)) return [];
  if (entry.shown === 'upcoming')
    return [
      {
        thumbnailOverlayBadgeViewModel: {
          thumbnailBadges: [badge('Upcoming', 'DEFAULT')],
          position: 'THUMBNAIL_OVERLAY_BADGE_POSITION_BOTTOM_END',
        },
      },
      hover,
    ];
  const shown = entry.shown === 'live' ? badge('LIVE', 'LIVE') : badge(lengthText(entry.durationS), 'DEFAULT');
  return [{ thumbnailBottomOverlayViewModel: { badges: [shown] } }, hover];
};

const channelCommand = (owner: Owner): Json => ({
  innertubeCommand: {
    commandMetadata: {
      webCommandMetadata: {
        url: `/${owner.handle}`,
        webPageType: 'WEB_PAGE_TYPE_CHANNEL',
        rootVe: 3611,
        apiUrl: '/youtubei/v1/browse',
      },
    },
    browseEndpoint: { browseId: owner.channelId, canonicalBaseUrl: `/${owner.handle}` },
  },
});

/** Text that links to the channel. */
export const channelText = (owner: Owner, content: string): Json => ({
  content,
  commandRuns: [{ startIndex: 0, length: content.length, onTap: channelCommand(owner) }],
});

/** The channel name in the former shapes. */
export const channelRuns = (owner: Owner): Json => ({
  runs: [{ text: owner.channel, navigationEndpoint: channelCommand(owner)['innertubeCommand'] }],
});

/** A row since June 2026 (playlists) and May 2026 (channels, which leave the author out). */
export const lockup = (entry: ListEntry, owner: Owner | null): Json => {
  const views = {
    metadataParts: [
      { text: { content: `${(entry.durationS % 90) + 2}k views` } },
      { text: { content: '8 months ago' }, accessibilityLabel: '8 months ago' },
    ],
  };
  const members = {
    badges: [
      { badgeViewModel: { badgeText: 'Members only', badgeStyle: 'BADGE_MEMBERS_ONLY', iconName: 'SPONSORSHIP_STAR' } },
    ],
  };
  const rows = [
    ...(owner ? [{ metadataParts: [{ text: channelText(owner, owner.channel) }] }] : []),
    ...(isUnavailable(entry) ? [] : [views]),
    ...(entry.shown === 'members' ? [members] : []),
  ];
  return {
    lockupViewModel: {
      contentImage: { thumbnailViewModel: { image: picture(entry.videoId), overlays: overlays(entry) } },
      metadata: {
        lockupMetadataViewModel: {
          title: { content: entry.title },
          metadata: { contentMetadataViewModel: { metadataRows: isUnavailable(entry) ? [] : rows, delimiter: ' • ' } },
        },
      },
      contentId: entry.videoId,
      contentType: 'LOCKUP_CONTENT_TYPE_VIDEO',
      rendererContext: {
        commandContext: { onTap: { innertubeCommand: { watchEndpoint: { videoId: entry.videoId } } } },
      },
    },
  };
};

/** The title of a row in the former shape, with its accessibility label. */
const spokenTitle = (entry: ListEntry): Json => ({
  runs: [{ text: entry.title }],
  accessibility: { accessibilityData: { label: `${entry.title} 8 months ago` } },
});

/** A row of a playlist before June 2026. */
export const playlistVideo = (entry: ListEntry, owner: Owner, index: number): Json => ({
  playlistVideoRenderer: {
    videoId: entry.videoId,
    thumbnail: { thumbnails: picture(entry.videoId)['sources'] },
    title: spokenTitle(entry),
    index: { simpleText: String(index + 1) },
    ...(isUnavailable(entry)
      ? { isPlayable: false }
      : {
          shortBylineText: channelRuns(owner),
          lengthText: { simpleText: lengthText(entry.durationS) },
          navigationEndpoint: { watchEndpoint: { videoId: entry.videoId, index } },
          lengthSeconds: String(entry.durationS),
          isPlayable: true,
          videoInfo: { runs: [{ text: '12k views' }, { text: ' • ' }, { text: '8 months ago' }] },
        }),
  },
});

/** A row of a channel's tab. */
export const richItem = (content: Json): Json => ({ richItemRenderer: { content } });

/** A video in a channel's tab before May 2026. */
export const videoRenderer = (entry: ListEntry): Json => ({
  videoRenderer: {
    videoId: entry.videoId,
    thumbnail: { thumbnails: picture(entry.videoId)['sources'] },
    title: spokenTitle(entry),
    publishedTimeText: { simpleText: '8 months ago' },
    lengthText: { simpleText: lengthText(entry.durationS) },
    viewCountText: { simpleText: '12,345 views' },
    navigationEndpoint: { watchEndpoint: { videoId: entry.videoId } },
  },
});

export const shortsLockup = (entry: ListEntry, index: number): Json => ({
  shortsLockupViewModel: {
    entityId: `shorts-shelf-item-${entry.videoId}`,
    accessibilityText: `${entry.title}, 12 thousand views – play Short`,
    onTap: {
      innertubeCommand: {
        commandMetadata: {
          webCommandMetadata: { url: `/shorts/${entry.videoId}`, webPageType: 'WEB_PAGE_TYPE_SHORTS', rootVe: 37414 },
        },
        reelWatchEndpoint: { videoId: entry.videoId },
      },
    },
    indexInCollection: index,
    overlayMetadata: { primaryText: { content: entry.title }, secondaryText: { content: '12k views' } },
  },
});

/** The three shapes of a continuation at the end of a list. */
export const continuation = (token: string, shape: 'view_model' | 'renderer' | 'command_executor'): Json => {
  const command = {
    commandMetadata: { webCommandMetadata: { sendPost: true, apiUrl: '/youtubei/v1/browse' } },
    continuationCommand: { token, request: 'CONTINUATION_REQUEST_TYPE_BROWSE' },
  };
  const trigger = 'CONTINUATION_TRIGGER_ON_ITEM_SHOWN';
  if (shape === 'view_model')
    return { continuationItemViewModel: { trigger, continuationCommand: { innertubeCommand: command } } };
  if (shape === 'renderer') return { continuationItemRenderer: { trigger, continuationEndpoint: command } };
  return {
    continuationItemRenderer: {
      trigger,
      continuationEndpoint: {
        commandExecutorCommand: { commands: [{ playlistVotingRefreshPopupCommand: { command: {} } }, command] },
      },
    },
  };
};
