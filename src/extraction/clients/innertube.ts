import type { PlatformRequest } from '../platform.ts';
import type { Profile } from './client-profiles.ts';

/** Larger than the largest answers seen (1.3 MB for a page of a playlist), far below what could hurt. */
const maxAnswerBytes = 12_000_000;

/** The parts of a player answer that are read: 2 to 26 % of the whole. */
export const playerFields = 'playabilityStatus,videoDetails,captions,microformat';

/** The player answer of one video. The app's `reel` endpoint wraps it in `playerResponse`, where only that mask is known. */
export const playerRequest = (profile: Profile, videoId: string, fields = playerFields): PlatformRequest => {
  const isReel = profile.playerEndpoint === 'reel';
  const checks = { videoId, contentCheckOk: true, racyCheckOk: true };
  return innertube(
    profile,
    isReel ? 'reel/reel_item_watch' : 'player',
    isReel ? { playerRequest: checks, disablePlayerResponse: false } : checks,
    `&id=${videoId}&$fields=${isReel ? 'playerResponse' : fields}`,
  );
};

/** One page of a list; `visitorData` of the page before keeps the platform's answers consistent. */
export const browseRequest = (
  profile: Profile,
  body: Readonly<Record<string, string>>,
  visitorData: string | null,
): PlatformRequest => innertube(profile, 'browse', body, '', visitorData);

/** What an address of the platform stands for; `url` has been built by `list-reference.ts`. */
export const resolveRequest = (profile: Profile, url: string): PlatformRequest =>
  innertube(profile, 'navigation/resolve_url', { url }, '');

const innertube = (
  profile: Profile,
  endpoint: string,
  body: Readonly<Record<string, unknown>>,
  query: string,
  visitorData: string | null = null,
): PlatformRequest => ({
  method: 'POST',
  url: `https://${profile.host}/youtubei/v1/${endpoint}?prettyPrint=false${query}`,
  headers: headersOf(profile),
  body: JSON.stringify({ context: contextOf(profile, visitorData), ...body }),
  maxBytes: maxAnswerBytes,
});

/** Reasons of refusals come in the language asked for: always English, so that they can be read. */
const contextOf = (profile: Profile, visitorData: string | null) => ({
  client: {
    clientName: profile.clientName,
    clientVersion: profile.clientVersion,
    hl: 'en',
    gl: 'US',
    utcOffsetMinutes: 0,
    ...profile.context,
    ...(visitorData === null ? {} : { visitorData }),
  },
  request: { useSsl: true, internalExperimentFlags: [] },
  user: { lockedSafetyMode: false },
});

const headersOf = (profile: Profile): Record<string, string> => ({
  'user-agent': profile.userAgent,
  'content-type': 'application/json',
  'accept-language': 'en-US,en;q=0.9',
  'x-youtube-client-name': String(profile.clientNumber),
  'x-youtube-client-version': profile.clientVersion,
  ...(profile.host === 'youtubei.googleapis.com'
    ? { 'x-goog-api-format-version': '2' }
    : { origin: 'https://www.youtube.com', referer: 'https://www.youtube.com' }),
});
