import { readdirSync, readFileSync } from 'node:fs';

/** The state of a video on the platform; `ok` is playable. */
export type SampleState =
  | 'ok'
  | 'bot_check'
  | 'captcha'
  | 'try_later'
  | 'private'
  | 'deleted'
  | 'age'
  | 'members'
  | 'geo'
  | 'premium'
  | 'purchase'
  | 'removed'
  | 'terminated'
  | 'copyright'
  | 'live'
  | 'upcoming'
  | 'processing'
  | 'unknown_status';

/** `[startMs, durationMs, text]`. */
export type SampleLine = readonly [number, number, string];

export type SampleTrack = {
  readonly language: string;
  readonly name: string;
  readonly kind: 'manual' | 'asr';
  /** A named track: its name, and the suffix of its vssId after the language. */
  readonly trackName?: string;
  readonly vssSuffix?: string;
  readonly isRightToLeft?: boolean;
  readonly isTranslatable?: boolean;
  /** Clients whose link to this track has `exp=xpe` (`*`: all): without a token the document is empty. */
  readonly tokenGateOn?: readonly string[];
  /** Number of generated lines of the document. */
  readonly generatedLines?: number;
  readonly lines: readonly SampleLine[];
};

export type SampleVideo = {
  readonly videoId: string;
  /** The purpose of the scenario. */
  readonly about: string;
  readonly state: SampleState;
  readonly title: string;
  readonly channel: string;
  readonly channelId: string;
  readonly durationS: number;
  readonly description: string;
  readonly category: string;
  readonly publishDate: string;
  readonly keywords: readonly string[];
  readonly defaultTrack?: number;
  /** How many dubbed audio tracks share the captions; the second is then the default. */
  readonly audioTracks?: number;
  /** Clients that get the answer for another video, with status OK. */
  readonly wrongVideoOn?: readonly string[];
  /** Clients that get "This video is not available" although it is. */
  readonly refusedOn?: readonly string[];
  /** Clients whose answer leaves the captions out although there are some. */
  readonly captionlessOn?: readonly string[];
  readonly availableCountries?: readonly string[];
  readonly scheduledStartS?: number;
  /** Delay of every answer for this video. */
  readonly delayMs?: number;
  /** The stated size of its smallest audio format; absent: the true size. */
  readonly audioBytes?: number;
  readonly tracks: readonly SampleTrack[];
};

/** The ids of the sample videos by what they show: eleven characters, as on the platform. */
export const samples = {
  /** English, manual and automatic captions, 160 s of prose: for the AI operations. */
  prose: 'lighthouse1',
  regional: 'teatime-gb1',
  /** The id that probes of the platform ask for. */
  probe: 'jNQXAC9IVRw',
  onlyAutomatic: 'tide-auto-1',
  manyLanguages: 'languages-6',
  lyrics: 'song-lyric1',
  edgeCases: 'edge-cases1',
  namedTwice: 'named-twice',
  dubbed: 'dubbed-0001',
  /** 1,566 lines, three hours. */
  long: 'three-hours',
  /** Every answer takes 1.5 s longer. */
  slow: 'slow-video1',
  noCaptions: 'no-captions',
  /** Has captions, but the ANDROID answer does not mention them. */
  captionlessOnAndroid: 'half-empty1',
  /** Its description has a list of chapters. */
  authorChapters: 'chapters-01',
  emptyTrack: 'empty-track',
  wrongVideoOnAndroid: 'wrong-video',
  refusedOnVisionos: 'made4kids-1',
  tokenGateEverywhere: 'po-token-01',
  tokenGateOnAndroid: 'po-token-02',
  botCheck: 'bot-check-1',
  captcha: 'captcha-vm1',
  tryLater: 'try-later-1',
  private: 'private-001',
  deleted: 'deleted-001',
  ageRestricted: 'age-gate-01',
  membersOnly: 'members-001',
  regionBlocked: 'geo-block-1',
  premium: 'premium-001',
  purchase: 'purchase-01',
  removed: 'removed-001',
  terminated: 'terminated1',
  copyright: 'copyright-1',
  live: 'live-now-01',
  upcoming: 'upcoming-01',
  processing: 'processing1',
  unknownStatus: 'status-new1',
} as const;

const sampleRate = 8_000;
const silence = Buffer.alloc(sampleRate / 10, 0x80);

/** 100 ms of silence as WAV with 8-bit samples. */
export const audioFile = ((): Buffer => {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + silence.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(silence.length, 40);
  return Buffer.concat([head, silence]);
})();

const folder = new URL('./videos/', import.meta.url);

/** Reads every `videos/*.json`: each contains one video or a list of them. */
export const readSamples = (): Map<string, SampleVideo> => {
  const videos = new Map<string, SampleVideo>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const content: SampleVideo | SampleVideo[] = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    for (const video of Array.isArray(content) ? content : [content]) videos.set(video.videoId, video);
  }
  return videos;
};
