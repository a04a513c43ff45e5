import type { KeyEndpoint } from './endpoint.ts';
import { chargeHeaders, ofVideo, refusalsOfVideo } from './transcripts.ts';
import { videoSchema } from './video-details.ts';

/** `GET /v1/videos/{videoId}`. */
export const readVideo = {
  ...ofVideo('getVideo', 'GET', '/v1/videos/:videoId'),
  isIdempotent: false,
  operation: 'video',
  summary: 'Get the details of a video',
  description:
    'Free of charge. Title, channel, duration, description, the chapters that its author wrote, and its caption tracks. Also works for videos that are live, upcoming or without captions. Details read in the last hours are not requested again.',
  answers: { 200: { description: 'The video.', schema: videoSchema, headers: chargeHeaders } },
  refusals: refusalsOfVideo,
} satisfies KeyEndpoint;

/** What the tool of agents is told. */
export const videoTool = {
  name: 'get_video',
  title: 'About a video',
  description:
    "Returns the details of a video: title, channel, length, description, the author's chapters with their times, and the languages of its captions. Use it before get_transcript on a long video: the chapters show where to read.",
} as const;
