const site = 'https://www.youtube.com';

/** The page of a video on the platform. */
export const videoLink = (videoId: string): string => `${site}/watch?v=${videoId}`;

/** The page of a playlist on the platform. */
export const playlistLink = (playlistId: string): string => `${site}/playlist?list=${playlistId}`;

/** The page of a channel on the platform. */
export const channelLink = (channelId: string): string => `${site}/channel/${channelId}`;
