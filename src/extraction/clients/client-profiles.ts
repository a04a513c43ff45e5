/** A client of the platform that we speak as. Versions are retired by the platform without notice: they are data. */
export type Profile = {
  readonly id: string;
  readonly clientName: string;
  readonly clientVersion: string;
  /** The number of the client in the `X-YouTube-Client-Name` header. */
  readonly clientNumber: number;
  /** Apps have a host of their own. */
  readonly host: 'www.youtube.com' | 'youtubei.googleapis.com';
  readonly userAgent: string;
  /** `reel` is another endpoint of the app with the same player answer. */
  readonly playerEndpoint: 'player' | 'reel';
  readonly context: Readonly<Record<string, string | number>>;
};

/** In the order in which they are asked for a video. Two of them at least have to work at any time. */
export const playerProfiles: readonly Profile[] = [
  {
    id: 'android',
    clientName: 'ANDROID',
    clientVersion: '21.03.36',
    clientNumber: 3,
    host: 'youtubei.googleapis.com',
    userAgent: 'com.google.android.youtube/21.03.36 (Linux; U; Android 15; US) gzip',
    playerEndpoint: 'reel',
    context: { osName: 'Android', osVersion: '16', androidSdkVersion: 36, platform: 'MOBILE' },
  },
  {
    id: 'visionos',
    clientName: 'VISIONOS',
    clientVersion: '1.02',
    clientNumber: 101,
    host: 'youtubei.googleapis.com',
    userAgent: 'com.google.visionos.youtube/1.02(RealityDevice14,1; U; CPU visionOS 25_6_0 like Mac OS X; US)',
    playerEndpoint: 'player',
    context: {
      deviceMake: 'Apple',
      deviceModel: 'RealityDevice14,1',
      osName: 'visionOS',
      osVersion: '25.6.0.23O471',
      platform: 'MOBILE',
    },
  },
  {
    id: 'ios',
    clientName: 'IOS',
    clientVersion: '20.10.4',
    clientNumber: 5,
    host: 'youtubei.googleapis.com',
    userAgent: 'com.google.ios.youtube/20.10.4 (iPhone16,2; U; CPU iOS 18_3_2 like Mac OS X; US)',
    playerEndpoint: 'player',
    context: {
      deviceMake: 'Apple',
      deviceModel: 'iPhone16,2',
      osName: 'iOS',
      osVersion: '18.3.2.22D82',
      platform: 'MOBILE',
    },
  },
];

/** Lists and addresses of channels; its player has been closed to anonymous callers. */
export const listProfile: Profile = {
  id: 'web',
  clientName: 'WEB',
  clientVersion: '2.20260630.03.00',
  clientNumber: 1,
  host: 'www.youtube.com',
  userAgent:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  playerEndpoint: 'player',
  context: { platform: 'DESKTOP', originalUrl: 'https://www.youtube.com' },
};
