import { join } from 'node:path';
import { fileTranscriptCache } from '../adapters/disk/transcript-cache-disk.ts';
import { o200k } from '../adapters/tokenizer/o200k.ts';
import type { Settings } from '../config.ts';
import { maxItemsPerJob } from '../contract/jobs.ts';
import type { TranscriptSource } from '../edges/cli/operator-interface.ts';
import { requirePlaylistId } from '../extraction/lists/list-reference.ts';
import type { TranscriptCache } from '../extraction/transcript-cache.ts';
import { requireVideoId } from '../extraction/video-id.ts';
import { chunker } from '../insights/read-chunks.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { listedVideoJson, videoJson } from '../transcripts/formats/video-json.ts';
import { wantedOf } from '../transcripts/read-transcript.ts';
import { addBesides } from '../transcripts/read-video.ts';
import { shapeTranscript } from '../transcripts/shape-transcript.ts';
import { wordCounter } from '../transcripts/tokens.ts';
import { openEngine } from './open-engine.ts';
import { openSpeech } from './open-speech.ts';
import { userFolder } from './user-folder.ts';

/** The engine in this process, without a database. It caches in the folder of the user, if there is one. */
export const openLocalReader = async (
  settings: Pick<Settings, 'platform' | 'ai'>,
  {
    logger,
    signal,
    folder = userFolder(),
  }: { readonly logger: Logger; readonly signal: AbortSignal; readonly folder?: string | null },
): Promise<TranscriptSource> => {
  await using stack = new AsyncDisposableStack();
  const cache =
    folder === null ? noCache : stack.use(fileTranscriptCache(join(folder, 'transcripts'), settings.platform.origin));
  const recognizeSpeech = await openSpeech(settings, logger);
  const engine = stack.use(openEngine(settings, { cache, clock: systemClock, logger, recognizeSpeech }));
  const tokens = wordCounter(o200k);
  const besides = addBesides({ engine, tokens });
  const chunksOf = chunker({ engine, tokens });
  const parts = stack.move();
  return {
    readTranscript: async ({ reference, ...wanted }) => {
      const extraction = await engine.extract(wantedOf(requireVideoId(reference), wanted), { signal });
      return await besides(shapeTranscript(extraction, wanted), extraction, wanted, signal);
    },
    readChunks: async ({ reference, maxTokens, overlap, by, ...wanted }) => {
      const extraction = await engine.extract(wantedOf(requireVideoId(reference), wanted), { signal });
      return await chunksOf(extraction, { maxTokens, overlap, by }, { caller: 'local', signal });
    },
    readVideo: async (reference) => videoJson(await engine.readVideo(requireVideoId(reference), { signal })),
    listTracks: async (reference) => {
      const { tracks, defaultTrackId } = await engine.listTracks(requireVideoId(reference), { signal });
      return tracks.map(({ id, language, name, kind }) => ({ language, name, kind, default: id === defaultTrackId }));
    },
    listVideos: async ({ kind, reference, limit: wanted }) => {
      const limit = wanted ?? maxItemsPerJob;
      const { videos, hasMore } = await (kind === 'channel'
        ? engine.listChannel({ reference, limit }, { signal })
        : engine.listPlaylist({ playlistId: requirePlaylistId(reference), limit }, { signal }));
      return { videos: videos.map(listedVideoJson), hasMore };
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};

/** Keeps nothing. */
export const noCache: TranscriptCache = {
  readVideo: async () => ({ known: null, refusals: [] }),
  readTranscript: async () => null,
  save: async () => {},
  saveRefusal: async () => {},
};
