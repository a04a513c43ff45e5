const site = 'https://www.youtube.com';

/** The page of a video on the platform. */
export const videoLink = (videoId: string): string => `${site}/watch?v=${videoId}`;

/** The same at a whole second. */
export const momentLink = (videoId: string, second: number): string => `${videoLink(videoId)}&t=${second}`;

/** The page of a playlist on the platform. */
export const playlistLink = (playlistId: string): string => `${site}/playlist?list=${playlistId}`;

/** The page of a channel on the platform, by its id or handle. */
export const channelLink = (channel: string): string =>
  channel.startsWith('@') ? `${site}/${channel}` : `${site}/channel/${channel}`;

/** The page of what `nameLink` calls a playlist or channel. */
export const listLink = (list: { kind: 'playlist' | 'channel'; reference: string }): string =>
  list.kind === 'playlist' ? playlistLink(list.reference) : channelLink(list.reference);
