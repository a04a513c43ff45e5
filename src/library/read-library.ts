import { videoLink } from '../extraction/platform-links.ts';
import { requireVideoId } from '../extraction/video-id.ts';
import type { Call } from '../kernel/call.ts';
import { Refusal } from '../kernel/refusal.ts';
import { rowsUpTo } from '../kernel/rows-up-to.ts';
import { exportPlaces, whileRead } from '../kernel/stream-places.ts';
import type { Transcript } from '../transcripts/transcript.ts';
import { segmentsOf } from './ask-library.ts';
import { compareLines, type LineChange } from './compare-lines.ts';
import type { KeptVideo, LibraryStore, Version } from './library-store.ts';
import { notKept } from './remove-video.ts';

type Caller = Pick<Call, 'accountId'>;

/** One version of kept captions, as a transcript. */
export type KeptVersion = Version & { readonly transcript: Transcript };

/** One line that differs. Milliseconds. */
export type CaptionChange = LineChange<{ readonly text: string; readonly startMs: number }>;

type ListPage = Parameters<LibraryStore['list']>[1];

/** Videos that an export reads at a time. */
const exportedAtOnce = 50;

/** What an account keeps, without a charge. Each refuses with NOT_FOUND what is not kept. */
export const readLibrary = ({ store }: { readonly store: LibraryStore }) => {
  const placeFor = exportPlaces('libraries');
  const versionOf = async ({ accountId }: Caller, reference: string, version: number): Promise<KeptVersion> => {
    const videoId = requireVideoId(reference);
    const kept = await store.captions(accountId, videoId, version);
    if (kept !== null) return { ...kept, transcript: transcriptOf(kept) };
    const isKept = (await store.find(accountId, videoId)) !== null;
    throw isKept ? new Refusal('NOT_FOUND', `There is no version ${version} of this video.`) : notKept();
  };
  const versions = async ({ accountId }: Caller, reference: string): Promise<readonly Version[]> => {
    const found = await store.versions(accountId, requireVideoId(reference));
    if (found.length === 0) throw notKept();
    return found;
  };
  return {
    /** The newest first; `before`: those after this one. */
    listLibrary: ({ accountId }: Caller, { limit, before }: ListPage) =>
      rowsUpTo(limit, (most) => store.list(accountId, { limit: most, before })),
    /** Every version of a video, the oldest first. */
    libraryVersions: async (call: Caller, reference: string) => ({
      videoId: requireVideoId(reference),
      versions: await versions(call, reference),
    }),
    libraryVersion: versionOf,
    /** The newest version of a video. */
    newestVersion: async (call: Caller, reference: string): Promise<KeptVersion> =>
      await versionOf(call, reference, (await versions(call, reference)).at(-1)?.version ?? 0),
    /** The lines by which two versions of a video differ. */
    compareVersions: async (
      call: Caller,
      reference: string,
      { from, to }: { readonly from: number; readonly to: number },
    ): Promise<{ readonly videoId: string; readonly changes: readonly CaptionChange[] }> => {
      const [before, after] = await Promise.all([versionOf(call, reference, from), versionOf(call, reference, to)]);
      const changes = compareLines(before.transcript.cues, after.transcript.cues);
      return { videoId: after.transcript.videoId, changes };
    },
    /**
     * Every version of a page of the library, video by video; it stops where the caller is gone, and leaves out what is
     * removed meanwhile. Refuses with RATE_LIMITED or SERVICE_UNAVAILABLE what is too much at once.
     */
    exportLibrary: (call: Caller, page: ListPage) =>
      whileRead(placeFor(call.accountId), (signal) => exported(store, call, page, signal)),
  };
};

async function* exported(
  store: LibraryStore,
  { accountId }: Caller,
  { limit, before }: ListPage,
  signal: AbortSignal,
): AsyncGenerator<KeptVersion> {
  let [left, after] = [limit, before];
  while (left > 0 && !signal.aborted) {
    const videos: readonly KeptVideo[] = await store.list(accountId, {
      limit: Math.min(left, exportedAtOnce),
      before: after,
    });
    for (const { videoId } of videos) {
      for (const { version } of await store.versions(accountId, videoId)) {
        const kept = await store.captions(accountId, videoId, version);
        if (kept !== null) yield { ...kept, transcript: transcriptOf(kept) };
      }
    }
    left -= videos.length;
    after = videos.at(-1) ?? null;
    if (after === null) return;
  }
}

type KeptText = NonNullable<Awaited<ReturnType<LibraryStore['captions']>>>;

const transcriptOf = (kept: KeptText): Transcript => ({
  videoId: kept.videoId,
  title: kept.title,
  channel: kept.channel,
  channelId: kept.channelId,
  url: videoLink(kept.videoId),
  durationS: kept.durationS,
  language: kept.language,
  requestedLanguage: null,
  source: kept.source,
  cues: segmentsOf(kept),
});
