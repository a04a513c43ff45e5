import { bySystem } from '../eventlog/commands/decision-batcher.ts';
import type { Engine, Extraction } from '../extraction/captions/caption-track.ts';
import { Refusal } from '../kernel/refusal.ts';
import { type FollowStreams, readFollow } from './follow-streams.ts';
import * as video from './followed-video.ts';

/** Looks at captions again. `since`: what was read of them before is not new enough. */
export type Recheck = { readonly followId: string; readonly videoId: string; readonly since: string };

/** Nothing if the captions are the same, or were never read. `contentHash`: SHA-256 (hex) of the present captions. */
export const decide = (
  { contentHash, now }: { readonly contentHash: string; readonly now: Date },
  { found, status, contentHash: previousContentHash }: video.State,
): readonly video.FollowedVideoEvent[] => {
  if (found === null || status !== 'complete') return [];
  if (previousContentHash === null || previousContentHash === contentHash) return [];
  const { followId, accountId, videoId } = found;
  const data = { followId, accountId, videoId, contentHash, previousContentHash, at: now.toISOString() };
  return [{ type: 'FollowCaptionsChanged', data }];
};

/**
 * Reads the captions of a transcribed video again, free of charge, and records where they have changed. A video that
 * cannot be read any more is left as it is. Safe to run twice.
 */
export const recheckCaptions =
  (
    deps: FollowStreams & {
      readonly engine: Pick<Engine, 'extract'>;
      /** The hash that receipts and the library have too. */
      readonly hashOf: (extraction: Extraction) => string;
    },
  ) =>
  async ({ followId, videoId, since }: Recheck, { signal }: { readonly signal: AbortSignal }): Promise<void> => {
    const { follow: one } = await readFollow(deps, followId);
    if (one === null || one.status === 'ended') return;
    const stream = video.streamOf(followId, videoId);
    const { language, contentHash: known } = await deps.videos.read(stream);
    if (known === null) return;
    const { captions } = one.options;
    const wanted = { videoId, language, captions };
    const extraction = await deps.engine.extract(wanted, { signal, since }).catch((error: unknown) => {
      // The video or its captions are not there any more.
      if (error instanceof Refusal && !error.code.startsWith('PLATFORM_')) return null;
      throw error;
    });
    if (extraction === null) return;
    const contentHash = deps.hashOf(extraction);
    const decision = bySystem(deps, one.accountId, (state: video.State, now) => decide({ contentHash, now }, state));
    await deps.videos.run(stream, decision);
  };
