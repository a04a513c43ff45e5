import { z } from 'zod';
import * as field from '../contract/event-fields.ts';
import { type EventOf, event, orNull } from '../eventlog/event-schema.ts';
import { uuidOf } from '../kernel/ids.ts';

/*
 * One video that one follow has found: found once, whatever happens to it on the platform. Bound: some 60 events (a
 * wait grows with the age of the video, and the tries of each kind are counted), and one for each change of its captions
 * at the few times at which they are looked at again.
 */
export const streamOf = (followId: string, videoId: string): string => `follow-video-${followId}-${videoId}`;

const about = { followId: field.followId, accountId: field.accountId, videoId: field.videoId };

const waitReason = z
  .enum(['live', 'captions', 'platform'])
  .meta({
    id: 'WaitReason',
    description:
      '`live`: the video has not started or is live. `captions`: the requested captions do not exist yet. `platform`: the platform failed',
  });

export type WaitReason = z.output<typeof waitReason>;

const contentHash = z.string().describe('SHA-256 (hex) of the captions that were read, as their charge has it');

export const followedVideoEvents = {
  FollowVideoFound: event('The follow found a new video. This happens once per video.', {
    ...about,
    isShort: z.boolean().describe('whether the platform lists the video as a short'),
    at: field.at,
  }),
  FollowVideoPostponed: event('The video cannot be read yet and is retried at `retryAt`.', {
    ...about,
    why: waitReason,
    code: field.errorCode.nullable().describe('error code for the response of the platform; null: none'),
    waits: z.int().describe('number of postponements, including this one'),
    retryAt: field.retryAt,
    at: field.at,
  }),
  FollowVideoTranscribed: event('A job read the transcript of the video and charged it. Webhooks are notified.', {
    ...about,
    jobId: field.jobId,
    creditsCharged: field.creditsCharged,
    chargeId: orNull(field.chargeId, 'nothing was charged'),
    language: orNull(field.language, 'not known'),
    contentHash: orNull(contentHash, 'not known'),
    at: field.at,
  }),
  FollowVideoFailed: event('The video cannot be read and is not retried. Nothing is charged. Webhooks are notified.', {
    ...about,
    jobId: orNull(field.jobId, 'no job tried to read it'),
    code: field.errorCode,
    at: field.at,
  }),
  FollowVideoPassedOver: event('The video is not read, because its kind was not requested or its job was cancelled.', {
    ...about,
    why: z.enum(['kind', 'cancelled']).describe('the reason'),
    at: field.at,
  }),
  FollowCaptionsChanged: event('The captions of the video have changed since they were read. Webhooks are notified.', {
    ...about,
    contentHash: z.string().describe('SHA-256 (hex) of the current captions'),
    previousContentHash: z.string().describe('SHA-256 (hex) of the previous captions'),
    at: field.at,
  }),
};

export type FollowedVideoEvent = EventOf<typeof followedVideoEvents>;
export type FollowVideoFound = EventOf<typeof followedVideoEvents, 'FollowVideoFound'>;
export type FollowVideoPostponed = EventOf<typeof followedVideoEvents, 'FollowVideoPostponed'>;
export type FollowVideoTranscribed = EventOf<typeof followedVideoEvents, 'FollowVideoTranscribed'>;

export type State = {
  /** Null before it was found. */
  readonly found: FollowVideoFound['data'] | null;
  /** `over`: it failed or was passed over. */
  readonly status: 'waiting' | 'complete' | 'over';
  /** Waits so far, by their reason. */
  readonly waits: Readonly<Record<WaitReason, number>>;
  /** The newest wait; null: there was none. */
  readonly wait: { readonly at: string; readonly retryAt: string } | null;
  /** When it was first seen to be neither to come nor live, if it was; the tries for captions count from there. */
  readonly overSince: string | null;
  readonly contentHash: string | null;
  readonly language: string | null;
};

export const initialState = (): State => ({
  found: null,
  status: 'waiting',
  waits: { live: 0, captions: 0, platform: 0 },
  wait: null,
  overSince: null,
  contentHash: null,
  language: null,
});

export const evolve = (state: State, { type, data }: FollowedVideoEvent): State => {
  switch (type) {
    case 'FollowVideoFound':
      return { ...state, found: data };
    case 'FollowVideoPostponed': {
      const { why, retryAt, at } = data;
      const waits = { ...state.waits, [why]: state.waits[why] + 1 };
      const since = why === 'captions' && state.waits.live > 0 ? at : null;
      return { ...state, waits, wait: { at, retryAt }, overSince: state.overSince ?? since };
    }
    case 'FollowVideoTranscribed':
      return { ...state, status: 'complete', contentHash: data.contentHash, language: data.language };
    case 'FollowVideoFailed':
    case 'FollowVideoPassedOver':
      return state.status === 'complete' ? state : { ...state, status: 'over' };
    case 'FollowCaptionsChanged':
      return { ...state, contentHash: data.contentHash };
  }
};

/** How often it was put off: a task names the number that it follows, and the id of a job is made of it. */
export const waitsOf = ({ waits }: Pick<State, 'waits'>): number => waits.live + waits.captions + waits.platform;

/** The id of an event is derived from its subject, so that a repeat is stored once. */
export const idOf = (stream: string, { type, data }: FollowedVideoEvent, version: bigint): string => {
  switch (type) {
    case 'FollowVideoFound':
      return uuidOf(`${stream}|${type}`);
    case 'FollowVideoTranscribed':
      return uuidOf(`${stream}|${type}|${data.jobId}`);
    case 'FollowVideoPostponed':
    case 'FollowVideoFailed':
    case 'FollowVideoPassedOver':
    case 'FollowCaptionsChanged':
      return uuidOf(`${stream}|${version}`);
  }
};
