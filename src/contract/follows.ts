import { z } from 'zod';
import type { KeyEndpoint, OpenEndpoint } from './endpoint.ts';
import { jobOptions, refusalsOfListing } from './jobs.ts';
import { count, idParameter, integerParameter, lengths, link, member, pageOf, storable, timestamp } from './schemas.ts';

/** What a follow reads of a channel. */
export const videoKinds = ['videos', 'shorts', 'streams'] as const;

/** Videos of a playlist that is followed, at most: all of it is read at each look, for additions go to its end. */
export const maxPlaylistVideos = 1_000;

/** Videos that were there before the follow and are read all the same, at most. */
export const maxBackfill = 50;

/** Seconds between two looks at a source, at most: a month. */
export const maxIntervalS = 2_592_000;

const maxCredits = 1_000_000_000;

const credits = z.int().min(1).max(maxCredits);
const interval = z.int().min(1).max(maxIntervalS);
const kinds = z.array(z.enum(videoKinds)).min(1).max(videoKinds.length);
const source = z
  .string()
  .min(1)
  .max(2_048)
  .refine(...storable);

/** The name of the member; written out, an object with it would look like a promise to the linter. */
const then = 'then';

/** What a follow reads, and when. What is absent in a change stays as it is. */
const options = {
  lang: jobOptions.lang,
  captions: jobOptions.captions,
  [then]: jobOptions[then].meta({
    description:
      'Operations on each video after its transcript. Each is charged as that operation, within the same budget.',
  }),
  keep: z.boolean().default(false).meta({ description: 'Whether the transcripts go into the library of the account.' }),
  kinds: kinds.default([...videoKinds]).meta({
    description: 'Which videos of a channel are read; shorts and streams of a playlist are told apart less surely.',
  }),
  webhook_url: z
    .string()
    .min(1)
    .max(2_048)
    .nullable()
    .optional()
    .meta({ description: 'Told of each video, and when the follow pauses.', format: 'uri' }),
};

const followedSource = z
  .object({
    kind: z.enum(['channel', 'playlist']).meta({ description: 'What is followed.' }),
    id: z.string().describe('Its id on the platform.'),
    title: member.title,
  })
  .meta({ id: 'FollowedSource' });

/** How a follow stands. */
export const followStatus = z.enum(['active', 'waiting', 'paused', 'ended']);

/** Why a follow is paused. */
export const pauseReasons = ['owner', 'source_gone', 'source_too_large', 'key_revoked', 'key_expired'] as const;

/** What a follow waits for. */
export const waitingFor = ['budget', 'credits', 'key_cap'] as const;

export const followSchema = z
  .object({
    id: member.id,
    source: followedSource.describe('What it follows.'),
    status: followStatus.meta({
      description:
        'active: new videos are read. waiting: they are found, and read when what it waits for is there. paused: nothing is looked for; what appears meanwhile is read when it goes on.',
    }),
    reason: z.enum(pauseReasons).nullable().meta({ description: 'Why it is paused; null while it is not.' }),
    waiting_for: z.enum(waitingFor).nullable().meta({
      description:
        'budget: the next period, or a higher `max_credits_per_period`; credits: credits of the account; key_cap: the cap of the key that made it. Null: nothing.',
    }),
    lang: z.string().nullable().describe('Language code (BCP 47), or several with commas between; null: the default.'),
    captions: jobOptions.captions,
    [then]: jobOptions[then].meta({ description: 'Operations on each video after its transcript.' }),
    keep: options.keep,
    kinds: kinds.describe('Which videos of a channel are read.'),
    webhook_url: link.nullable().meta({ description: 'Told of each video; null: nobody.' }),
    max_credits_per_period: credits.meta({ description: 'What it may cost in an accounting period of the account.' }),
    credits_used: count.meta({ description: 'What it has cost in this period, with what its jobs have set aside.' }),
    interval_seconds: interval.describe('How often the source is looked at.'),
    feed_url: link.meta({
      description: 'A feed (Atom) of what was transcribed. Whoever knows the address can read it: keep it secret.',
    }),
    last_look_at: timestamp.nullable().meta({ description: 'When the source was looked at last; null: not yet.' }),
    next_look_at: timestamp.nullable().meta({ description: 'When it is looked at next; null: not, as it stands.' }),
    created_at: member.createdAt,
  })
  .meta({ id: 'Follow' });

export const followedVideoStatus = z.enum(['waiting', 'queued', 'processing', 'complete', 'failed']);

export const followedVideoSchema = z
  .object({
    video_id: member.videoId,
    title: member.title,
    status: followedVideoStatus.meta({
      description: 'waiting: until it is over, has captions, or the follow goes on; else as an item of a job.',
    }),
    job_id: z.string().nullable().meta({ description: 'The job that reads it; null: none yet.' }),
    error_code: member.errorCode,
    credits_charged: member.creditsCharged,
    charge_id: member.chargeId,
    found_at: timestamp.meta({ description: 'When it was found.' }),
    due_at: timestamp.nullable().meta({ description: 'When it is tried again; null: not by the clock.' }),
  })
  .meta({ id: 'FollowedVideo' });

