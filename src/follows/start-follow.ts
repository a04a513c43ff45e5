import type { Command } from '@event-driven-io/emmett';
import { LRUCache } from 'lru-cache';
import { lookSharedS, maxPlaylistVideos } from '../contract/follows.ts';
import type { EventMeta } from '../eventlog/event-log.ts';
import { newEvent } from '../eventlog/new-event.ts';
import { nameLink } from '../extraction/link-kind.ts';
import { type Call, callerOf } from '../kernel/call.ts';
import { invalidRequest, Refusal } from '../kernel/refusal.ts';
import * as follow from './follow.ts';
import { callMeta, readFollow } from './follow-streams.ts';
import * as video from './followed-video.ts';
import {
  type FirstLook,
  firstLook,
  type LookAtSourceDeps,
  lookAtSource,
  SourceTooLargeError,
} from './look-at-source.ts';
import type { SeenUpTo, SeenVideo } from './source-store.ts';

export type StartFollow = Command<'StartFollow', Omit<follow.FollowStarted['data'], 'at'>, { now: Date }>;

/** A follow that is there is not begun again. */
export const decide = (
  { data, metadata: { now } }: StartFollow,
  { follow: one }: follow.State,
): follow.FollowEvent[] => {
  if (one !== null) return [];
  const { followId, accountId, sourceKind, sourceId, keyId, authorizationId, requestId } = data;
  const by = { keyId, ...(authorizationId === undefined ? {} : { authorizationId }), requestId };
  const started = { followId, accountId, sourceKind, sourceId, ...follow.optionsOf(data), ...by };
  return [{ type: 'FollowStarted', data: { ...started, at: now.toISOString() } }];
};

/** What a caller wants followed. `operations` as they are stored. */
export type WantedFollow = Omit<follow.FollowOptions, 'intervalS'> & {
  /** A channel or a playlist, by its id, its handle or any link. */
  readonly reference: string;
  /** Seconds; null: the default of the service. */
  readonly intervalS: number | null;
  /** So many of the newest videos that are there are read too. */
  readonly backfill: number;
};

export type StartFollowDeps = LookAtSourceDeps & {
  /** Counts a call that lists, before it asks the platform. Throws RATE_LIMITED above the limit of its caller. */
  readonly admit: (caller: string) => Promise<void>;
  /** How long a caller waits for a first look, milliseconds. */
  readonly timeoutMs: number;
  /** Returns the normalized URL; refuses a URL that deliveries may not be sent to. */
  readonly requireReachable: (url: string) => Promise<string>;
  /** Follows that the plan of an account allows. */
  readonly limitOf: (accountId: string) => Promise<number>;
  readonly defaultIntervalS: number;
  readonly minIntervalS: number;
};

/** Seconds between two looks as wanted, or the default. Throws INVALID_REQUEST below the least. */
export const requireInterval = (
  wanted: number | null,
  { defaultIntervalS, minIntervalS }: Pick<StartFollowDeps, 'defaultIntervalS' | 'minIntervalS'>,
): number => {
  const intervalS = wanted ?? Math.max(defaultIntervalS, minIntervalS);
  if (intervalS >= minIntervalS) return intervalS;
  const message = `interval_seconds must be ${minIntervalS} or more.`;
  throw invalidRequest(message, { path: 'interval_seconds', code: 'too_small' }, { min: minIntervalS });
};

/** Throws INVALID_REQUEST for what is neither a channel nor a playlist. */
const requireSource = (reference: string) => {
  const named = nameLink(reference.trim());
  const refuse = (message: string, code: string) => invalidRequest(message, { path: 'source', code });
  if (named === null) throw refuse('This is not a channel or playlist.', 'malformed');
  if (named.kind === 'video') throw refuse('A video cannot be followed: name its channel or a playlist.', 'video');
  return { kind: named.kind, reference: named.reference };
};

type Baseline = {
  readonly source: follow.Source;
  readonly upTo: SeenUpTo;
  /** The oldest first. */
  readonly videos: FirstLook['videos'];
};

