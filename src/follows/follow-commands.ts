import { createHmac, timingSafeEqual } from 'node:crypto';
import { lookSharedS } from '../contract/follows.ts';
import type { Call } from '../kernel/call.ts';
import type { KeyRing } from '../kernel/key-ring.ts';
import { invalidRequest, Refusal } from '../kernel/refusal.ts';
import * as follow from './follow.ts';
import { callMeta, decideOnFollow, readFollow, requireOwn } from './follow-streams.ts';
import { lookAtSource } from './look-at-source.ts';
import { decideEnd, decide as decidePause } from './pause-follows.ts';
import { requireInterval, type StartFollowDeps, startFollow } from './start-follow.ts';

/** What of a follow is to be other; absent: it stays. */
export type FollowChanges = {
  readonly [Name in keyof follow.FollowOptions]?: follow.FollowOptions[Name] | undefined;
};

type FollowRef = { readonly followId: string };

const refuseTooMany = ({ changes }: follow.State): void => {
  if (changes < follow.maxChanges) return;
  const message = 'This follow was changed too many times; end it and start another one.';
  throw invalidRequest(message, { path: 'follow', code: 'too_many_changes' });
};

/** Throws INVALID_REQUEST for a follow that is over. */
const requireOpen = (one: follow.Follow): follow.Follow => {
  if (one.status !== 'ended') return one;
  throw invalidRequest('This follow has ended.', { path: 'follow_id', code: 'ended' });
};

/** Decides on `one`, a follow of the caller. */
type DecideOnOwn = (state: follow.State, now: Date, one: follow.Follow) => readonly follow.FollowEvent[];

export type FollowCommands = ReturnType<typeof followCommands>;

/** The commands on follows. `operations` of options as they are stored. */
export const followCommands = (deps: StartFollowDeps) => {
  /** Decides on a follow. Throws FOLLOW_NOT_FOUND, also for a follow of another account. */
  const change = async (call: Call, { followId }: FollowRef, decide: DecideOnOwn, isDueNow = false): Promise<void> => {
    await decideOnFollow(deps, followId, { meta: (now) => callMeta(call, now), isDueNow }, (state, now) =>
      decide(state, now, requireOwn(state, call.accountId)),
    );
  };
  return {
    startFollow: startFollow(deps),
    /** The owner wants other things; nothing happens where they are as they were. */
    editFollow: async (call: Call, { followId, changes }: FollowRef & { readonly changes: FollowChanges }) => {
      const { accountId } = call;
      requireOwn(await readFollow(deps, followId), accountId);
      const { webhookUrl: url, intervalS } = changes;
      if (intervalS !== undefined) requireInterval(intervalS, deps);
      const webhookUrl = typeof url === 'string' ? await deps.requireReachable(url) : url;
      const given = Object.entries({ ...changes, webhookUrl }).filter(([, value]) => value !== undefined);
      await change(call, { followId }, (state, now, one) => {
        const { options } = requireOpen(one);
        const after = follow.optionsOf({ ...options, ...Object.fromEntries(given) });
        if (JSON.stringify(after) === JSON.stringify(options)) return [];
        refuseTooMany(state);
        return [{ type: 'FollowOptionsChosen', data: { followId, accountId, ...after, at: now.toISOString() } }];
      });
    },
    pauseFollow: async (call: Call, ref: FollowRef) =>
      change(call, ref, (state, now, one) => {
        requireOpen(one);
        refuseTooMany(state);
        return decidePause({ type: 'PauseFollow', data: { why: 'owner' }, metadata: { now } }, state);
      }),
    /** A paused follow goes on under the key of who lets it. */
    resumeFollow: async (call: Call, ref: FollowRef) => {
      const { actor } = call;
      const keyId = actor.type === 'key' ? actor.id : null;
      const resume: DecideOnOwn = (state, now, one) => {
        const { followId, accountId, status } = requireOpen(one);
        if (status !== 'paused') return [];
        refuseTooMany(state);
        return [{ type: 'FollowResumed', data: { followId, accountId, keyId, at: now.toISOString() } }];
      };
      const isDueNow = true;
      await change(call, ref, resume, isDueNow);
    },
    endFollow: async (call: Call, ref: FollowRef) => change(call, ref, (state, now) => decideEnd(now, state)),
    /** Changes the address of the feed. Throws INVALID_REQUEST for a follow that has ended or was changed too often. */
    moveFollowFeed: async (call: Call, ref: FollowRef) =>
      change(call, ref, (state, now, one) => {
        const { followId, accountId, feedGeneration } = requireOpen(one);
        refuseTooMany(state);
        const generation = feedGeneration + 1;
        return [{ type: 'FollowFeedMoved', data: { followId, accountId, generation, at: now.toISOString() } }];
      }),
    /** Looks at the source now. Throws RATE_LIMITED where the last look is younger than a minute. */
    checkFollow: async (call: Call, { followId }: FollowRef): Promise<void> => {
      const one = requireOpen(requireOwn(await readFollow(deps, followId), call.accountId));
      await deps.admit(call.accountId);
      const key = follow.sourceKeyOf(one.source);
      const ageS = (await deps.sources.find(key))?.ageS ?? 0;
      if (ageS < lookSharedS) {
        const waitS = Math.ceil(lookSharedS - ageS);
        const message = `The source was checked less than a minute ago. It can be checked again in ${waitS} s.`;
        const reset = Math.ceil(deps.clock().getTime() / 1000) + waitS;
        throw new Refusal('RATE_LIMITED', message, { policy: 'source_looks', limit: 1, reset }, waitS);
      }
      await lookAtSource(deps)(key, AbortSignal.any([call.signal, AbortSignal.timeout(deps.timeoutMs)]));
    },
  };
};

/** The secret part of the address of a feed: the follow, and what proves it. */
export const feedTokenOf = (
  { followId, feedGeneration }: Pick<follow.Follow, 'followId' | 'feedGeneration'>,
  key: Uint8Array,
): string => `${followId.slice('fol_'.length)}${macOf(followId, feedGeneration, key).toString('base64url')}`;

const macOf = (followId: string, generation: number, key: Uint8Array): Buffer =>
  createHmac('sha256', key).update(`${followId}|${generation}`).digest();

const tokenForm = /^([0-9a-f]{32})([A-Za-z0-9_-]{43})$/;

/** The id in the address of a feed; null: it is none. It proves nothing yet. */
export const followIdIn = (token: string): string | null => {
  const [, id] = tokenForm.exec(token) ?? [];
  return id === undefined ? null : `fol_${id}`;
};

/** Whether an address of a feed is the present one of this follow. */
export const isFeedTokenGood = (
  token: string,
  { followId, feedGeneration }: Pick<follow.Follow, 'followId' | 'feedGeneration'>,
  { all }: KeyRing,
): boolean => {
  const [, , mac = ''] = tokenForm.exec(token) ?? [];
  const given = Buffer.from(mac, 'base64url');
  return all.some(({ bytes }) => {
    const good = macOf(followId, feedGeneration, bytes);
    return given.length === good.length && timingSafeEqual(given, good);
  });
};
