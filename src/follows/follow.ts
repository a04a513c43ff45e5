import { z } from 'zod';
import * as field from '../contract/event-fields.ts';
import { pauseReasons, videoKinds } from '../contract/follows.ts';
import { type EventOf, event, orNull } from '../eventlog/event-schema.ts';
import { uuidOf } from '../kernel/ids.ts';

/*
 * A follow is one stream of what its owner decided about it, and of its pauses. Each video that it finds has a stream of
 * its own (`followed-video.ts`), and so has its budget in each accounting period (`follow-budget.ts`): the cost of a
 * video does not depend on how long a follow lives. Bound: `maxChanges` events; further changes are refused.
 */
export const maxChanges = 10_000;

export const streamOf = (followId: string): string => `follow-${followId}`;

/** Whether a text has the form of the id of a follow. No other text is looked up. */
export const isFollowId = (text: string): boolean => /^fol_[0-9a-f]{32}$/.test(text);

/** The same operation makes the same follow, however often it is sent. */
export const followIdOf = (accountId: string, deduplicationKey: string): string =>
  `fol_${uuidOf(`${accountId}|${deduplicationKey}|follow`).replaceAll('-', '')}`;

/** What is followed. `id` is that of the platform. */
export type Source = { readonly kind: 'channel' | 'playlist'; readonly id: string };

/** The name of a source, under which everybody who follows it shares its looks. */
export const sourceKeyOf = ({ kind, id }: Source): string => `${kind}:${id}`;

/** Reads what `sourceKeyOf` wrote. */
export const sourceOf = (key: string): Source => {
  const [kind, id = ''] = key.split(/:(.*)/s);
  return { kind: kind === 'playlist' ? 'playlist' : 'channel', id };
};

const videoKind = z.enum(videoKinds).meta({ id: 'FollowedKind', description: 'a kind of videos of a channel' });

const pauseReason = z
  .enum(pauseReasons)
  .meta({
    id: 'PauseReason',
    description:
      '`owner`: on request. `source_gone`: the platform has refused the source for `FOLLOW_PAUSE_AFTER`. `source_too_large`: the playlist has grown beyond the limit. `key_revoked`, `key_expired`: the key of the follow is no longer valid. `grant_ended`, `grant_expired`, `grant_spent`: the authorization of the follow has ended or expired, or its budget is too small for another video',
  });

export type PauseReason = z.output<typeof pauseReason>;

const options = {
  language: orNull(field.language, 'the default of each video'),
  captions: z.enum(['any', 'manual', 'automatic']).describe('which captions are read'),
  operations: z
    .string()
    .nullable()
    .describe('`wrd_…`: operations that run on each transcript, as JSON; null: none, or erased'),
  keep: z.boolean().describe('whether the transcripts are kept in the library of the account'),
  kinds: z.array(videoKind).readonly().describe('which videos of a channel are read'),
  webhookUrl: z.string().nullable().describe('`wrd_…`: the URL that is notified of each video; null: none'),
  maxCreditsPerPeriod: z.int().describe('maximum credits in one accounting period'),
  intervalS: z.int().describe('interval between checks of the source, in seconds'),
};

const about = { followId: field.followId, accountId: field.accountId };