/** Ids of sources by what they were called, so that a name which many use is asked for once. */
const namesKept = { max: 10_000, ttl: 3_600_000 };

/**
 * The source as it is now: from a look that others have just made, or a look of one's own. The videos are read only where
 * some of them are wanted.
 */
const baselineOf = async (
  deps: StartFollowDeps & { readonly idsByName: LRUCache<string, string> },
  wanted: ReturnType<typeof requireSource>,
  options: { readonly backfill: number; readonly intervalS: number; readonly signal: AbortSignal },
): Promise<Baseline> => {
  const { sources, engine, idsByName } = deps;
  const { backfill, intervalS, signal } = options;
  const name = `${wanted.kind} ${wanted.reference.toLowerCase()}`;
  const id = wanted.kind === 'playlist' || wanted.reference.startsWith('UC') ? wanted.reference : idsByName.get(name);
  if (id !== undefined && backfill === 0) {
    const source: follow.Source = { kind: wanted.kind, id };
    const shared = await seenNow(deps, source, signal);
    if (shared !== null) return { source, upTo: shared, videos: [] };
  }
  const { source, ...look } = await firstLook(engine, wanted, { signal, needsKinds: backfill > 0 });
  const { title, videos, isPartial } = look;
  idsByName.set(name, source.id);
  const key = follow.sourceKeyOf(source);
  const first = { source: key, title, videos, isPartial, intervalS, etag: null, lastModified: null };
  return { source, upTo: (await seenNow(deps, source, signal)) ?? (await sources.begin(first)), videos };
};

/** What is known of a source that somebody follows, as of now; null: nobody does. */
const seenNow = async (deps: StartFollowDeps, source: follow.Source, signal: AbortSignal): Promise<SeenUpTo | null> => {
  const key = follow.sourceKeyOf(source);
  const known = await deps.sources.find(key);
  if (known === null) return null;
  if (known.ageS < lookSharedS && known.refusedForMs === null) return await deps.sources.seenUpTo(key);
  const looked = await lookAtSource(deps)(key, signal);
  if (looked !== null || (await deps.sources.find(key)) === null) return looked;
  const code = source.kind === 'channel' ? 'CHANNEL_NOT_FOUND' : 'PLAYLIST_NOT_FOUND';
  throw new Refusal(code, `The platform refuses this ${source.kind}.`);
};

/** How often a follow is begun anew because its source was forgotten meanwhile. */
const maxRounds = 3;

/**
 * Follows a channel or playlist from now on: what is there now is settled before this resolves. Resolves to the id of the
 * follow; a repeat of the operation to the same one.
 */
export const startFollow = (given: StartFollowDeps) => {
  const deps = { ...given, idsByName: new LRUCache<string, string>(namesKept) };
  return async (call: Call, wanted: WantedFollow): Promise<{ readonly followId: string }> => {
    const { accountId } = call;
    const followId = follow.followIdOf(accountId, call.deduplicationKey);
    if ((await readFollow(deps, followId)).follow !== null) return { followId };
    const intervalS = requireInterval(wanted.intervalS, deps);
    const { reference, backfill, ...chosen } = wanted;
    const source = requireSource(reference);
    const webhookUrl = chosen.webhookUrl === null ? null : await deps.requireReachable(chosen.webhookUrl);
    const limit = await deps.limitOf(accountId);
    if ((await deps.sources.followsOf({ accountId })).length >= limit) throw tooMany(limit);
    await deps.admit(callerOf(call));
    const timeout = AbortSignal.timeout(deps.timeoutMs);
    const signal = AbortSignal.any([call.signal, timeout]);
    const options = { ...chosen, intervalS, webhookUrl };
    for (let round = 0; round < maxRounds; round += 1) {
      const from = await baselineOf(deps, source, { backfill, intervalS, signal }).catch((error: unknown) => {
        if (error instanceof SourceTooLargeError) throw tooLarge();
        if (timeout.aborted && !call.signal.aborted) throw tooSlow();
        throw error;
      });
      const started = { ...options, followId, sourceKind: from.source.kind, sourceId: from.source.id };
      if (await append(deps, call, { started, from, backfill, limit })) return { followId };
      if ((await readFollow(deps, followId)).follow !== null) return { followId };
    }
    const message = 'The follows of this source are being changed right now. Try again.';
    throw new Refusal('SERVICE_UNAVAILABLE', message, null, 1);
  };
};

