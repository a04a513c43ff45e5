import { z } from 'zod';
import { mostCredits } from './caps.ts';
import { endpointsWith, type KeyEndpoint, type OpenEndpoint } from './endpoint.ts';
import { refusalsOfPlatform } from './errors.ts';
import { eventStreamLimits, jobOptions } from './jobs.ts';
import {
  answer200,
  count,
  idParameter,
  integerParameter,
  lengths,
  link,
  longestLink,
  member,
  named,
  onePage,
  pageOf,
  storable,
  timestamp,
} from './schemas.ts';
import { captionsKind } from './transcripts.ts';

/** What a follow reads of a channel. */
export const videoKinds = ['videos', 'shorts', 'streams'] as const;

/** Videos of a playlist that is followed, at most: all of it is read at each look, for additions go to its end. */
export const maxPlaylistVideos = 1_000;

/** Videos that were there before the follow and are read all the same, at most. */
const maxBackfill = 50;

/** Seconds between two looks at a source, at most: a month. */
const maxIntervalS = 2_592_000;

const credits = z.int().min(1).max(mostCredits);
const interval = z.int().min(1).max(maxIntervalS);
const kinds = z.array(z.enum(videoKinds)).min(1).max(videoKinds.length);
const source = z
  .string()
  .min(1)
  .max(longestLink)
  .refine(...storable);

/** The name of the member; written out, an object with it would look like a promise to the linter. */
const then = 'then';

/** What a follow reads, and when. What is absent in a change stays as it is. */
const options = {
  lang: jobOptions.lang,
  captions: jobOptions.captions,
  [then]: jobOptions[then].describe(
    'Operations on each video after its transcript. Each is charged as that operation, within the same budget.',
  ),
  keep: z.boolean().default(false).describe('Whether the transcripts are kept in the library of the account.'),
  kinds: kinds
    .default([...videoKinds])
    .describe('Which videos of a channel are read; in a playlist, shorts and streams are distinguished less reliably.'),
  webhook_url: jobOptions.webhook_url.describe('Notified of each video, and when the follow pauses.'),
};

const followedSource = named('FollowedSource', {
  kind: z.enum(['channel', 'playlist']).describe('What is followed.'),
  id: z.string().describe('Its id on the platform.'),
  title: member.title,
});

/** How a follow stands. */
const followStatus = z.enum(['active', 'waiting', 'paused', 'ended']);

/** Why a follow is paused. */
export const pauseReasons = [
  'owner',
  'source_gone',
  'source_too_large',
  'key_revoked',
  'key_expired',
  'grant_ended',
  'grant_expired',
  'grant_spent',
] as const;

/** What a follow waits for. */
export const waitingFor = ['budget', 'credits', 'key_cap', 'grant_budget'] as const;

export const followSchema = named('Follow', {
  id: member.id,
  source: followedSource.describe('What it follows.'),
  status: followStatus.describe(
    'active: new videos are read. waiting: they are found, and read once the wait is over. paused: the source is not checked; videos published meanwhile are read after it resumes.',
  ),
  reason: z.enum(pauseReasons).nullable().describe('Why it is paused; null while it is not.'),
  waiting_for: z
    .enum(waitingFor)
    .nullable()
    .describe(
      'budget: the next period, or a higher `max_credits_per_period`; credits: credits of the account; key_cap: the cap of the key that created it; grant_budget: the daily budget of the application that created it. Null: nothing.',
    ),
  lang: z.string().nullable().describe('Language code (BCP 47), or a comma-separated list; null: the default.'),
  captions: jobOptions.captions,
  [then]: jobOptions[then].describe('Operations on each video after its transcript.'),
  keep: options.keep,
  kinds: kinds.describe('Which videos of a channel are read.'),
  webhook_url: link.nullable().describe('Notified of each video; null: none.'),
  max_credits_per_period: credits.describe('Its maximum cost in a billing period of the account.'),
  credits_used: count.describe('Its cost in this period, including credits reserved by its jobs.'),
  interval_seconds: interval.describe('How often the source is checked.'),
  feed_url: link.describe('An Atom feed of the transcripts. Anyone who knows the address can read it: keep it secret.'),
  last_look_at: timestamp.nullable().describe('When the source was last checked; null: not yet.'),
  next_look_at: timestamp.nullable().describe('When it is checked next; null: not scheduled.'),
  created_at: member.createdAt,
});

export const followedVideoStatus = z.enum(['waiting', 'queued', 'processing', 'complete', 'failed']);

export const followedVideoSchema = named('FollowedVideo', {
  video_id: member.videoId,
  title: member.title,
  status: followedVideoStatus.describe(
    'waiting: until it is over, has captions, or the follow resumes; otherwise as for an item of a job.',
  ),
  job_id: z.string().nullable().describe('The job that reads it; null: none yet.'),
  error_code: member.errorCode,
  credits_charged: member.creditsCharged,
  charge_id: member.chargeId,
  found_at: timestamp.describe('When it was found.'),
  due_at: timestamp.nullable().describe('When it is retried; null: not scheduled.'),
});

