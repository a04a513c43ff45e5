import type { Channel, ListEntry, PublishedEntry } from './collections.ts';
import { type Place, tokenOf } from './continuations.ts';
import { continuation, lockup, richItem, shortsLockup, videoRenderer } from './list-rows.ts';

type Json = Readonly<Record<string, unknown>>;

/** The tabs that list videos, with the `params` that ask for them. */
const tabs = [
  { name: 'videos', title: 'Videos', params: 'EgZ2aWRlb3PyBgQKAjoA', pageSize: 30, page: 'videos' },
  { name: 'shorts', title: 'Shorts', params: 'EgZzaG9ydHPyBgUKA5oBAA%3D%3D', pageSize: 48, page: 'shorts' },
  { name: 'live', title: 'Live', params: 'EgdzdHJlYW1z8gYECgJ6AA%3D%3D', pageSize: 30, page: 'streams' },
] as const;

type Tab = (typeof tabs)[number];

/** The tab that `params` ask for; the home tab has none. */
export const tabOf = (params: string | null): Tab | undefined =>
  tabs.find((tab) => tab.params === params || decodeURIComponent(tab.params) === params);

const entriesOf = (channel: Channel, tab: Tab): readonly ListEntry[] => {
  const publishedAs = (as: PublishedEntry['as']) => channel.published.filter((one) => one.as === as);
  if (tab.name === 'videos') return [...publishedAs('video'), ...channel.videos];
  if (tab.name === 'shorts') return [...publishedAs('short'), ...channel.shorts];
  return [...publishedAs('stream'), ...channel.lives];
};

const rowOf = (channel: Channel, tab: Tab, entry: ListEntry, index: number): Json => {
  if (tab.name === 'shorts') return richItem(shortsLockup(entry, index));
  return richItem(channel.shape === 'old' ? videoRenderer(entry) : lockup(entry, null));
};

const itemsAt = (channel: Channel, tab: Tab, from: number): Json[] => {
  const entries = entriesOf(channel, tab);
  const rows = entries.slice(from, from + tab.pageSize).map((entry, index) => rowOf(channel, tab, entry, from + index));
  const next = from + rows.length;
  if (next >= entries.length) return rows;
  const place: Place = { browseId: channel.owner.channelId, tab: tab.name, from: next, withUnavailable: false };
  return [...rows, continuation(tokenOf(place), 'renderer')];
};

const tabRenderer = (channel: Channel, title: string, params: string, page: string): Json => ({
  endpoint: {
    commandMetadata: {
      webCommandMetadata: {
        url: `/${channel.owner.handle}/${page}`,
        webPageType: 'WEB_PAGE_TYPE_CHANNEL',
        rootVe: 3611,
        apiUrl: '/youtubei/v1/browse',
      },
    },
    browseEndpoint: { browseId: channel.owner.channelId, params, canonicalBaseUrl: `/${channel.owner.handle}` },
  },
  title,
});

const metadata = ({ owner }: Channel): Json => ({
  channelMetadataRenderer: {
    title: owner.channel,
    description: `${owner.channel} on the simulated platform.`,
    rssUrl: `https://www.youtube.com/feeds/videos.xml?channel_id=${owner.channelId}`,
    externalId: owner.channelId,
    ownerUrls: [`http://www.youtube.com/${owner.handle}`],
    channelUrl: `https://www.youtube.com/channel/${owner.channelId}`,
    isFamilySafe: true,
    vanityChannelUrl: `http://www.youtube.com/${owner.handle}`,
  },
});

const header = ({ owner, videos, shorts, lives }: Channel): Json => {
  const count = videos.length + shorts.length + lives.length;
  const rows = [
    { metadataParts: [{ text: { content: owner.handle }, enableTruncation: true }] },
    {
      metadataParts: [
        { text: { content: '8.98k subscribers' } },
        { text: { content: `${count.toLocaleString('en-US')} videos` } },
      ],
    },
  ];
  return {
    pageHeaderRenderer: {
      pageTitle: owner.channel,
      content: {
        pageHeaderViewModel: {
          title: { dynamicTextViewModel: { text: { content: owner.channel }, maxLines: 2 } },
          metadata: { contentMetadataViewModel: { metadataRows: rows, delimiter: '•' } },
        },
      },
    },
  };
};

