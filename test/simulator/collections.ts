import { type GeneratedKind, generatedId } from './generated-videos.ts';
import { samples } from './samples.ts';

/** One entry of a list. */
export type ListEntry = {
  readonly videoId: string;
  readonly title: string;
  readonly durationS: number;
  /** `hidden` is counted in the header and never shown; `private` and `deleted` are shown when asked for. */
  readonly shown: 'yes' | 'private' | 'deleted' | 'members' | 'live' | 'upcoming' | 'hidden';
};

export type Owner = { readonly channel: string; readonly channelId: string; readonly handle: string };

export type Playlist = {
  readonly playlistId: string;
  readonly title: string;
  readonly owner: Owner;
  /** Shapes before June 2026 (`old`) or since. */
  readonly shape: 'new' | 'old';
  /** `page`: the header of a playlist; `uploads`: that of a channel's uploads. */
  readonly header: 'page' | 'uploads';
  readonly entries: readonly ListEntry[];
  /** `loop`: page 2 names itself as the next. `truncated`: page 2 never has rows. `useless_last`: one token too many. */
  readonly quirk?: 'loop' | 'truncated' | 'useless_last';
};

/** What was published while the simulator runs. */
export type PublishedEntry = ListEntry & { readonly as: 'video' | 'short' | 'stream'; readonly at: string };

export type Channel = {
  readonly owner: Owner;
  /** The newest first. */
  readonly published: readonly PublishedEntry[];
  /** Other addresses that lead here: `c/…`, `user/…`, a bare name. */
  readonly addresses: readonly string[];
  readonly videos: readonly ListEntry[];
  readonly shorts: readonly ListEntry[];
  readonly lives: readonly ListEntry[];
  readonly shape: 'new' | 'old';
  readonly isAgeGated: boolean;
};

const named = (name: string): string => `PL${name}`.padEnd(34, '0');

/** The playlists, by what they show. */
export const lists = {
  /** Five videos, all with captions. */
  small: named('small'),
  /** Private, deleted, captionless, members-only, live and hidden ones among captioned ones. */
  mixed: named('mixed'),
  /** 250 captioned videos: three pages. */
  threePages: named('threePages'),
  /** 1,000 captioned videos, pages of 99 to 102. */
  thousand: named('thousand'),
  /** 1,203 captioned videos: more than a job takes. */
  overThousand: named('overThousand'),
  /** The header says 5,000; every 250th is hidden. */
  huge: named('huge'),
  empty: named('empty'),
  /** 120 videos in the shapes before June 2026. */
  oldShape: named('oldShape'),
  loop: named('loop'),
  truncated: named('truncated'),
  uselessLast: named('uselessLast'),
  /** 200 with an ERROR alert. */
  unviewable: named('unviewable'),
  private: named('private'),
  unknownError: named('unknownError'),
} as const;

/** The channels, by what they show; each has a handle `@…` of the same name. */
export const channels = {
  /** 45 videos, 60 shorts, 3 streams; also /c/harbournotes, /user/harbournotes, /harbournotes. */
  harbour: 'UCharbournotes0000000001',
  /** Three videos. */
  market: 'UCmarketdays000000000001',
  /** 1,250 videos. */
  big: 'UCbigharbour000000000001',
  /** Its tabs show a gate; its uploads playlists list 130 videos. */
  ageGated: 'UCafterdark0000000000001',
  /** No video at all. */
  empty: 'UCsilence000000000000001',
  /** Tabs in the shapes before May 2026. */
  oldShape: 'UColdshapes0000000000001',
  terminated: 'UCterminated000000000001',
  removed: 'UCremoved000000000000001',
} as const;

const harbour: Owner = { channel: 'Harbour Notes', channelId: channels.harbour, handle: '@harbournotes' };
const market: Owner = { channel: 'Market Days', channelId: channels.market, handle: '@marketdays' };

const entry = (videoId: string, title: string, durationS: number, shown: ListEntry['shown'] = 'yes'): ListEntry => ({
  videoId,
  title,
  durationS,
  shown,
});

const generated = (
  count: number,
  first = 1,
  kind: GeneratedKind = 'vid',
  shown: ListEntry['shown'] = 'yes',
): ListEntry[] =>
  Array.from({ length: count }, (_, index) => {
    const n = first + index;
    return entry(generatedId(kind, n), `Harbour notes, part ${n}`, 60 + (n % 90), shown);
  });

const small = [
  entry(samples.prose, 'How a lighthouse speaks', 160),
  entry(samples.regional, 'The colour of tea', 40),
  entry(samples.manyLanguages, 'What do you sell when it rains?', 48),
  entry(samples.onlyAutomatic, 'We turned back at the fourth post', 45),
  entry(samples.lyrics, 'Row me home (live in the boat house)', 52),
];

