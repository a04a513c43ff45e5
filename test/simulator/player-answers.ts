import { type Client, profileOf, translationsOf } from './clients.ts';
import { playability, screen, textFor, unknownVideo } from './playability.ts';
import { audioFile, type SampleTrack, type SampleVideo } from './samples.ts';

type Json = Readonly<Record<string, unknown>>;

const responseContext = (client: Client, visitorData: string): Json => ({
  visitorData,
  serviceTrackingParams: [
    {
      service: 'GFEEDBACK',
      params: [
        { key: 'logged_in', value: '0' },
        { key: 'visitor_data', value: visitorData },
      ],
    },
    {
      service: 'CSI',
      params: [
        { key: 'c', value: client.name },
        { key: 'cver', value: client.version },
      ],
    },
  ],
  maxAgeSeconds: 0,
});

const languageNames = new Intl.DisplayNames(['en'], { type: 'language' });

const captions = (video: SampleVideo, client: Client, linkTo: (track: SampleTrack) => string): Json => {
  const all = video.tracks.map((_, index) => index);
  const chosen = video.defaultTrack ?? video.tracks.findIndex((track) => track.kind === 'manual');
  const audio =
    chosen < 0
      ? { captionTrackIndices: all }
      : {
          captionTrackIndices: all,
          defaultCaptionTrackIndex: chosen,
          hasDefaultTrack: true,
          captionsInitialState: 'CAPTIONS_INITIAL_STATE_OFF_RECOMMENDED',
        };
  const dubs = video.audioTracks ?? 1;
  return {
    playerCaptionsTracklistRenderer: {
      captionTracks: video.tracks.map((track) => ({
        baseUrl: linkTo(track),
        name: textFor(client, track.name),
        vssId: `${track.kind === 'asr' ? 'a' : ''}.${track.language}${track.vssSuffix ? `.${track.vssSuffix}` : ''}`,
        languageCode: track.language,
        ...(track.kind === 'asr' ? { kind: 'asr' } : {}),
        ...(track.isRightToLeft ? { rtl: true } : {}),
        isTranslatable: track.isTranslatable ?? true,
        trackName: track.trackName ?? '',
      })),
      audioTracks:
        dubs === 1
          ? [audio]
          : Array.from({ length: dubs }, (_, index) => ({
              ...(index === 1 ? audio : { captionTrackIndices: all, defaultCaptionTrackIndex: 0 }),
              audioTrackId: `${['es', 'en', 'pt', 'ja'][index % 4]}.${index === 1 ? 4 : 3}`,
            })),
      translationLanguages: translationsOf(client).map((languageCode) => ({
        languageCode,
        languageName: textFor(client, languageNames.of(languageCode) ?? languageCode),
      })),
      defaultAudioTrackIndex: dubs === 1 ? 0 : 1,
      ...(chosen < 0 ? {} : { defaultTranslationSourceTrackIndices: [chosen] }),
    },
  };
};

const videoDetails = (video: SampleVideo): Json => {
  const isLive = video.state === 'live';
  const isUpcoming = video.state === 'upcoming';
  return {
    videoId: video.videoId,
    title: video.title,
    lengthSeconds: isLive || isUpcoming ? '0' : String(video.durationS),
    ...(isLive ? { isLive: true } : {}),
    ...(isUpcoming ? { isUpcoming: true } : {}),
    keywords: video.keywords,
    channelId: video.channelId,
    isOwnerViewing: false,
    shortDescription: video.description,
    isCrawlable: true,
    thumbnail: {
      thumbnails: [{ url: `https://i.ytimg.com/vi/${video.videoId}/hqdefault.jpg`, width: 480, height: 360 }],
    },
    allowRatings: true,
    viewCount: String(1000 + video.durationS * 7),
    author: video.channel,
    isPrivate: false,
    isUnpluggedCorpus: false,
    isLiveContent: isLive || isUpcoming,
  };
};

const countries = 'AT AU BE BR CA CH DE EG ES FR GB IE IN IT JP MX NL PL SE US'.split(' ');