const ageGate = ({ owner }: Channel): Json => ({
  contents: {
    twoColumnBrowseResultsRenderer: {
      tabs: [
        {
          tabRenderer: {
            selected: true,
            content: {
              sectionListRenderer: {
                contents: [
                  {
                    channelAgeGateRenderer: {
                      channelTitle: owner.channel,
                      header: { runs: [{ text: 'Sign in to view this channel' }] },
                      mainText: {
                        runs: [{ text: 'This channel contains content that may be inappropriate for some users.' }],
                      },
                    },
                  },
                ],
              },
            },
          },
        },
      ],
    },
  },
});

/** The answer to `browse {"browseId": "UC…", "params"}`. */
export const channelPage = (channel: Channel, params: string | null): Json => {
  if (channel.isAgeGated) return ageGate(channel);
  const asked = tabOf(params);
  const shown = tabs.filter((tab) => entriesOf(channel, tab).length > 0 || tab === asked);
  return {
    contents: {
      twoColumnBrowseResultsRenderer: {
        tabs: [
          {
            tabRenderer: {
              ...tabRenderer(channel, 'Home', 'EghmZWF0dXJlZPIGBAoCMgA%3D', 'featured'),
              ...(asked ? {} : { selected: true, content: { sectionListRenderer: { contents: [] } } }),
            },
          },
          ...shown.map((tab) => ({
            tabRenderer: {
              ...tabRenderer(channel, tab.title, tab.params, tab.page),
              ...(tab === asked
                ? { selected: true, content: { richGridRenderer: { contents: itemsAt(channel, tab, 0) } } }
                : {}),
            },
          })),
          { expandableTabRenderer: { ...tabRenderer(channel, 'Search', '', 'search'), selected: false } },
        ],
      },
    },
    header: header(channel),
    metadata: metadata(channel),
  };
};

/** The answer to a continuation of one of its tabs. */
export const channelContinuation = (channel: Channel, place: Place): Json => {
  const tab = tabs.find(({ name }) => name === place.tab);
  if (!tab) return {};
  const continuationItems = itemsAt(channel, tab, place.from);
  return { onResponseReceivedActions: [{ appendContinuationItemsAction: { continuationItems } }] };
};

const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** `feeds/videos.xml`: the 15 newest uploads. */
export const feedOf = ({ owner, published, videos }: Channel): string => {
  const older = videos.map((video, index) => ({
    ...video,
    as: 'video' as const,
    at: `2026-0${(index % 9) + 1}-01T09:00:00+00:00`,
  }));
  const entries = [...published, ...older].slice(0, 15).map(
    (video) => ` <entry>
  <id>yt:video:${video.videoId}</id>
  <yt:videoId>${video.videoId}</yt:videoId>
  <yt:channelId>${owner.channelId}</yt:channelId>
  <title>${xml(video.title)}</title>
  <link rel="alternate" href="https://www.youtube.com/${video.as === 'short' ? 'shorts/' : 'watch?v='}${video.videoId}"/>
  <author>
   <name>${xml(owner.channel)}</name>
   <uri>https://www.youtube.com/channel/${owner.channelId}</uri>
  </author>
  <published>${video.at}</published>
  <updated>${video.at}</updated>
 </entry>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns:media="http://search.yahoo.com/mrss/" xmlns="http://www.w3.org/2005/Atom">
 <link rel="self" href="http://www.youtube.com/feeds/videos.xml?channel_id=${owner.channelId}"/>
 <id>yt:channel:${owner.channelId.slice(2)}</id>
 <yt:channelId>${owner.channelId.slice(2)}</yt:channelId>
 <title>${xml(owner.channel)}</title>
 <link rel="alternate" href="https://www.youtube.com/channel/${owner.channelId}"/>
${entries.join('\n')}
</feed>
`;
};
