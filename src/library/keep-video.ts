import type { Command } from '@event-driven-io/emmett';
import { type EventLog, metaOf, type StoredCall, type Transaction } from '../eventlog/event-log.ts';
import { newEvent } from '../eventlog/new-event.ts';
import { readState } from '../eventlog/read/read-state.ts';
import type { Extraction } from '../extraction/captions/caption-track.ts';
import { extractFor } from '../insights/extractive/extract-thread-pool.ts';
import { extract } from '../insights/extractive/passage-index.ts';
import { sourceOf } from '../insights/source.ts';
import type { Clock } from '../kernel/clock.ts';
import { uuidOf } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import { captionsSha256 } from '../transcripts/delivery.ts';
import { shapeTranscript } from '../transcripts/shape-transcript.ts';
import * as library from './library.ts';
import type { LibraryStore, NewVersion } from './library-store.ts';

export type KeepVideo = Command<
  'KeepVideo',
  { accountId: string; videoId: string; contentSha256: string; language: string },
  { now: Date }
>;

/** A new version where the captions of this language are others than the newest that are kept; else nothing. */
export const decide = (
  { data: { accountId, videoId, contentSha256, language }, metadata: { now } }: KeepVideo,
  { version, contents }: library.State,
): library.VideoKept[] => {
  if (Object.hasOwn(contents, language) && contents[language] === contentSha256) return [];
  const at = now.toISOString();
  return [{ type: 'VideoKept', data: { accountId, videoId, version: version + 1, contentSha256, language, at } }];
};

export type LibraryDeps = {
  readonly log: Pick<EventLog, 'append' | 'read'>;
  readonly store: LibraryStore;
  readonly clock: Clock;
  /** Videos that the plan of an account lets it keep. */
  readonly quotaOf: (accountId: string) => Promise<number>;
};

/** What keeping captions did: a new video, other captions of a known one, or nothing. */
export type KeepResult = { readonly version: number; readonly previousSha256: string | null } | null;

/**
 * Keeps captions that were read, unless their content is the newest that is kept of this video in this language. What is known
 * of the video is that of the newest version. Refusals: LIBRARY_FULL.
 */
export const keepVideo =
  ({ log, store, clock, quotaOf }: LibraryDeps) =>
  async (call: StoredCall & { readonly signal: AbortSignal }, extraction: Extraction): Promise<KeepResult> => {
    const { accountId } = call;
    const { video, track } = extraction;
    const contentSha256 = captionsSha256(extraction);
    const stream = library.streamOf(accountId, video.videoId);
    const data = { accountId, videoId: video.videoId, contentSha256, language: track.language };
    let indexed: Pick<NewVersion, 'index'> | null = null;
    let kept: KeepResult = null;
    await retryOnConflict(async () => {
      const { state, version } = await readState(log, stream, library);
      const [event] = decide({ type: 'KeepVideo', data, metadata: { now: clock() } }, state);
      kept = null;
      if (event === undefined) {
        await store.removeFromOutbox(accountId, data);
        return true;
      }
      const quota = await quotaOf(accountId);
      indexed ??= { index: await indexOf(call, extraction) };
      const row = { ...rowOf(extraction, event.data), ...indexed };
      const within = async (transaction: Transaction): Promise<void> => {
        if (!(await store.keepIn(transaction, row, quota))) throw libraryFull(quota);
      };
      const isAppended = await append(log, call, { stream, version, event }, within);
      kept = { version: event.data.version, previousSha256: state.contents[track.language] ?? null };
      return isAppended;
    });
    return kept;
  };

/** The refusal LIBRARY_FULL; `quota`: videos that the plan allows. */
export const libraryFull = (quota: number): Refusal => {
  const message = `The library has ${quota} videos, as many as the plan allows. Remove some, or read without \`keep\`.`;
  return new Refusal('LIBRARY_FULL', message, { limit: quota });
};

const indexOf = (
  { accountId, signal }: { readonly accountId: string; readonly signal: AbortSignal },
  extraction: Extraction,
) => extractFor({ caller: accountId, signal })(extract, sourceOf(extraction));

const rowOf = (extraction: Extraction, kept: library.VideoKept['data']): Omit<NewVersion, 'index'> => {
  const { video, segments } = extraction;
  const { title, channel, channelId, durationS } = video;
  const { accountId, videoId, version, contentSha256, language, at } = kept;
  const { source } = shapeTranscript(extraction, { format: 'json', timestamps: false, clean: false }).transcript;
  return {
    ...{ accountId, videoId, version, contentSha256, language, source, keptAt: at },
    ...{ title, channel, channelId, durationS },
    lines: segments.map(({ text }) => text),
    times: segments.flatMap(({ startMs, endMs }) => [startMs, endMs]),
  };
};

/** False: another writer was faster. */
export const append = async (
  log: Pick<EventLog, 'append'>,
  call: StoredCall,
  of: { readonly stream: string; readonly version: bigint; readonly event: library.LibraryEvent },
  within: (transaction: Transaction) => Promise<void>,
): Promise<boolean> => {
  const { stream, version, event } = of;
  const appended = newEvent(event, uuidOf(`${stream}|${version + 1n}`), metaOf(call, event.data.at));
  const [outcome] = await log.append([{ stream, expected: version, events: [appended] }], { within });
  return outcome?.outcome === 'appended';
};

const mostRounds = 10;

/** Decides again after a conflict. */
export const retryOnConflict = async (round: () => Promise<boolean>): Promise<void> => {
  for (let rounds = 0; rounds < mostRounds; rounds += 1) if (await round()) return;
  throw new Refusal('SERVICE_UNAVAILABLE', 'The library is being changed by other requests.', null, 1);
};