const microformat = (video: SampleVideo): Json => ({
  playerMicroformatRenderer: {
    embed: { iframeUrl: `https://www.youtube.com/embed/${video.videoId}`, width: 1280, height: 720 },
    title: { simpleText: video.title },
    description: { simpleText: video.description },
    lengthSeconds: String(video.durationS),
    ownerProfileUrl: `http://www.youtube.com/channel/${video.channelId}`,
    externalChannelId: video.channelId,
    isFamilySafe: video.state !== 'age',
    availableCountries: video.availableCountries ?? countries,
    isUnlisted: false,
    hasYpcMetadata: false,
    viewCount: String(1000 + video.durationS * 7),
    category: video.category,
    publishDate: video.publishDate,
    ownerChannelName: video.channel,
    uploadDate: video.publishDate,
    isShortsEligible: false,
    externalVideoId: video.videoId,
    canonicalUrl: `https://www.youtube.com/watch?v=${video.videoId}`,
  },
});

const anotherVideo: SampleVideo = {
  videoId: 'other-video',
  about: 'what a refused client gets instead',
  state: 'ok',
  title: 'Video Not Available',
  channel: 'Viewers',
  channelId: 'UCotherviewers0000000001',
  durationS: 300,
  description: 'Video Not Available',
  category: 'Education',
  publishDate: '2024-01-01T00:00:00+00:00',
  keywords: ['tips'],
  tracks: [],
};

/** Audio-only formats in two qualities, and a video-only format. */
const streamsOf = ({ videoId, audioBytes = audioFile.length }: SampleVideo): Json => {
  const stream = (itag: number, mimeType: string, contentLength: number) => ({
    itag,
    url: `https://rr1---sn-simulated.googlevideo.com/videoplayback?expire=1999999999&id=${videoId}&itag=${itag}&sig=A%3D`,
    mimeType,
    bitrate: 50_000 + itag,
    contentLength: String(contentLength),
  });
  return {
    expiresInSeconds: '21540',
    formats: [],
    adaptiveFormats: [
      stream(137, 'video/mp4; codecs="avc1.640028"', audioBytes - 1),
      stream(140, 'audio/mp4; codecs="mp4a.40.2"', audioBytes * 3),
      stream(139, 'audio/mp4; codecs="mp4a.40.5"', audioBytes),
    ],
  };
};

/** The player answer for a video, which may not exist, to this client. */
export const playerAnswer = (
  video: SampleVideo | undefined,
  client: Client,
  context: { visitorData: string; linkTo: (track: SampleTrack) => string },
): Json => {
  const base = { responseContext: responseContext(client, context.visitorData) };
  const says = (playabilityStatus: Json): Json => ({ ...base, playabilityStatus });
  const profile = profileOf(client);
  if (profile?.always === 'embed_error') return says({ status: 'ERROR', reason: 'This video is unavailable' });
  if (profile?.always === 'bot_check') return says(playability({ ...anotherVideo, state: 'bot_check' }, client).says);
  if (!video) return says(unknownVideo(client));
  if (profile?.needsToken && !client.hasToken)
    return {
      ...says({
        status: 'UNPLAYABLE',
        reason: 'Video unavailable',
        errorScreen: screen(client, 'Video unavailable', 'The page needs to be reloaded.'),
      }),
      ...(playability(video, client).isShown
        ? { videoDetails: videoDetails(video), microformat: microformat(video) }
        : {}),
    };
  if (video.wrongVideoOn?.includes(client.name)) return playerAnswer(anotherVideo, client, context);
  if (video.refusedOn?.includes(client.name))
    return {
      ...says({ status: 'UNPLAYABLE', reason: 'This video is not available' }),
      videoDetails: videoDetails(video),
    };
  const { says: playabilityStatus, isShown } = playability(video, client);
  const hasCaptions = video.state === 'ok' && video.tracks.length > 0 && !video.captionlessOn?.includes(client.name);
  return {
    ...base,
    playabilityStatus,
    ...(video.state === 'ok' ? { streamingData: streamsOf(video) } : {}),
    ...(hasCaptions ? { captions: captions(video, client, context.linkTo) } : {}),
    ...(isShown ? { videoDetails: videoDetails(video) } : {}),
    ...(isShown && !profile?.isApp ? { microformat: microformat(video) } : {}),
    trackingParams: 'CAAQu2kiEwjA',
  };
};