const tooMany = (limit: number): Refusal =>
  invalidRequest(
    `The plan of the account allows ${limit} follows; end one first.`,
    { path: 'follows', code: 'too_many' },
    { limit },
  );

const tooLarge = (): Refusal =>
  invalidRequest(
    `A followed playlist may have at most ${maxPlaylistVideos.toLocaleString('en')} videos.`,
    { path: 'source', code: 'too_big' },
    { max: maxPlaylistVideos },
  );

const tooSlow = (): Refusal =>
  new Refusal('PLATFORM_TIMEOUT', 'The platform took too long to list the source.', null, 5);

/** Thrown inside the transaction, so that nothing of it stays. */
class SourceForgottenError extends Error {
  override readonly name = 'SourceForgottenError';
}

/** Stores the follow, what of its source is known to it, and the videos that are read although they were there. */
const append = async (
  { log, sources, clock }: StartFollowDeps,
  call: Call,
  {
    started,
    from,
    backfill,
    limit,
  }: {
    readonly started: follow.FollowOptions & Pick<StartFollow['data'], 'followId' | 'sourceKind' | 'sourceId'>;
    readonly from: Baseline;
    readonly backfill: number;
    readonly limit: number;
  },
): Promise<boolean> => {
  const { accountId, authorizationId, requestId, actor } = call;
  const { followId } = started;
  const now = clock();
  const meta = callMeta(call, now);
  const keyId = actor.type === 'key' ? actor.id : null;
  const by = { keyId, ...(authorizationId === undefined ? {} : { authorizationId }) };
  const data = { ...started, accountId, ...by, requestId };
  const stream = follow.streamOf(followId);
  const events = decide({ type: 'StartFollow', data, metadata: { now } }, follow.initialState());
  const stored = events.map((one) => newEvent(one, follow.idOf(stream, one, 1n), meta));
  const isWanted = ({ isShort }: SeenVideo): boolean =>
    (isShort ? ['shorts'] : ['videos', 'streams']).some((kind) => started.kinds.some((one) => one === kind));
  const readable = from.videos.filter((one) => one.isReadable && isWanted(one));
  const older = backfill === 0 ? [] : readable.slice(-backfill);
  const found = older.map((one) => foundAppend({ followId, accountId }, one, { at: now.toISOString(), meta }));
  const key = follow.sourceKeyOf(from.source);
  const { intervalS, kinds } = started;
  try {
    const outcomes = await log.append([{ stream, expected: 0n, events: stored }, ...found], {
      within: async (transaction) => {
        const about = { followId, accountId, keyId, authorizationId: authorizationId ?? null, source: key };
        const subscription = { ...about, intervalS, kinds, readTo: from.upTo, limit };
        if (!(await sources.subscribeIn(transaction, subscription))) throw new SourceForgottenError();
      },
    });
    return outcomes.every(({ outcome }) => outcome !== 'conflict');
  } catch (error) {
    if (error instanceof SourceForgottenError) return false;
    throw error;
  }
};

/** The append that says that a follow has found a video. */
export const foundAppend = (
  { followId, accountId }: { readonly followId: string; readonly accountId: string },
  { videoId, isShort }: Pick<SeenVideo, 'videoId' | 'isShort'>,
  { at, meta }: { readonly at: string; readonly meta: EventMeta },
) => {
  const stream = video.streamOf(followId, videoId);
  const found: video.FollowVideoFound = {
    type: 'FollowVideoFound',
    data: { followId, accountId, videoId, isShort, at },
  };
  return { stream, expected: 0n, events: [newEvent(found, video.idOf(stream, found, 1n), meta)] };
};