export const followEvents = {
  FollowStarted: event(
    'An account follows a channel or playlist. For existing videos that are to be read, `FollowVideoFound` is appended in the same transaction.',
    {
      ...about,
      sourceKind: z.enum(['channel', 'playlist']).describe('kind of the source'),
      sourceId: z.string().describe('id of the source on the platform'),
      ...options,
      keyId: orNull(field.keyId, 'started on a page or by an authorized application'),
      authorizationId: field.authorizationId.exactOptional(),
      requestId: field.requestId,
      at: field.at,
    },
  ),
  FollowOptionsChosen: event('The owner changed the options. All of them are listed, with their new values.', {
    ...about,
    ...options,
    at: field.at,
  }),
  FollowPaused: event(
    'The follow was paused: its source is not checked, and no new videos are read. Webhooks are notified.',
    { ...about, why: pauseReason, at: field.at },
  ),
  FollowResumed: event(
    'The follow was resumed: videos published meanwhile are read. Its jobs belong to `keyId` from now on.',
    { ...about, keyId: orNull(field.keyId, 'resumed on a page'), at: field.at },
  ),
  FollowKeyReplaced: event('The key of the follow was rolled: its jobs belong to the new key from now on.', {
    ...about,
    keyId: field.keyId,
    at: field.at,
  }),
  FollowFeedMoved: event('The feed got a new secret address; the previous one is no longer valid.', {
    ...about,
    generation: field.generation,
    at: field.at,
  }),
  FollowEnded: event('The follow ended. Videos in progress are still read.', { ...about, at: field.at }),
};

export type FollowEvent = EventOf<typeof followEvents>;
export type FollowStarted = EventOf<typeof followEvents, 'FollowStarted'>;

/** What a follow reads, how often it looks, and what it may cost. */
export type FollowOptions = Pick<FollowStarted['data'], keyof typeof options>;

export type State = {
  /** Null before the follow exists. */
  readonly follow: Follow | null;
  readonly changes: number;
};

/** `requestId`: that made it; `authorizationId`: an application did. Absent: none did, or its owner let it go on. */
export type Follow = Pick<
  FollowStarted['data'],
  'followId' | 'accountId' | 'keyId' | 'authorizationId' | 'requestId'
> & {
  readonly source: Source;
  readonly options: FollowOptions;
  readonly createdAt: string;
  readonly status: 'active' | 'paused' | 'ended';
  /** Why it is paused; null while it is not. */
  readonly reason: PauseReason | null;
  readonly feedGeneration: number;
};

export const initialState = (): State => ({ follow: null, changes: 0 });

export const evolve = ({ follow, changes }: State, happened: FollowEvent): State => ({
  follow: evolved(follow, happened),
  changes: changes + 1,
});

const evolved = (follow: Follow | null, { type, data }: FollowEvent): Follow | null => {
  if (type === 'FollowStarted') {
    const { followId, accountId, keyId, requestId, authorizationId, sourceKind: kind, sourceId: id } = data;
    const by = { keyId, requestId, ...(authorizationId === undefined ? {} : { authorizationId }) };
    const began = { status: 'active', reason: null, feedGeneration: 1, createdAt: data.at } as const;
    return { followId, accountId, ...by, source: { kind, id }, options: optionsOf(data), ...began };
  }
  if (follow === null) return null;
  switch (type) {
    case 'FollowOptionsChosen':
      return { ...follow, options: optionsOf(data) };
    case 'FollowPaused':
      return { ...follow, status: 'paused', reason: data.why };
    case 'FollowResumed': {
      const { authorizationId: _, ...its } = follow;
      return { ...its, status: 'active', reason: null, keyId: data.keyId };
    }
    case 'FollowKeyReplaced':
      return { ...follow, keyId: data.keyId };
    case 'FollowFeedMoved':
      return { ...follow, feedGeneration: data.generation };
    case 'FollowEnded':
      return { ...follow, status: 'ended', reason: null };
  }
};

/** The options among the data of an event. */
export const optionsOf = (data: FollowOptions): FollowOptions => {
  const { language, captions, operations, keep, kinds, webhookUrl, maxCreditsPerPeriod, intervalS } = data;
  return { language, captions, operations, keep, kinds, webhookUrl, maxCreditsPerPeriod, intervalS };
};

/** The id of a change is derived from its place in the stream, that of the beginning from its follow. */
export const idOf = (stream: string, { type, data }: FollowEvent, version: bigint): string =>
  type === 'FollowStarted' ? uuidOf(`${type}|${data.followId}`) : uuidOf(`${stream}|${version}`);
