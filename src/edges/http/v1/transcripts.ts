import type { z } from 'zod';
import { type BatchItem, type Commands, type Extraction, type Receipt, trackJson } from '../../../commands.ts';
import { answerOf } from '../../../contract/answer-of.ts';
import { contentTypeOf, type TranscriptFormat } from '../../../contract/formats.ts';
import {
  type batch,
  batchItem,
  captionsWanted,
  languages,
  listLanguages,
  type rawSchema,
  readBatch,
  readRaw,
  readTranscript,
  type transcriptQuery,
} from '../../../contract/transcripts.ts';
import { isDryRun, quoteAnswer } from '../middleware/dry-run.ts';
import { bytes, type HttpResponse, json, receiptHeaders } from '../middleware/response.ts';
import { type Application, keyRoute, type Route } from '../middleware/route.ts';
import { bodyOf, transcriptJson } from '../middleware/transcript-body.ts';

const languagesOf = answerOf(languages);
const itemAnswer = answerOf(batchItem);

/** Transcripts: one, raw, languages, batch. */
export const transcripts = ({
  commands,
}: Application<
  'listLanguages' | 'quoteBatch' | 'quoteReading' | 'readBatch' | 'readRaw' | 'readTranscript'
>): Route[] => [
  keyRoute(readTranscript, async ({ call, params: { videoId }, query, requestInfo }) => {
    if (isDryRun(requestInfo.request.headers)) {
      return quoteAnswer(commands.quoteReading('transcript', { reference: videoId, ...captionsWanted(query) }));
    }
    const wanted = {
      ...{ reference: videoId, ...wantedOf(query) },
      ...(query.translate === 'platform' ? { mayTranslate: true } : {}),
      ...besidesOf(query),
    };
    return transcriptAnswer(await commands.readTranscript(call, wanted), wanted);
  }),

  keyRoute(readRaw, async ({ call, params: { videoId }, query, requestInfo }) => {
    if (isDryRun(requestInfo.request.headers)) return quoteAnswer(commands.quoteReading('raw', { reference: videoId }));
    const read = await commands.readRaw(call, { reference: videoId, ...captionsWanted(query) });
    return json(rawJson(read.extraction, query.words), {
      headers: sourceHeaders(read.extraction.track.language, read.extraction.track.kind, read),
      isCacheHit: read.extraction.isCacheHit,
    });
  }),

  keyRoute(listLanguages, async ({ call, params: { videoId } }) =>
    languagesAnswer(await commands.listLanguages(call, { reference: videoId })),
  ),

  keyRoute(readBatch, async ({ call, body, requestInfo }) => {
    if (isDryRun(requestInfo.request.headers)) {
      return quoteAnswer(commands.quoteBatch({ references: body.ids, ...captionsWanted(body) }));
    }
    const wanted = { references: body.ids, ...wantedOf(body), ...besidesOf(body) };
    return batchAnswer(await commands.readBatch(call, wanted));
  }),
];

/** What transcripts have besides, as the application commands take it. */
const besidesOf = ({ include, count_tokens }: { include: readonly string[]; count_tokens: boolean }) => ({
  ...(include.includes('video') ? { includesVideo: true } : {}),
  ...(count_tokens ? { countsTokens: true } : {}),
});

type Shape = Pick<z.output<typeof transcriptQuery>, 'format' | 'timestamps' | 'clean'>;

/** Which captions are wanted, and in which shape, as the application commands take it. */
export const wantedOf = (query: Parameters<typeof captionsWanted>[0] & Shape) => ({
  ...captionsWanted(query),
  format: query.format,
  timestamps: query.timestamps,
  clean: query.clean,
});

/** The response in the requested format. */
export const transcriptAnswer = (
  read: Awaited<ReturnType<Commands['readTranscript']>>,
  { format }: { readonly format: TranscriptFormat },
): HttpResponse =>
  bytes(bodyOf(read), {
    contentType: contentTypeOf(format),
    headers: {
      'X-Transcript-Language': read.transcript.language ?? '',
      'X-Transcript-Source': read.transcript.source,
      ...receiptHeaders(read),
    },
    isCacheHit: read.isCacheHit,
  });

/** An extraction as JSON of the API. */
const rawJson = (extraction: Extraction, hasWords: boolean): z.input<typeof rawSchema> => {
  const { video, track, tracks } = extraction;
  return {
    video_id: video.videoId,
    provider: 'youtube',
    fetched_at: extraction.fetchedAt,
    cache_hit: extraction.isCacheHit,
    tracks: tracks.map(trackJson),
    track: trackJson(track),
    metadata: {
      title: video.title,
      channel: video.channel,
      channel_id: video.channelId,
      duration: video.durationS,
      is_live: video.isLive,
      requested_language: extraction.requestedLanguage,
      matched_by: extraction.matchedBy,
    },
    segments: extraction.segments.map(({ text, startMs, durationMs, words }) => ({
      text,
      start: startMs / 1_000,
      duration: durationMs / 1_000,
      ...(hasWords ? { words: words?.map((word) => ({ text: word.text, start: word.startMs / 1_000 })) ?? null } : {}),
    })),
    content_sha256: extraction.contentSha256,
  };
};

/** The response of the list of languages. */
export const languagesAnswer = (listed: Awaited<ReturnType<Commands['listLanguages']>>): HttpResponse => {
  const body = languagesOf(listed, { default: listed.defaultLanguage, tracks: listed.tracks.map(trackJson) });
  return json(body, { headers: receiptHeaders(listed) });
};

/** The headers of what was made of captions. */
export const sourceHeaders = (language: string | null, kind: keyof typeof sourceOfTrack, receipt: Receipt) => ({
  'X-Transcript-Language': language ?? '',
  'X-Transcript-Source': sourceOfTrack[kind],
  ...receiptHeaders(receipt),
});

const sourceOfTrack = { manual: 'manual', automatic: 'platform_auto', translated: 'translated', recognized: 'asr' };

const batchAnswer = (read: Awaited<ReturnType<Commands['readBatch']>>): HttpResponse => {
  const succeeded = read.items.filter(({ status }) => status === 'complete').length;
  const body: z.input<typeof batch> = {
    requested: read.items.length,
    succeeded,
    failed: read.items.length - succeeded,
    credits_charged: read.creditsCharged,
    results: read.items.map(itemJson),
  };
  return json(body, { headers: receiptHeaders(read) });
};

const itemJson = (item: BatchItem): z.input<typeof batchItem> => {
  const shared = { id: item.reference, ...noError, transcript: null, text: null };
  return item.status === 'complete'
    ? itemAnswer(item, { ...shared, transcript: transcriptJson(item.transcript), text: item.text })
    : itemAnswer(item, { ...shared, error_code: item.code, error_message: item.message, error_details: item.details });
};

const noError = { error_code: null, error_message: null, error_details: null };
