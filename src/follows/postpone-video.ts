import { bySystem } from '../eventlog/commands/decision-batcher.ts';
import { dayMs, minuteMs } from '../kernel/clock.ts';
import { type FollowStreams, readFollow } from './follow-streams.ts';
import * as video from './followed-video.ts';

/** When a video is tried again. */
export type RetrySchedule = {
  /** For captions: counted from when it was found, or was first seen to be over. Milliseconds. */
  readonly captionsMs: readonly number[];
};

/** A live video is looked at again after a quarter of its age, within these bounds, and for this long. */
const live = { leastMs: 15 * minuteMs, mostMs: dayMs, shareOfAge: 0.25, longestMs: 60 * dayMs } as const;
/** After a failure of the platform: twice as long each time; then it is failed. */
const platform = { firstMs: 10 * minuteMs, mostMs: dayMs / 4, tries: 12 } as const;

/**
 * Puts a video off, or fails it where it was put off for long enough. `jobId`: of the job that could not read it; null:
 * none tried.
 */
export const decidePostponed = (
  asked: Omit<video.FollowVideoPostponed['data'], 'waits' | 'retryAt' | 'at'> & {
    readonly jobId: string | null;
    readonly retries: RetrySchedule;
    readonly now: Date;
  },
  state: video.State,
): readonly video.FollowedVideoEvent[] => {
  const { why, code, jobId, retries, now, ...about } = asked;
  const at = now.toISOString();
  const retryMs = retryTimeOf(why, state, retries, now);
  if (retryMs !== null) {
    const retryAt = new Date(Math.max(retryMs, now.getTime())).toISOString();
    const waits = video.waitsOf(state) + 1;
    return [{ type: 'FollowVideoPostponed', data: { ...about, why, code, waits, retryAt, at } }];
  }
  return [{ type: 'FollowVideoFailed', data: { ...about, jobId, code: code ?? 'TRANSCRIPT_NOT_AVAILABLE', at } }];
};

/** Milliseconds since the epoch; null: it is not tried again. */
const retryTimeOf = (
  why: video.WaitReason,
  { found, waits, overSince }: video.State,
  { captionsMs }: RetrySchedule,
  now: Date,
): number | null => {
  const nowMs = now.getTime();
  const foundMs = Date.parse(found?.at ?? now.toISOString());
  switch (why) {
    case 'captions': {
      const delayMs = captionsMs[waits.captions];
      const isFirstAfterLive = waits.captions === 0 && waits.live > 0;
      const fromMs = overSince === null ? (isFirstAfterLive ? nowMs : foundMs) : Date.parse(overSince);
      // A clock that was wrong when the video was found must not bring the tries together.
      return delayMs === undefined ? null : Math.min(Math.max(fromMs + delayMs, nowMs + minuteMs), nowMs + delayMs);
    }
    case 'live': {
      const ageMs = Math.max(0, nowMs - foundMs);
      const waitMs = Math.min(Math.max(ageMs * live.shareOfAge, live.leastMs), live.mostMs);
      return ageMs > live.longestMs ? null : nowMs + waitMs;
    }
    case 'platform':
      return waits.platform >= platform.tries
        ? null
        : nowMs + Math.min(platform.firstMs * 2 ** waits.platform, platform.mostMs);
  }
};

/**
 * The middle of a wait: what others have read of the video since then is new enough, so that a thousand follows of one
 * video ask the platform once.
 */
export const midOf = ({ at, retryAt }: NonNullable<video.State['wait']>): string =>
  new Date((Date.parse(at) + Date.parse(retryAt)) / 2).toISOString();

/** Puts a video off because of a fault of ours, at the last try of its task. */
export const failVideo =
  (deps: FollowStreams & { readonly retries: RetrySchedule }) =>
  async ({ followId, videoId }: { readonly followId: string; readonly videoId: string }): Promise<void> => {
    const { follow: one } = await readFollow(deps, followId);
    if (one === null) return;
    const { accountId } = one;
    const failed = { why: 'platform', code: 'INTERNAL_ERROR', jobId: null } as const;
    const decision = bySystem(deps, accountId, (state: video.State, now) => {
      if (state.found === null || state.status !== 'waiting') return [];
      return decidePostponed({ followId, accountId, videoId, ...failed, retries: deps.retries, now }, state);
    });
    await deps.videos.run(video.streamOf(followId, videoId), decision);
  };