const common = { access: 'key', scope: 'jobs', tag: 'Follows' } as const;

const params = z.object({ followId: idParameter('Id of the follow.') });
const one = { description: 'The follow.', schema: followSchema };
const missing = ['FOLLOW_NOT_FOUND'] as const;

export const createFollow = {
  ...common,
  id: 'createFollow',
  method: 'POST',
  path: '/v1/follows',
  isIdempotent: true,
  summary: 'Follow a channel or playlist: new videos are transcribed by themselves',
  description:
    'What is new is measured against the list as it is now. Each new video becomes an item of a job and is charged as such, for success only, within the budget of the follow, the cap of its key and the credits of the account.',
  body: z.object({
    source: source.meta({ description: 'A channel (id, @handle or link) or a playlist (id or link).' }),
    ...options,
    max_credits_per_period: credits.meta({ description: 'What it may cost in an accounting period of the account.' }),
    backfill: z.int().min(0).max(maxBackfill).default(0).meta({
      description: 'So many of the newest videos that are there already are read too.',
    }),
    interval_seconds: interval.optional().meta({
      description: 'How often the source is looked at; the service has a default (1 hour) and a least (15 minutes).',
    }),
  }),
  answers: { 201: one },
  refusals: ['FOLLOW_EXISTS', 'CHANNEL_NOT_FOUND', 'PLAYLIST_NOT_FOUND', ...refusalsOfListing],
} satisfies KeyEndpoint;

export const listFollows = {
  ...common,
  id: 'listFollows',
  method: 'GET',
  path: '/v1/follows',
  summary: 'The follows of this account, newest first',
  description: 'Without those that have ended.',
  query: z.object(pageOf('Follows')),
  answers: {
    200: {
      description: 'One page.',
      schema: z
        .object({
          follows: z.array(followSchema).describe('Follows, the newest first.'),
          next_before: member.nextBefore,
        })
        .meta({ id: 'Follows' }),
    },
  },
} satisfies KeyEndpoint;

export const readFollow = {
  ...common,
  id: 'getFollow',
  method: 'GET',
  path: '/v1/follows/:followId',
  summary: 'One follow',
  description: 'Also one that has ended.',
  params,
  answers: { 200: one },
  refusals: missing,
} satisfies KeyEndpoint;

export const editFollow = {
  ...common,
  id: 'updateFollow',
  method: 'PATCH',
  path: '/v1/follows/:followId',
  summary: 'Change a follow; what is absent stays as it is',
  description:
    'It counts for videos that are read from now on. With a higher budget what waits for it is read at once.',
  params,
  body: z.object({
    lang: options.lang.optional(),
    captions: z.enum(['any', 'manual', 'automatic']).optional().meta({ description: 'Which captions are read.' }),
    [then]: jobOptions[then].removeDefault().optional().meta({
      description: 'Operations on each video after its transcript.',
    }),
    keep: options.keep.removeDefault().optional().meta({
      description: 'Whether the transcripts go into the library of the account.',
    }),
    kinds: kinds.optional().meta({ description: 'Which videos of a channel are read.' }),
    webhook_url: options.webhook_url,
    max_credits_per_period: credits.optional().meta({ description: 'What it may cost in an accounting period.' }),
    interval_seconds: interval.optional().meta({ description: 'How often the source is looked at.' }),
  }),
  answers: { 200: one },
  refusals: missing,
} satisfies KeyEndpoint;

export const endFollow = {
  ...common,
  id: 'deleteFollow',
  method: 'DELETE',
  path: '/v1/follows/:followId',
  summary: 'End a follow',
  description: 'What is being read is read to its end; nothing more is looked for. One that has ended stays so.',
  params,
  answers: { 204: { description: 'It has ended.' } },
  refusals: missing,
} satisfies KeyEndpoint;

const action = {
  ...common,
  method: 'POST',
  isIdempotent: true,
  params,
  body: z.object({}),
  isBodyOptional: true,
  answers: { 200: { description: 'The follow as it is now.', schema: followSchema } },
  refusals: missing,
} as const;

export const pauseFollow = {
  ...action,
  id: 'pauseFollow',
  path: '/v1/follows/:followId/pause',
  summary: 'Pause a follow',
  description: 'Nothing is looked for and nothing new is read. What appears meanwhile is read when it goes on.',
} satisfies KeyEndpoint;

export const resumeFollow = {
  ...action,
  id: 'resumeFollow',
  path: '/v1/follows/:followId/resume',
  summary: 'Let a paused follow go on',
  description: 'The source is looked at at once. A follow whose key was revoked goes on under the key of this request.',
} satisfies KeyEndpoint;

