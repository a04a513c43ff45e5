import { bySystem } from '../eventlog/commands/decision-batcher.ts';
import * as budget from './follow-budget.ts';
import type { FollowStreams } from './follow-streams.ts';
import * as video from './followed-video.ts';
import { decidePostponed, type RetrySchedule } from './postpone-video.ts';

/** How the job of one video has ended. `code` of a failed one. */
export type EndedJob = Omit<video.FollowVideoTranscribed['data'], 'at'> & {
  readonly period: string;
  readonly status: 'complete' | 'failed' | 'cancelled';
  readonly code: video.FollowVideoPostponed['data']['code'];
};

export type JobEndDeps = FollowStreams & { readonly retries: RetrySchedule };

const forCaptions: ReadonlySet<string> = new Set(['TRANSCRIPT_NOT_AVAILABLE', 'LANGUAGE_NOT_AVAILABLE']);
const forPlatform: ReadonlySet<string> = new Set(['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', 'NOT_READY']);

const waitFor = (code: string): video.WaitReason | null => {
  if (forCaptions.has(code)) return 'captions';
  return code.startsWith('PLATFORM_') || forPlatform.has(code) ? 'platform' : null;
};

/** What the end of a job says of its video: pure. A video that is transcribed stays so. */
export const decide = (
  { job, retries, now }: { readonly job: EndedJob; readonly retries: RetrySchedule; readonly now: Date },
  state: video.State,
): readonly video.FollowedVideoEvent[] => {
  const { followId, accountId, videoId, jobId, status, code: failure } = job;
  const { creditsCharged, chargeId, language, contentHash } = job;
  const at = now.toISOString();
  const about = { followId, accountId, videoId };
  if (state.found === null || state.status === 'complete') return [];
  if (status === 'complete') {
    const read = { jobId, creditsCharged, chargeId, language, contentHash };
    return [{ type: 'FollowVideoTranscribed', data: { ...about, ...read, at } }];
  }
  if (state.status !== 'waiting') return [];
  if (status === 'cancelled') return [{ type: 'FollowVideoPassedOver', data: { ...about, why: 'cancelled', at } }];
  const code = failure ?? 'INTERNAL_ERROR';
  const why = waitFor(code);
  if (why === null) return [{ type: 'FollowVideoFailed', data: { ...about, jobId, code, at } }];
  return decidePostponed({ ...about, why, code, jobId, retries, now }, state);
};

/** Records what the job of a video has cost and brought. `isOfNow`: whether it is the job that the video waits for. */
export const recordJobEnd =
  (deps: JobEndDeps & { readonly jobIdOf: (accountId: string, deduplicationKey: string) => string }) =>
  async (job: EndedJob): Promise<void> => {
    const { followId, accountId, period, videoId, jobId, creditsCharged: credits } = job;
    const settled = bySystem(deps, accountId, (state: budget.State, now) =>
      budget.decideSettle({ followId, accountId, period, videoId, jobId, credits, now }, state),
    );
    await deps.budgets.run(budget.streamOf(followId, period), settled);
    const ended = bySystem(deps, accountId, (state: video.State, now) => {
      const present = deps.jobIdOf(accountId, `${followId}|${videoId}|${video.waitsOf(state)}`);
      // A failure of an earlier job was followed by another one.
      if (job.status !== 'complete' && present !== jobId) return [];
      return decide({ job, retries: deps.retries, now }, state);
    });
    await deps.videos.run(video.streamOf(followId, videoId), ended);
  };
