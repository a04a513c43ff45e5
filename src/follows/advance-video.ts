import { bySystem } from '../eventlog/commands/decision-batcher.ts';
import { systemMeta } from '../eventlog/event-log.ts';
import type { Engine } from '../extraction/captions/caption-track.ts';
import { type ExpectedAttempt, isSuperseded } from '../kernel/attempt-fencing.ts';
import type { Call } from '../kernel/call.ts';
import { Refusal } from '../kernel/refusal.ts';
import { currentTraceparent } from '../kernel/tracing.ts';
import type * as follow from './follow.ts';
import * as budget from './follow-budget.ts';
import { decideOnFollow, type FollowStreams, readFollow } from './follow-streams.ts';
import * as video from './followed-video.ts';
import { decide as decidePause } from './pause-follows.ts';
import { decidePostponed, midOf, type RetrySchedule } from './postpone-video.ts';

/** The job of one video of a follow. `period` names the accounting period whose budget it is in. */
export type FollowedJob = {
  readonly followId: string;
  readonly period: string;
  readonly videoId: string;
  readonly options: follow.FollowOptions;
};

/** For whom a follow spends: a key with its cap, an authorization with its budget, or its owner. */
export type Payer = Pick<Call, 'actor' | 'authorizationId' | 'capCredits' | 'capPeriod' | 'warnAt' | 'budget'>;

/** The payer of a follow; a key may be another one, that it was rolled to. Or why there is none any more. */
export type PayerOf = (
  one: Pick<follow.Follow, 'keyId' | 'authorizationId'>,
) => Promise<Payer | Exclude<follow.PauseReason, 'owner'>>;

export type AdvanceDeps = FollowStreams & {
  readonly engine: Pick<Engine, 'readVideo'>;
  readonly retries: RetrySchedule;
  readonly payerOf: PayerOf;
  /** Whether the account may spend: it is neither suspended nor erased. */
  readonly isOpen: (accountId: string) => Promise<boolean>;
  /** The present accounting period of an account. */
  readonly periodOf: (accountId: string) => Promise<{ readonly opensAt: string; readonly closesAt: string }>;
  /** What reading one video may cost at most. */
  readonly priceOf: (options: follow.FollowOptions) => number;
  /** Starts the job of a video, or finds it; throws INSUFFICIENT_CREDITS. The same call makes the same job. */
  readonly startJob: (call: Call, job: FollowedJob) => Promise<unknown>;
  readonly jobIdOf: (accountId: string, deduplicationKey: string) => string;
};

/** How long a follow waits for credits of the account, the key or running jobs before it tries again, at most. */
const creditsRetryMs = 3_600_000;

/** `afterWaits`: how often the video had been put off when this was wanted; null: it does not matter. */
export type VideoTurn = { readonly followId: string; readonly videoId: string; readonly afterWaits: ExpectedAttempt };

/** `blocked`: nothing of this follow can be read now. */
export type Advanced = 'done' | 'blocked';

type Ready = { readonly one: follow.Follow; readonly state: video.State; readonly payer: Payer };

/**
 * Brings one video as far as it goes: it is put off, fails, waits for credits, or its job begins. Safe to run twice, also
 * at the same time: the streams of the follow, the video and the budget decide, and the id of the job is made of them.
 */
export const advanceVideo =
  (deps: AdvanceDeps) =>
  async (turn: VideoTurn, { signal }: { readonly signal: AbortSignal }): Promise<Advanced> => {
    const ready = await readyFor(deps, turn);
    if (typeof ready === 'string') return ready;
    const { one, state } = ready;
    const { followId, accountId } = one;
    const { videoId } = turn;
    const { opensAt, closesAt } = await deps.periodOf(accountId);
    const period = opensAt.slice(0, 'YYYY-MM-DD'.length);
    const deduplicationKey = `${followId}|${videoId}|${video.waitsOf(state)}`;
    const jobId = deps.jobIdOf(accountId, deduplicationKey);
    const { maxCreditsPerPeriod } = one.options;
    const about = { followId, accountId, period, videoId, jobId };
    const wanted = { ...about, credits: deps.priceOf(one.options), maxCreditsPerPeriod, closesAt };
    // A video that could not be paid is not looked at.
    const stream = budget.streamOf(followId, period);
    const known = await deps.budgets.read(stream);
    const decideReserve = (before: budget.State, now: Date) =>
      budget.decideReserve({ type: 'ReserveBudget', data: wanted, metadata: { now } }, before);
    const isBlocked = decideReserve(known, deps.clock()).every(({ type }) => type !== 'FollowBudgetReserved');
    if (isBlocked && !budget.isAdmitted(known, jobId)) return await noteBlocked(deps, accountId, stream, decideReserve);
    if (!(await isReadable(deps, ready, turn, signal))) return 'done';
    const isAdmitted = await deps.budgets.run(stream, {
      decide: (before) => decideReserve(before, deps.clock()),
      meta: systemMeta(accountId, deps.clock()),
      answer: (after) => budget.isAdmitted(after, jobId),
    });
    if (!isAdmitted) return 'blocked';
    try {
      const job = { followId, period, videoId, options: one.options };
      await deps.startJob(callFor(ready, deduplicationKey, signal), job);
      return 'done';
    } catch (error) {
      const waits = error instanceof Refusal ? waitAfter(error, { now: deps.clock(), closesAt }) : null;
      if (waits === null) throw error;
      await noteBlocked(deps, accountId, stream, (before, at) =>
        budget.decideWait(
          { type: 'WaitForCredits', data: { ...about, ...waits, maxCreditsPerPeriod }, metadata: { now: at } },
          before,
        ),
      );
      if (isSpent(error)) await pause(deps, one, 'grant_spent');
      return 'blocked';
    }
  };

