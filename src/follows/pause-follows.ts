import type { Command } from '@event-driven-io/emmett';
import { systemMeta } from '../eventlog/event-log.ts';
import type * as follow from './follow.ts';
import { decideOnFollow, type FollowStreams } from './follow-streams.ts';

/** Pauses a follow; it stays as it is where it is paused or over. */
export type PauseFollow = Command<'PauseFollow', { why: follow.PauseReason }, { now: Date }>;

/** Nothing if the follow is not active. */
export const decide = (
  { data: { why }, metadata: { now } }: PauseFollow,
  { follow: one }: follow.State,
): readonly follow.FollowEvent[] => {
  if (one?.status !== 'active') return [];
  const { followId, accountId } = one;
  return [{ type: 'FollowPaused', data: { followId, accountId, why, at: now.toISOString() } }];
};

/** Ends a follow; it stays as it is where it is over. */
export const decideEnd = (now: Date, { follow: one }: follow.State): readonly follow.FollowEvent[] => {
  if (one === null || one.status === 'ended') return [];
  const { followId, accountId } = one;
  return [{ type: 'FollowEnded', data: { followId, accountId, at: now.toISOString() } }];
};

/** Pauses the follows of a key, an authorization or a source, for a reason that its owner did not choose. Safe to run twice. */
export const pauseFollows =
  (deps: Pick<FollowStreams, 'log' | 'sources' | 'clock'>) =>
  async (
    of: { readonly keyId: string } | { readonly authorizationId: string } | { readonly source: string },
    why: Exclude<follow.PauseReason, 'owner'>,
  ): Promise<void> => {
    for (const { followId, accountId } of await deps.sources.followsOf(of)) {
      const meta = (now: Date) => systemMeta(accountId, now);
      await decideOnFollow(deps, followId, { meta }, (state, now) => {
        // It may have been resumed under another key meanwhile.
        const isStill =
          'source' in of ||
          ('keyId' in of ? state.follow?.keyId === of.keyId : state.follow?.authorizationId === of.authorizationId);
        return isStill ? decide({ type: 'PauseFollow', data: { why }, metadata: { now } }, state) : [];
      });
    }
  };

/** Ends all follows of an account that is erased. Safe to run twice. */
export const endFollows =
  (deps: Pick<FollowStreams, 'log' | 'sources' | 'clock'>) =>
  async (accountId: string): Promise<void> => {
    for (const { followId } of await deps.sources.followsOf({ accountId })) {
      const meta = (now: Date) => systemMeta(accountId, now);
      await decideOnFollow(deps, followId, { meta }, (state, now) => decideEnd(now, state));
    }
  };
