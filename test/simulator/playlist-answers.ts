import type { ListEntry, Playlist } from './collections.ts';
import { type Place, tokenOf } from './continuations.ts';
import { channelRuns, channelText, continuation, lockup, playlistVideo } from './list-rows.ts';

type Json = Readonly<Record<string, unknown>>;

/** Pages hold 99 to 102 rows, never simply 100. */
const pageSizes = [100, 102, 99, 101];

const countText = (count: number): string =>
  count === 0 ? 'No videos' : `${count.toLocaleString('en-US')} ${count === 1 ? 'video' : 'videos'}`;

const countRuns = (count: number): Json => ({
  runs: [{ text: count.toLocaleString('en-US') }, { text: count === 1 ? ' video' : ' videos' }],
});

const pageHeader = ({ title, owner, entries }: Playlist): Json => {
  const by = `by ${owner.channel}`;
  const rows = [
    { metadataParts: [{ avatarStack: { avatarStackViewModel: { text: channelText(owner, by) } } }] },
    {
      metadataParts: [
        { text: { content: 'Playlist' } },
        { text: { content: countText(entries.length) } },
        { text: { content: '1,234 views' } },
      ],
    },
  ];
  return {
    pageHeaderRenderer: {
      pageTitle: title,
      content: {
        pageHeaderViewModel: {
          title: { dynamicTextViewModel: { text: { content: title } } },
          metadata: { contentMetadataViewModel: { metadataRows: rows, delimiter: '•' } },
        },
      },
    },
  };
};

const uploadsHeader = ({ playlistId, title, owner, entries }: Playlist): Json => ({
  playlistHeaderRenderer: {
    playlistId,
    title: { simpleText: title },
    numVideosText: countRuns(entries.length),
    ownerText: channelRuns(owner),
    ownerEndpoint: { browseEndpoint: { browseId: owner.channelId } },
    stats: [countRuns(entries.length), { simpleText: '38 views' }],
    briefStats: [countRuns(entries.length)],
  },
});

const sidebar = ({ title, owner, entries }: Playlist): Json => ({
  playlistSidebarRenderer: {
    items: [
      {
        playlistSidebarPrimaryInfoRenderer: {
          title: { runs: [{ text: title }] },
          stats: [countRuns(entries.length), { simpleText: '1,234 views' }],
        },
      },
      { playlistSidebarSecondaryInfoRenderer: { videoOwner: { videoOwnerRenderer: { title: channelRuns(owner) } } } },
    ],
  },
});

const microformat = ({ playlistId, title }: Playlist): Json => ({
  microformatDataRenderer: {
    urlCanonical: `http://www.youtube.com/playlist?list=${playlistId}`,
    title,
    description: `${title}, a playlist.`,
    siteName: 'YouTube',
    noindex: false,
    unlisted: false,
  },
});

const unavailableAlert = (list: Playlist, withUnavailable: boolean): Json => {
  const gone = list.entries.filter((entry) =>
    withUnavailable ? entry.shown === 'hidden' : ['hidden', 'private', 'deleted'].includes(entry.shown),
  ).length;
  if (gone === 0) return {};
  const simpleText = withUnavailable
    ? 'Unavailable videos will be hidden during playback'
    : `${gone} unavailable ${gone === 1 ? 'video is' : 'videos are'} hidden`;
  return { alerts: [{ alertWithButtonRenderer: { type: 'INFO', text: { simpleText } } }] };
};

/** The rows of one page and the token of the next. */
const pageAt = (list: Playlist, place: Place): { rows: Json[]; next: string | null } => {
  const visible = list.entries.filter(
    ({ shown }) => shown !== 'hidden' && (place.withUnavailable || (shown !== 'private' && shown !== 'deleted')),
  );
  let size = pageSizes[0] ?? 100;
  for (let index = 0, start = 0; start < place.from; index += 1) {
    start += pageSizes[index % pageSizes.length] ?? 100;
    size = pageSizes[(index + 1) % pageSizes.length] ?? 100;
  }
  const row = (entry: ListEntry, index: number): Json =>
    list.shape === 'new' ? lockup(entry, list.owner) : playlistVideo(entry, list.owner, place.from + index);
  const rows = visible.slice(place.from, place.from + size).map(row);
  const from = place.from + rows.length;
  if (list.quirk === 'loop' && place.from > 0) return { rows, next: tokenOf(place) };
  const goesOn = from < visible.length || (list.quirk === 'useless_last' && rows.length > 0);
  return { rows, next: goesOn ? tokenOf({ ...place, from }) : null };
};

const pageItems = (list: Playlist, place: Place): Json[] => {
  const { rows, next } = pageAt(list, place);
  const shape = list.shape === 'new' ? 'view_model' : 'command_executor';
  return next === null ? rows : [...rows, continuation(next, shape)];
};

const nothingHere = { messageRenderer: { text: { simpleText: 'No videos in this playlist yet' } } };

/** The answer to `browse {"browseId": "VL…"}`: header and first page together. */
export const playlistPage = (list: Playlist, withUnavailable: boolean): Json => {
  const browseId = `VL${list.playlistId}`;
  const items = pageItems(list, { browseId, tab: null, from: 0, withUnavailable });
  const contents =
    list.shape === 'new' || items.length === 0
      ? items.length === 0
        ? [nothingHere]
        : items
      : [
          {
            playlistVideoListRenderer: {
              contents: items,
              playlistId: list.playlistId,
              isEditable: false,
              canReorder: false,
              targetId: list.playlistId,
            },
          },
        ];
  return {
    contents: {
      twoColumnBrowseResultsRenderer: {
        tabs: [
          {
            tabRenderer: {
              selected: true,
              content: {
                sectionListRenderer: { contents: [{ itemSectionRenderer: { contents } }], targetId: browseId },
              },
            },
          },
        ],
      },
    },
    ...unavailableAlert(list, withUnavailable),
    header: list.header === 'page' ? pageHeader(list) : uploadsHeader(list),
    metadata: { playlistMetadataRenderer: { title: list.title } },
    microformat: microformat(list),
    sidebar: sidebar(list),
  };
};

/** The answer to a continuation of a playlist, from its first page on. */
export const playlistContinuation = (list: Playlist, place: Place): Json => {
  const rest = {
    contents: { twoColumnBrowseResultsRenderer: { tabs: [{ tabRenderer: { selected: true } }] } },
    ...(place.from === 0 ? unavailableAlert(list, place.withUnavailable) : {}),
    metadata: { playlistMetadataRenderer: { title: list.title } },
    microformat: microformat(list),
    sidebar: sidebar(list),
  };
  const items = pageItems(list, place);
  const isLost = list.quirk === 'truncated' && place.from > 0;
  if (isLost || (items.length === 0 && place.from > 0)) return rest;
  return {
    ...rest,
    onResponseReceivedActions: [
      {
        appendContinuationItemsAction: {
          continuationItems: items.length === 0 ? [nothingHere] : items,
          targetId: list.playlistId,
        },
      },
    ],
  };
};