/** What a follow waits for that could not pay, and until when; null: it could pay. */
const waitAfter = (
  { code, details }: Refusal,
  { now, closesAt }: { readonly now: Date; readonly closesAt: string },
): Pick<budget.WaitForCredits['data'], 'waitingFor' | 'retryAt'> | null => {
  const soon = new Date(Math.min(now.getTime() + creditsRetryMs, Date.parse(closesAt))).toISOString();
  if (code === 'INSUFFICIENT_CREDITS') {
    return { waitingFor: details?.['key_cap'] === undefined ? 'credits' : 'key_cap', retryAt: soon };
  }
  if (code !== 'BUDGET_EXHAUSTED') return null;
  const midnight = new Date(now).setUTCHours(24, 0, 0, 0);
  const isOfDay = details?.['renews'] === 'next_day';
  return { waitingFor: 'grant_budget', retryAt: isOfDay ? new Date(midnight).toISOString() : soon };
};

/** Whether the budget of an authorization does not suffice on any day, whatever its running jobs give back. */
const isSpent = (error: unknown): boolean => {
  if (!(error instanceof Refusal) || error.code !== 'BUDGET_EXHAUSTED') return false;
  const credits = (name: string): number => Number(error.details?.[name]);
  const required = credits('required');
  return required > credits('credits_per_day') || required > credits('remaining_total') + credits('reserved');
};

/** `done`: the video is not to be read now. */
const readyFor = async (deps: AdvanceDeps, turn: VideoTurn): Promise<Ready | Advanced> => {
  const { followId, videoId, afterWaits } = turn;
  const { follow: one } = await readFollow(deps, followId);
  if (one?.status !== 'active') return 'done';
  const state = await deps.videos.read(video.streamOf(followId, videoId));
  if (state.found === null || state.status !== 'waiting') return 'done';
  if (isSuperseded(video.waitsOf(state), afterWaits)) return 'done';
  const isTooEarly = afterWaits === null && state.wait !== null && state.wait.retryAt > deps.clock().toISOString();
  if (isTooEarly) return 'done';
  if (!(await deps.isOpen(one.accountId))) return 'blocked';
  const payer = await presentPayer(deps, one);
  return payer === null ? 'done' : { one, state, payer };
};

/** The payer of the follow now; null: it has none any more, and pauses. */
const presentPayer = async (deps: AdvanceDeps, one: follow.Follow): Promise<Payer | null> => {
  const { followId, accountId, keyId } = one;
  const payer = await deps.payerOf(one);
  if (typeof payer === 'string') {
    await pause(deps, one, payer);
    return null;
  }
  const { id: presentId } = payer.actor;
  if (keyId === null || presentId === keyId) return payer;
  const after = await change(deps, one, (_, now) => {
    const at = now.toISOString();
    return [{ type: 'FollowKeyReplaced', data: { followId, accountId, keyId: presentId, at } }];
  });
  return after?.status === 'active' ? payer : null;
};

/** Decides on a follow, unless it has another payer meanwhile. */
const change = (
  deps: AdvanceDeps,
  { followId, accountId, keyId, authorizationId }: follow.Follow,
  decide: (state: follow.State, now: Date) => readonly follow.FollowEvent[],
): Promise<follow.Follow | null> =>
  decideOnFollow(deps, followId, { meta: (now) => systemMeta(accountId, now) }, (state, now) => {
    const isSame = state.follow?.keyId === keyId && state.follow.authorizationId === authorizationId;
    return isSame ? decide(state, now) : [];
  });

const pause = (deps: AdvanceDeps, one: follow.Follow, why: follow.PauseReason): Promise<follow.Follow | null> =>
  change(deps, one, (state, now) => decidePause({ type: 'PauseFollow', data: { why }, metadata: { now } }, state));

