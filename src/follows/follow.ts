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

const videoKind = z.enum(videoKinds).meta({ id: 'FollowedKind', description: 'which videos of a channel are read' });

const pauseReason = z.enum(pauseReasons).meta({
  id: 'PauseReason',
  description:
    '`owner`: as asked; `source_gone`: the platform has refused the source for days; `source_too_large`: a playlist that has grown beyond what is looked at; `key_revoked`, `key_expired`: the key that made the follow is no longer valid',
});

export type PauseReason = z.output<typeof pauseReason>;

const options = {
  language: orNull(field.language, 'the default of each video'),
  captions: z.enum(['any', 'manual', 'automatic']).describe('which captions are read'),
  operations: z
    .string()
    .nullable()
    .describe('`wrd_…`: operations on each video after its transcript, as JSON; null: none, or erased'),
  keep: z.boolean().describe('whether the transcripts go into the library of the account'),
  kinds: z.array(videoKind).readonly().describe('which videos of a channel are read'),
  webhookUrl: z.string().nullable().describe('`wrd_…`: the URL that is told of each video; null: none'),
  maxCreditsPerPeriod: z.int().describe('what it may cost in one accounting period'),
  intervalS: z.int().describe('seconds between two looks at the source'),
};

const about = { followId: field.followId, accountId: field.accountId };

export const followEvents = {
  FollowStarted: event(
    'An account follows a channel or playlist. Videos that are to be read although they were there before are found in the same transaction.',
    {
      ...about,
      sourceKind: z.enum(['channel', 'playlist']).describe('what is followed'),
      sourceId: z.string().describe('its id on the platform'),
      ...options,
      keyId: orNull(field.keyId, 'made on a page'),
      requestId: field.requestId,
      at: field.at,
    },
  ),
  FollowOptionsChosen: event('Its owner wants other things of it from now on: all of them, as they are now.', {
    ...about,
    ...options,
    at: field.at,
  }),
  FollowPaused: event('Nothing is looked for and nothing new is read. Told to webhooks.', {
    ...about,
    why: pauseReason,
    at: field.at,
  }),
  FollowResumed: event('It goes on; what appeared meanwhile is read. Its jobs are those of `keyId` from now on.', {
    ...about,
    keyId: orNull(field.keyId, 'on a page'),
    at: field.at,
  }),
  FollowKeyReplaced: event('The key behind the follow was rolled: its jobs are those of the new one from now on.', {
    ...about,
    keyId: field.keyId,
    at: field.at,
  }),
  FollowFeedMoved: event('Its feed has another secret address; the former one is no longer valid.', {
    ...about,
    generation: field.generation,
    at: field.at,
  }),
  FollowEnded: event('It is over. What is being read is read to its end.', { ...about, at: field.at }),
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

export type Follow = {
  readonly followId: string;
  readonly accountId: string;
  readonly source: Source;
  readonly options: FollowOptions;
  readonly keyId: string | null;
  /** The request that made it. */
  readonly requestId: string;
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
    const { followId, accountId, keyId, requestId, sourceKind: kind, sourceId: id } = data;
    const began = { status: 'active', reason: null, feedGeneration: 1, createdAt: data.at } as const;
    return { followId, accountId, keyId, requestId, source: { kind, id }, options: optionsOf(data), ...began };
  }
  if (follow === null) return null;
  switch (type) {
    case 'FollowOptionsChosen':
      return { ...follow, options: optionsOf(data) };
    case 'FollowPaused':
      return { ...follow, status: 'paused', reason: data.why };
    case 'FollowResumed':
      return { ...follow, status: 'active', reason: null, keyId: data.keyId };
    case 'FollowKeyReplaced':
      return { ...follow, keyId: data.keyId };
    case 'FollowFeedMoved':
      return { ...follow, feedGeneration: data.generation };
    case 'FollowEnded':
      return { ...follow, status: 'ended', reason: null };
  }
};

/** The options among the data of an event. */
export const optionsOf = ({
  language,
  captions,
  operations,
  keep,
  kinds,
  webhookUrl,
  maxCreditsPerPeriod,
  intervalS,
}: FollowOptions): FollowOptions => ({
  language,
  captions,
  operations,
  keep,
  kinds,
  webhookUrl,
  maxCreditsPerPeriod,
  intervalS,
});

/** The id of a change is derived from its place in the stream, that of the beginning from its follow. */
export const idOf = (stream: string, { type, data }: FollowEvent, version: bigint): string =>
  type === 'FollowStarted' ? uuidOf(`${type}|${data.followId}`) : uuidOf(`${stream}|${version}`);
