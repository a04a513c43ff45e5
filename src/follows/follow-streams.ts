import { decisionBatcher } from '../eventlog/commands/decision-batcher.ts';
import { type EventLog, type EventMeta, isAppended, metaOf, type StoredCall } from '../eventlog/event-log.ts';
import { newEvent } from '../eventlog/new-event.ts';
import { foldedFrom, readState } from '../eventlog/read/read-state.ts';
import type { Clock } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import * as follow from './follow.ts';
import * as budget from './follow-budget.ts';
import * as video from './followed-video.ts';
import type { SourceStore } from './source-store.ts';

/** The streams of follows, and what was seen in their sources. */
export type FollowStreams = ReturnType<typeof followStreams>;

/** The command handlers of videos and budgets; one of each per process. */
export const followStreams = ({ log, sources, clock }: { log: EventLog; sources: SourceStore; clock: Clock }) => ({
  ...{ log, sources, clock },
  videos: decisionBatcher({ log, ...video }),
  budgets: decisionBatcher({ log, ...budget }),
});

/** The metadata of an event that a call causes. */
export const callMeta = (call: StoredCall, now: Date): EventMeta => metaOf(call, now.toISOString());

/** The state of a follow; the initial state for an id that no follow has. */
export const readFollow = async ({ log }: Pick<FollowStreams, 'log'>, followId: string): Promise<follow.State> =>
  follow.isFollowId(followId) ? (await readState(log, follow.streamOf(followId), follow)).state : follow.initialState();

/** A follow of another account is answered like an unknown one. */
export const requireOwn = ({ follow: one }: follow.State, accountId: string): follow.Follow => {
  if (one?.accountId === accountId) return one;
  throw new Refusal('FOLLOW_NOT_FOUND', 'This account has no follow with this id.');
};

/** What the looks know of a follow in this state. */
const subscriptionOf = ({ followId, accountId, keyId, authorizationId, source, options }: follow.Follow) => ({
  ...{ followId, accountId, keyId, authorizationId: authorizationId ?? null, source: follow.sourceKeyOf(source) },
  ...{ intervalS: options.intervalS, kinds: options.kinds },
});

/**
 * Decides on a follow under the lock of its stream, and writes how it stands in the same transaction. `isDueNow`: its
 * source is looked at as soon as a worker is free.
 */
export const decideOnFollow = async (
  { log, sources, clock }: Pick<FollowStreams, 'log' | 'sources' | 'clock'>,
  followId: string,
  { meta, isDueNow = false }: { readonly meta: (now: Date) => EventMeta; readonly isDueNow?: boolean },
  decide: (state: follow.State, now: Date) => readonly follow.FollowEvent[],
): Promise<follow.Follow | null> => {
  if (!follow.isFollowId(followId)) {
    decide(follow.initialState(), clock());
    return null;
  }
  const stream = follow.streamOf(followId);
  const now = clock();
  let after = follow.initialState();
  const outcomes = await log.appendLocked<follow.FollowEvent>(
    stream,
    1n,
    (recorded) => {
      const { state, version } = foldedFrom(follow, recorded);
      const events = decide(state, now);
      after = events.reduce(follow.evolve, state);
      if (events.length === 0) return [];
      const stored = events.map((event, index) =>
        newEvent(event, follow.idOf(stream, event, version + BigInt(index) + 1n), meta(now)),
      );
      return [{ stream, expected: version, events: stored }];
    },
    {
      within: async (transaction) => {
        if (after.follow === null) return;
        await sources.changeIn(transaction, { ...subscriptionOf(after.follow), status: after.follow.status, isDueNow });
      },
    },
  );
  if (!outcomes.every(isAppended)) throw new Error(`${stream} was written by another process`);
  return after.follow;
};