const noteBlocked = async (
  deps: AdvanceDeps,
  accountId: string,
  stream: string,
  decide: (state: budget.State, now: Date) => readonly budget.FollowBudgetEvent[],
): Promise<Advanced> => {
  await deps.budgets.run(stream, bySystem(deps, accountId, decide));
  return 'blocked';
};

/** What a look at a video says: it can be read, it is of a kind that is not wanted, or why not now. */
type Verdict =
  | { readonly kind: 'readable' }
  | { readonly kind: 'other_kind' }
  | { readonly kind: 'waits'; readonly why: video.WaitReason; readonly code: Refusal['code'] | null }
  | { readonly kind: 'refused'; readonly code: Refusal['code'] };

/** Looks at a video before a job is made of it; false: it is put off, failed or passed over. */
const isReadable = async (
  deps: AdvanceDeps,
  ready: Ready,
  { followId, videoId }: VideoTurn,
  signal: AbortSignal,
): Promise<boolean> => {
  const verdict = await lookAtVideo(deps, ready, videoId, signal);
  if (verdict.kind === 'readable') return true;
  const { one, state } = ready;
  const { accountId } = one;
  const decide = (before: video.State, now: Date): readonly video.FollowedVideoEvent[] => {
    const at = now.toISOString();
    const about = { followId, accountId, videoId };
    if (before.status !== 'waiting' || video.waitsOf(before) !== video.waitsOf(state)) return [];
    if (verdict.kind === 'other_kind') return [{ type: 'FollowVideoPassedOver', data: { ...about, why: 'kind', at } }];
    if (verdict.kind === 'refused') {
      return [{ type: 'FollowVideoFailed', data: { ...about, jobId: null, code: verdict.code, at } }];
    }
    const { why, code } = verdict;
    return decidePostponed({ ...about, why, code, jobId: null, retries: deps.retries, now }, before);
  };
  await deps.videos.run(video.streamOf(followId, videoId), bySystem(deps, accountId, decide));
  return false;
};

const lookAtVideo = async (
  { engine }: AdvanceDeps,
  { one, state }: Ready,
  videoId: string,
  signal: AbortSignal,
): Promise<Verdict> => {
  try {
    const since = state.wait === null ? {} : { since: midOf(state.wait) };
    const { video: shown, tracks } = await engine.readVideo(videoId, { signal, ...since });
    const liveState = shown.details?.liveState ?? 'none';
    const isToCome = liveState === 'upcoming' || liveState === 'live';
    if (isToCome) return { kind: 'waits', why: 'live', code: 'TRANSCRIPT_NOT_AVAILABLE' };
    const usual = state.found?.isShort === true ? 'shorts' : 'videos';
    if (!one.options.kinds.includes(liveState === 'ended' ? 'streams' : usual)) return { kind: 'other_kind' };
    if (tracks.length === 0) return { kind: 'waits', why: 'captions', code: 'TRANSCRIPT_NOT_AVAILABLE' };
    return { kind: 'readable' };
  } catch (error) {
    if (!(error instanceof Refusal) || signal.aborted) throw error;
    const { code, details } = error;
    if (code.startsWith('PLATFORM_') || code === 'SERVICE_UNAVAILABLE') return { kind: 'waits', why: 'platform', code };
    if (details?.['retryable'] === true) return { kind: 'waits', why: 'captions', code };
    return { kind: 'refused', code };
  }
};

/** The call under which the job of a video begins: that of the payer of the follow, whose cap or budget counts. */
const callFor = (
  { one: { accountId, requestId }, payer }: Ready,
  deduplicationKey: string,
  signal: AbortSignal,
): Call => ({
  accountId,
  channel: 'job',
  requestId,
  deduplicationKey,
  isRepeatable: true,
  ...payer,
  traceparent: currentTraceparent(),
  signal,
});

type WakeDeps = AdvanceDeps & {
  /** Videos of a follow that wait, in the order in which they were found. */
  readonly waitingVideos: (followId: string) => Promise<readonly string[]>;
  /** Wakes the follow again at that time. */
  readonly wakeLater: (followId: string, at: string) => Promise<void>;
};

/** How often a follow tries again that cannot pay, whatever the clocks of the machines say of its period. */
const wakeEveryMs = 3_600_000;

/** Reads what waits in a follow, as far as its budget goes: after a pause, with a higher budget, in a new period. */
export const wakeFollow =
  (deps: WakeDeps) =>
  async ({ followId }: { readonly followId: string }, options: { readonly signal: AbortSignal }): Promise<void> => {
    for (const videoId of await deps.waitingVideos(followId)) {
      options.signal.throwIfAborted();
      const advanced = await advanceVideo(deps)({ followId, videoId, afterWaits: null }, options);
      if (advanced !== 'blocked') continue;
      await deps.wakeLater(followId, new Date(deps.clock().getTime() + wakeEveryMs).toISOString());
      return;
    }
  };