const common = { access: 'key', scope: 'jobs', tag: 'Follows' } as const;

const ofFollows = endpointsWith(common);

const params = z.object({ followId: idParameter('Id of the follow.') });
const one = { description: 'The follow.', schema: followSchema };
const missing = ['FOLLOW_NOT_FOUND'] as const;
const oneFollow = { ...common, params, answers: { 200: one }, refusals: missing } as const;

const ofFollow = endpointsWith(oneFollow);

export const createFollow = {
  ...ofFollows('createFollow', 'POST', '/v1/follows'),
  isIdempotent: true,
  summary: 'Follow a channel or playlist: new videos are transcribed automatically',
  description:
    'Videos are new if they are not in the current list. Each new video becomes an item of a job and is charged as such, for success only, within the budget of the follow, the cap of its key and the credits of the account.',
  body: z.object({
    source: source.describe('A channel (id, @handle or link) or a playlist (id or link).'),
    ...options,
    max_credits_per_period: credits.describe('Its maximum cost in a billing period of the account.'),
    backfill: z
      .int()
      .min(0)
      .max(maxBackfill)
      .default(0)
      .describe('How many of the newest existing videos are read too.'),
    interval_seconds: interval
      .optional()
      .describe(
        'How often the source is checked; the service has a default (1 hour) and a minimum (15 minutes), unless its operator has set others.',
      ),
  }),
  answers: { 201: one },
  refusals: ['FOLLOW_EXISTS', 'CHANNEL_NOT_FOUND', 'PLAYLIST_NOT_FOUND', ...refusalsOfPlatform],
} satisfies KeyEndpoint;

export const listFollows = {
  ...ofFollows('listFollows', 'GET', '/v1/follows'),
  summary: 'The follows of this account, newest first',
  description: 'Ended follows are not included.',
  query: z.object(pageOf('Follows')),
  answers: onePage('Follows', { follows: z.array(followSchema).describe('Follows, the newest first.') }),
} satisfies KeyEndpoint;

export const readFollow = {
  ...ofFollow('getFollow', 'GET', '/v1/follows/:followId'),
  summary: 'One follow',
  description: 'Works for ended follows too.',
} satisfies KeyEndpoint;

export const editFollow = {
  ...ofFollow('updateFollow', 'PATCH', '/v1/follows/:followId'),
  summary: 'Change a follow; omitted members do not change',
  description: 'Applies to videos read from now on. With a higher budget, waiting videos are read at once.',
  body: z.object({
    lang: options.lang.optional(),
    captions: captionsKind.optional().describe('Which captions are read.'),
    [then]: jobOptions[then].removeDefault().optional().describe('Operations on each video after its transcript.'),
    keep: options.keep
      .removeDefault()
      .optional()
      .describe('Whether the transcripts are kept in the library of the account.'),
    kinds: kinds.optional().describe('Which videos of a channel are read.'),
    webhook_url: options.webhook_url,
    max_credits_per_period: credits.optional().describe('Its maximum cost in a billing period.'),
    interval_seconds: interval.optional().describe('How often the source is checked.'),
  }),
} satisfies KeyEndpoint;

export const endFollow = {
  ...ofFollow('deleteFollow', 'DELETE', '/v1/follows/:followId'),
  summary: 'End a follow',
  description: 'Videos in progress are still read; the source is no longer checked. An ended follow cannot be resumed.',
  answers: { 204: { description: 'The follow has ended.' } },
} satisfies KeyEndpoint;

const action = endpointsWith({ ...oneFollow, isIdempotent: true, body: z.object({}), isBodyOptional: true });

export const pauseFollow = {
  ...action('pauseFollow', 'POST', '/v1/follows/:followId/pause'),
  summary: 'Pause a follow',
  description:
    'The source is not checked and no new videos are read. Videos published meanwhile are read after it resumes.',
} satisfies KeyEndpoint;

export const resumeFollow = {
  ...action('resumeFollow', 'POST', '/v1/follows/:followId/resume'),
  summary: 'Resume a paused follow',
  description:
    'The source is checked at once. A follow whose key was revoked, or whose application may no longer spend, continues under the key of this request.',
} satisfies KeyEndpoint;

/** A check of a source that is younger serves everyone who follows it, seconds. */
export const lookSharedS = 60;

export const checkFollow = {
  ...action('checkFollow', 'POST', '/v1/follows/:followId/check'),
  summary: 'Check the source of a follow now',
  description: `At most once every ${lookSharedS} seconds for each source; otherwise \`RATE_LIMITED\`.`,
  refusals: ['FOLLOW_NOT_FOUND', ...refusalsOfPlatform],
} satisfies KeyEndpoint;