const mixed = [
  entry(samples.prose, 'How a lighthouse speaks', 160),
  entry(samples.private, '[Private video]', 0, 'private'),
  entry(samples.deleted, '[Deleted video]', 0, 'deleted'),
  entry(samples.noCaptions, 'Waves, without words', 600),
  entry(samples.membersOnly, 'Only for the crew', 120, 'members'),
  entry(samples.live, 'Harbour camera, live', 0, 'live'),
  entry(samples.upcoming, 'Launch of the new ferry', 0, 'upcoming'),
  entry('hid-0000001', 'nobody sees this', 60, 'hidden'),
  entry('hid-0000002', 'nor this', 60, 'hidden'),
  entry(samples.regional, 'The colour of tea', 40),
];

const hugeEntries = (): ListEntry[] =>
  generated(5_000).map((one, index) => (index % 250 === 249 ? { ...one, shown: 'hidden' } : one));

const playlist = (
  playlistId: string,
  title: string,
  entries: readonly ListEntry[],
  rest: Partial<Playlist> = {},
): Playlist => ({ playlistId, title, owner: harbour, shape: 'new', header: 'page', entries, ...rest });

/** Every playlist by id. Made once for each simulator: the long ones are some thousand small objects. */
export const makePlaylists = (): Map<string, Playlist> => {
  const all = [
    playlist(lists.small, 'Five for the evening', small),
    playlist(lists.mixed, 'Some of these are gone', mixed),
    playlist(lists.threePages, 'Harbour notes, first season', generated(250)),
    playlist(lists.thousand, 'Harbour notes, all seasons', generated(1_000, 1_001)),
    playlist(lists.overThousand, 'Harbour notes and encores', generated(1_203, 2_001)),
    playlist(lists.huge, 'Everything, really', hugeEntries()),
    playlist(lists.empty, 'To be filled', []),
    playlist(lists.oldShape, 'From before the change', generated(120, 4_001), { shape: 'old' }),
    playlist(lists.loop, 'Round and round', generated(220, 5_001), { quirk: 'loop' }),
    playlist(lists.truncated, 'Broken off', generated(220, 5_001), { quirk: 'truncated' }),
    playlist(lists.uselessLast, 'One token too many', generated(100, 5_001), { quirk: 'useless_last' }),
  ];
  return new Map(all.map((one) => [one.playlistId, one]));
};

const channel = (owner: Owner, videos: readonly ListEntry[], rest: Partial<Channel> = {}): Channel => ({
  owner,
  addresses: [],
  published: [],
  videos,
  shorts: [],
  lives: [],
  shape: 'new',
  isAgeGated: false,
  ...rest,
});

/** Every channel that exists, by id. */
export const makeChannels = (): Map<string, Channel> => {
  const owner = (name: string, title: string, channelId: string): Owner => ({
    channel: title,
    channelId,
    handle: `@${name}`,
  });
  const all = [
    channel(harbour, [...small, ...generated(40, 6_001)], {
      addresses: ['c/harbournotes', 'user/harbournotes', 'harbournotes'],
      shorts: generated(60, 7_001),
      lives: [entry(samples.live, 'Harbour camera, live', 0, 'live'), ...generated(2, 7_101)],
    }),
    channel(market, [
      entry(samples.manyLanguages, 'What do you sell when it rains?', 48),
      entry(samples.namedTwice, 'Wetter für die Halligen', 20),
      entry(samples.dubbed, 'Nine minutes late for a hundred years', 25),
    ]),
    channel(owner('bigharbour', 'The Big Harbour', channels.big), generated(1_250, 10_001)),
    channel(owner('afterdark', 'After Dark', channels.ageGated), generated(130, 20_001), { isAgeGated: true }),
    channel(owner('silence', 'Silence', channels.empty), []),
    channel(owner('oldshapes', 'Old Shapes', channels.oldShape), generated(45, 21_001), { shape: 'old' }),
  ];
  return new Map(all.map((one) => [one.owner.channelId, one]));
};

/** A channel's uploads as a playlist: `UU` all, `UULF` long, `UUSH` shorts, `UULV` streams, `UUMO` members only. */
export const uploadsOf = (playlistId: string, all: ReadonlyMap<string, Channel>): Playlist | undefined => {
  const match = /^UU(LF|SH|LV|MO)?([A-Za-z0-9_-]{22})$/.exec(playlistId);
  const found = match && all.get(`UC${match[2]}`);
  if (!found) return undefined;
  const publishedAs = (as: PublishedEntry['as']) => found.published.filter((one) => one.as === as);
  const parts: Readonly<Record<string, readonly [string, readonly ListEntry[]]>> = {
    LF: ['Videos', [...publishedAs('video'), ...found.videos]],
    SH: ['Shorts', [...publishedAs('short'), ...found.shorts]],
    LV: ['Live streams', [...publishedAs('stream'), ...found.lives]],
    MO: ['Members-only videos', []],
  };
  const everything: readonly [string, readonly ListEntry[]] = [
    'Uploads',
    [...found.published, ...found.videos, ...found.shorts, ...found.lives],
  ];
  const [title, entries] = parts[match[1] ?? ''] ?? everything;
  if (entries.length === 0 && match[1]) return undefined;
  return { playlistId, title, owner: found.owner, shape: 'new', header: 'uploads', entries };
};
