import { createHash } from 'node:crypto';
import { type IndexShape, usualShape } from '#src/adapters/postgres/library-index-postgres.ts';
import { postgresLibraryStore } from '#src/adapters/postgres/library-store-postgres.ts';
import type { Extraction } from '#src/extraction/captions/caption-track.ts';
import type { Source } from '#src/insights/source.ts';
import type { Call } from '#src/kernel/call.ts';
import { findPassages } from '#src/library/find-passages.ts';
import { keepVideo } from '#src/library/keep-video.ts';
import type { LibraryFilter } from '#src/library/library-store.ts';
import { mergeLibraries } from '#src/library/merge-libraries.ts';
import { clearLibrary, removeVideo } from '#src/library/remove-video.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';

/** A call of an account. */
export const callOf = (accountId: string): Call => ({
  accountId,
  actor: { type: 'key', id: 'key_test' },
  channel: 'rest',
  requestId: 'req_test',
  deduplicationKey: 'req_test',
  isRepeatable: false,
  capCredits: null,
  traceparent: null,
  signal: new AbortController().signal,
});

/** Captions as the engine reads them. */
export const extractionOf = (
  source: Pick<Source, 'videoId' | 'language' | 'segments'> & Partial<Source>,
  { channelId = 'UCchannel', ...more }: { readonly channelId?: string } & Partial<Extraction> = {},
): Extraction => {
  const { videoId, language, title = null, channel = 'A channel', durationS = null } = source;
  const track = { id: '.x', language: language ?? 'en', name: 'x', kind: 'manual' } as const;
  return {
    video: { videoId, title, channel, channelId, durationS, isLive: false },
    tracks: [],
    track: { ...track, isTranslatable: false, isRightToLeft: false },
    requestedLanguage: null,
    matchedBy: 'default',
    segments: source.segments.map(({ text, start, duration }) => {
      const startMs = Math.round(start * 1_000);
      return { text, startMs, durationMs: Math.round(duration * 1_000), endMs: startMs + Math.round(duration * 1_000) };
    }),
    contentSha256: createHash('sha256').update(JSON.stringify(source.segments)).digest('hex'),
    fetchedAt: '2026-11-26T12:00:00.000Z',
    isCacheHit: false,
    ...more,
  };
};

/** Captions of five seconds each. */
export const captionsOf = (videoId: string, lines: readonly string[], language = 'en'): Extraction =>
  extractionOf({ videoId, language, segments: lines.map((text, at) => ({ text, start: 5 * at, duration: 5 })) });

const everything: LibraryFilter = { language: null, channel: null, from: null, to: null };

/** Libraries on a database of their own, without embeddings unless they are given. */
export const openTestLibrary = async (
  options: {
    readonly quota?: number;
    readonly shape?: Partial<IndexShape>;
    readonly embed?: Parameters<typeof findPassages>[0]['embed'];
  } = {},
) => {
  const { log, pool, ...database } = await logOnPostgres();
  const store = postgresLibraryStore({ pool, shape: { ...usualShape, ...options.shape }, isPrepared: true });
  let now = Date.parse('2026-11-26T12:00:00.000Z');
  const clock = (): Date => {
    now += 1_000;
    return new Date(now);
  };
  const deps = { log, store, clock, quotaOf: async () => options.quota ?? 1_000 };
  const find = findPassages({ store, embed: options.embed ?? (async () => null) });
  return {
    ...{ pool, log, store },
    keep: (accountId: string, extraction: Extraction) => keepVideo(deps)(callOf(accountId), extraction),
    remove: (accountId: string, videoId: string) => removeVideo(deps)(callOf(accountId), { reference: videoId }),
    clear: (accountId: string) => clearLibrary(deps)(callOf(accountId)),
    /** Ends every merge that is due. */
    merge: () => mergeLibraries({ store })({ signal: new AbortController().signal }),
    find: (
      accountId: string,
      query: string,
      { limit = 10, ...filter }: Partial<LibraryFilter> & { limit?: number } = {},
    ) => find(callOf(accountId), { query, limit, filter: { ...everything, ...filter } }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
};

export type TestLibrary = Awaited<ReturnType<typeof openTestLibrary>>;