export const rotateFeed = {
  ...action('rotateFollowFeed', 'POST', '/v1/follows/:followId/feed/rotate'),
  summary: "Change the address of a follow's feed",
  description: 'The former address is no longer valid.',
} satisfies KeyEndpoint;

/** Videos of a follow in one answer, at most. */
export const maxVideosShown = 200;

export const listFollowedVideos = {
  ...ofFollow('listFollowedVideos', 'GET', '/v1/follows/:followId/videos'),
  summary: 'The videos found by a follow, newest first',
  description: 'With the job that reads each video, and its cost.',
  query: z.object({ limit: integerParameter('Maximum number of videos.', { default: 50, max: maxVideosShown }) }),
  answers: answer200('The newest.', 'FollowedVideos', {
    videos: z.array(followedVideoSchema).describe('Videos, the newest first.'),
  }),
} satisfies KeyEndpoint;

const at = timestamp.describe('When, RFC 3339 in UTC.');

/** The data of each kind of event. */
export const followEventData = {
  follow: z
    .object({
      follow_id: member.id,
      at,
      status: followStatus.describe('Its new status.'),
      reason: z.string().nullable().describe('Why it is paused or waits; null: neither.'),
    })
    .meta({ id: 'FollowStatusEvent', description: 'The `data` of the event `follow`.' }),
  video: z
    .object({
      follow_id: member.id,
      at,
      video_id: member.videoId,
      status: followedVideoStatus.describe('Its new status.'),
      job_id: z.string().nullable().describe('The job that reads it; null: none.'),
      error_code: member.errorCode,
      due_at: timestamp.nullable().describe('When it is retried; null: not scheduled.'),
    })
    .meta({ id: 'FollowedVideoEvent', description: 'The `data` of the event `video`.' }),
} as const;

export const watchFollow = {
  ...ofFollow('watchFollow', 'GET', '/v1/follows/:followId/events'),
  summary: 'The events of a follow, as server-sent events',
  description: `Starts after \`Last-Event-ID\`, or at the beginning, without gaps. A stream ends after ${eventStreamLimits.seconds} seconds, or once the follow has ended and everything was sent; reconnect, as EventSource does automatically, until the response is 204.`,
  requestHeaders: { 'Last-Event-ID': 'The `id` of the last event that was read; the stream begins after it.' },
  answers: {
    200: {
      description: 'Events: `follow` has its new status, `video` that of a video. `id` is the position in the log.',
      events: { name: 'FollowStreamEvent', data: followEventData },
    },
    204: { description: 'The follow has ended and there is nothing after `Last-Event-ID`.' },
  },
} satisfies KeyEndpoint;

/** Where feeds are read, below the address of the service. */
const feedPath = '/feeds';

export const readFeed = {
  id: 'readFollowFeed',
  method: 'GET',
  path: `${feedPath}/:token`,
  access: 'anyone',
  rateLimit: 'public',
  cacheControl: 'private, no-cache',
  tag: 'Follows',
  summary: 'The transcripts of a follow, as an Atom feed',
  description: 'Its address is `feed_url` of the follow. It is secret, and reading is free of charge.',
  params: z.object({
    token: z
      .string()
      .max(200)
      .meta({ description: 'The secret part of the address.', ...lengths(1, 200) }),
  }),
  query: z.object({
    content: z
      .enum(['link', 'text'])
      .default('link')
      .describe('link: each entry links to its transcript; text: it contains the text.'),
  }),
  requestHeaders: { 'If-None-Match': 'The `ETag` of an earlier response: 304 if nothing has changed.' },
  answers: {
    200: { description: 'The feed.', text: ['application/atom+xml'] },
    304: { description: 'Nothing has changed.' },
  },
  refusals: missing,
} satisfies OpenEndpoint;

/** In the order of the reference. */
export const followEndpoints = [
  createFollow,
  listFollows,
  readFollow,
  editFollow,
  endFollow,
  pauseFollow,
  resumeFollow,
  checkFollow,
  rotateFeed,
  listFollowedVideos,
  watchFollow,
] as const;

/** What agents are told. */
export const followTools = {
  follow: {
    name: 'follow',
    title: 'Follow a channel or playlist',
    description:
      'From now on each new video is transcribed automatically, within a credit budget per billing period. Returns the follow; `list_follows` shows the videos it has found.',
    price: 'Each video that is transcribed costs 1 credit.',
    isSpeech: false,
  },
  list: {
    name: 'list_follows',
    title: 'List follows',
    description: 'The followed channels and playlists with their state, cost and newest videos.',
    price: 'Free.',
    isSpeech: false,
  },
} as const;