export const checkFollow = {
  ...action,
  id: 'checkFollow',
  path: '/v1/follows/:followId/check',
  summary: 'Look at the source of a follow now',
  description: 'At most once a minute, whoever asks: a look that is younger is refused with `RATE_LIMITED`.',
  refusals: ['FOLLOW_NOT_FOUND', ...refusalsOfListing],
} satisfies KeyEndpoint;

export const rotateFeed = {
  ...action,
  id: 'rotateFollowFeed',
  path: '/v1/follows/:followId/feed/rotate',
  summary: 'Give the feed of a follow another address',
  description: 'The former address is no longer valid.',
} satisfies KeyEndpoint;

/** Videos of a follow in one answer, at most. */
export const maxVideosShown = 200;

export const listFollowedVideos = {
  ...common,
  id: 'listFollowedVideos',
  method: 'GET',
  path: '/v1/follows/:followId/videos',
  summary: 'What a follow has found, newest first',
  description: 'With the job that reads each video, and what it cost.',
  params,
  query: z.object({ limit: integerParameter('Videos at most.', { default: 50, max: maxVideosShown }) }),
  answers: {
    200: {
      description: 'The newest.',
      schema: z
        .object({ videos: z.array(followedVideoSchema).describe('Videos, the newest first.') })
        .meta({ id: 'FollowedVideos' }),
    },
  },
  refusals: missing,
} satisfies KeyEndpoint;

const at = timestamp.describe('When, RFC 3339 in UTC.');

/** The data of each kind of event. */
export const followEventData = {
  follow: z
    .object({
      follow_id: member.id,
      at,
      status: followStatus.meta({ description: 'Its new status.' }),
      reason: z.string().nullable().meta({ description: 'Why it is paused or waits; null: neither.' }),
    })
    .meta({ id: 'FollowStatusEvent', description: 'The `data` of the event `follow`.' }),
  video: z
    .object({
      follow_id: member.id,
      at,
      video_id: member.videoId,
      status: followedVideoStatus.meta({ description: 'Its new status.' }),
      job_id: z.string().nullable().meta({ description: 'The job that reads it; null: none.' }),
      error_code: member.errorCode,
      due_at: timestamp.nullable().meta({ description: 'When it is tried again; null: not by the clock.' }),
    })
    .meta({ id: 'FollowedVideoEvent', description: 'The `data` of the event `video`.' }),
} as const;

export const watchFollow = {
  ...common,
  id: 'watchFollow',
  method: 'GET',
  path: '/v1/follows/:followId/events',
  summary: 'What happens in a follow, as server-sent events',
  description:
    'Begins after `Last-Event-ID`, or at the beginning, and misses nothing. A stream ends after 25 seconds, and as soon as the follow has ended and everything was sent; it is to be opened again, as EventSource does by itself, until the answer is 204.',
  params,
  requestHeaders: { 'Last-Event-ID': 'The `id` of the last event that was read; the stream begins after it.' },
  answers: {
    200: {
      description: 'Events: `follow` tells its new status, `video` that of a video. `id` is the position in the log.',
      events: { name: 'FollowStreamEvent', data: followEventData },
    },
    204: { description: 'The follow has ended and there is nothing after `Last-Event-ID`.' },
  },
  refusals: missing,
} satisfies KeyEndpoint;

/** Where feeds are read, below the address of the service. */
export const feedPath = '/feeds';

export const readFeed = {
  id: 'readFollowFeed',
  method: 'GET',
  path: `${feedPath}/:token`,
  access: 'anyone',
  rateLimit: 'public',
  cacheControl: 'private, no-cache',
  tag: 'Follows',
  summary: 'What a follow has transcribed, as an Atom feed',
  description: 'Its address is `feed_url` of the follow. It is secret, and reading costs nothing.',
  params: z.object({
    token: z
      .string()
      .max(200)
      .meta({ description: 'The secret part of the address.', ...lengths(1, 200) }),
  }),
  query: z.object({
    content: z.enum(['link', 'text']).default('link').meta({
      description: 'link: each entry leads to its transcript; text: it holds it, as text.',
    }),
  }),
  requestHeaders: { 'If-None-Match': 'The `ETag` of an earlier answer: 304 where nothing has changed.' },
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
      'From now on each new video is transcribed by itself, within a budget of credits for each accounting period. Answers the follow; `list_follows` shows what it has found.',
    price: 'Each video that is transcribed costs 1 credit.',
    isSpeech: false,
  },
  list: {
    name: 'list_follows',
    title: 'List what is followed',
    description: 'The followed channels and playlists, how each stands and what it has cost, with the newest videos.',
    price: 'Free.',
    isSpeech: false,
  },
} as const;
