import { answerOf } from '../../contract/answer-of.ts';
import { listedVideo } from '../../contract/listings.ts';
import type { VideoDetails } from '../../contract/video-details.ts';
import type { AuthorChapter, Extraction, ListedVideo, Track } from '../../extraction/captions/caption-track.ts';
import { videoLink } from '../../extraction/platform-links.ts';
import { timestampOf } from '../timestamp.ts';

export const trackJson = ({ language, name, kind, isTranslatable }: Track) => ({
  language,
  name,
  kind,
  translatable: isTranslatable,
});

const listedVideoAnswer = answerOf(listedVideo);

/** A video of a playlist or a channel. */
export const listedVideoJson = (video: ListedVideo) =>
  listedVideoAnswer(video, { url: videoLink(video.videoId), duration: video.durationS });

const chapterJson = ({ startS, endS, title }: AuthorChapter) => ({
  start: startS,
  end: endS,
  timestamp: timestampOf(startS * 1_000),
  title,
});

/** A video and its tracks as the one object that every edge gives out. */
export const videoJson = ({ video, tracks }: Pick<Extraction, 'video' | 'tracks'>): VideoDetails => ({
  video_id: video.videoId,
  url: videoLink(video.videoId),
  title: video.title,
  channel: video.channel,
  channel_id: video.channelId,
  duration: video.durationS,
  description: video.details?.description ?? null,
  views: video.details?.views ?? null,
  thumbnails: (video.details?.thumbnails ?? []).map((each) => ({ ...each })),
  live_state: video.details?.liveState ?? (video.isLive ? 'live' : 'none'),
  published_at: video.details?.publishedAt ?? null,
  chapters: video.details?.chapters?.map(chapterJson) ?? null,
  tracks: tracks.map(trackJson),
});
