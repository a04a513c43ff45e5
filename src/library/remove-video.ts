import type { Command } from '@event-driven-io/emmett';
import type { StoredCall, Transaction } from '../eventlog/event-log.ts';
import { readState } from '../eventlog/read/read-state.ts';
import { requireVideoId } from '../extraction/video-id.ts';
import { Refusal } from '../kernel/refusal.ts';
import { append, type LibraryDeps, retryOnConflict } from './keep-video.ts';
import * as library from './library.ts';

export type RemoveVideo = Command<'RemoveVideo', { accountId: string; videoId: string }, { now: Date }>;

/** Nothing if the video is not in the library. */
export const decide = (
  { data: { accountId, videoId }, metadata: { now } }: RemoveVideo,
  { version }: library.State,
): library.VideoRemoved[] =>
  version === 0 ? [] : [{ type: 'VideoRemoved', data: { accountId, videoId, at: now.toISOString() } }];

/** Removes one video with all its versions and all that was made of it. Throws NOT_FOUND where it is not kept. */
export const removeVideo =
  ({ log, store, clock }: Pick<LibraryDeps, 'log' | 'store' | 'clock'>) =>
  async (call: StoredCall, { reference }: { readonly reference: string }): Promise<void> => {
    const { accountId } = call;
    const videoId = requireVideoId(reference);
    const stream = library.streamOf(accountId, videoId);
    await retryOnConflict(async () => {
      const { state, version } = await readState(log, stream, library);
      const data = { accountId, videoId };
      const [event] = decide({ type: 'RemoveVideo', data, metadata: { now: clock() } }, state);
      if (event === undefined) {
        // It may be about to be kept.
        await store.removeFromOutbox(accountId, { videoId });
        throw notKept();
      }
      const within = async (transaction: Transaction): Promise<void> => {
        await store.removeIn(transaction, accountId, videoId);
      };
      return await append(log, call, { stream, version, event }, within);
    });
  };

/** The refusal for a video that the account has not kept. */
export const notKept = (): Refusal => new Refusal('NOT_FOUND', 'This video is not in the library.');

/** Videos that are removed between two looks at the list. */
const atOnce = 100;

/**
 * Removes every video that was kept when it began, the newest first. Where it is interrupted, what it removed stays removed,
 * and searches find none of the others. The index goes first and at once: taking a text out of a large one takes much longer
 * than all else.
 */
export const clearLibrary =
  (deps: Pick<LibraryDeps, 'log' | 'store' | 'clock'>) =>
  async (call: StoredCall & { readonly signal: AbortSignal }): Promise<void> => {
    const remove = removeVideo(deps);
    await deps.store.removeFromOutbox(call.accountId, { videoId: null });
    await deps.store.dropIndex(call.accountId);
    let before: { readonly keptAt: string; readonly videoId: string } | null = null;
    for (;;) {
      const videos: Awaited<ReturnType<typeof deps.store.list>> = await deps.store.list(call.accountId, {
        limit: atOnce,
        before,
      });
      const last = videos.at(-1);
      if (last === undefined) return;
      before = last;
      for (const { videoId } of videos) {
        call.signal.throwIfAborted();
        await remove(call, { reference: videoId }).catch((error: unknown) => {
          // Another request removed it meanwhile.
          if (!(error instanceof Refusal) || error.code !== 'NOT_FOUND') throw error;
        });
      }
    }
  };
