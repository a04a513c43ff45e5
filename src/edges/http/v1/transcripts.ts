import { z } from 'zod';
import {
  type BatchItem,
  type Commands,
  maxBatchVideos,
  recognitionPrice,
  type TranscriptFormat,
} from '../../../commands.ts';
import { type Described, type KeyEndpoint, keyRoute, type Route } from '../endpoint.ts';
import { bytes, type HttpResponse, json, receiptHeaders } from '../middleware/response.ts';
import { anyReference, booleanParameter, count, languageTag, videoReference } from '../schemas.ts';
import {
  bodyOf,
  rawJson,
  rawSchema,
  trackJson,
  trackSchema,
  transcriptJson,
  transcriptSchema,
} from './transcript-json.ts';

/** Media types of the formats. */
export const contentTypes: Readonly<Record<TranscriptFormat, string>> = {
  json: 'application/json; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
};

/** A video in the path. */
export const transcriptParams = z.object({ videoId: videoReference });
const lang = languageTag.optional();

const formatSchema = z.enum(['json', 'txt', 'srt', 'vtt', 'markdown', 'md']).default('json').meta({
  description: 'md is the same as markdown.',
});

/** The query of a transcript. */
export const transcriptQuery = z.object({
  lang,
  format: formatSchema,
  timestamps: booleanParameter('Lines of txt begin with [mm:ss].'),
  clean: booleanParameter('Removes music notes and cues such as [Music] or (laughs).'),
  body: booleanParameter('Accepted for compatibility; the format alone decides the body.'),
});

/** Speech recognition, as every operation that takes it describes it. */
export const aboutRecognition = `auto: the speech of a video without captions is recognized (\`source: asr\`), which costs ${recognitionPrice} credits; the balance must cover that.`;

/** Whether speech is recognized; left out: `off`. */
export const asrChoices = z.enum(['auto', 'off']);

/** What only holders of a key may want besides. */
const keyedQuery = transcriptQuery.extend({
  translate: z.enum(['platform']).optional().meta({
    description:
      'platform: where the video has no captions in `lang`, those that the platform translates (`source: translated`).',
  }),
  asr: asrChoices.default('off').meta({ description: aboutRecognition }),
});

const common = {
  access: 'key',
  scope: 'transcripts',
  tag: 'Transcripts',
  isIdempotent: true,
} as const;

/** The refusals of reading captions. */
export const refusalsOfReading = [
  'INVALID_VIDEO_ID',
  'INSUFFICIENT_CREDITS',
  'VIDEO_NOT_FOUND',
  'VIDEO_UNAVAILABLE',
  'TRANSCRIPT_NOT_AVAILABLE',
  'LANGUAGE_NOT_AVAILABLE',
  'PLATFORM_BLOCKED',
  'PLATFORM_RATE_LIMITED',
  'PLATFORM_TIMEOUT',
  'PLATFORM_CHANGED',
] as const;

/** Headers of charged responses. */
export const chargeHeaders: NonNullable<Described['headers']> = {
  'X-Credits-Event': 'The ledger event of the charge; where nothing was charged, that of the use.',
};
const transcriptHeaders = {
  'X-Transcript-Language': 'Language code of the text.',
  'X-Transcript-Source': 'manual, platform_auto, translated or asr.',
  ...chargeHeaders,
};

export const transcriptAnswers: Readonly<Record<number, Described>> = {
  200: {
    description: 'The transcript.',
    schema: transcriptSchema,
    text: ['text/plain', 'application/x-subrip', 'text/vtt', 'text/markdown'],
    headers: transcriptHeaders,
  },
};

const readTranscript = {
  ...common,
  id: 'getTranscript',
  method: 'GET',
  readsPlatform: true,
  path: '/v1/transcripts/:videoId',
  operation: 'transcript',
  summary: 'Get the transcript of a video',
  description: `Costs 1 credit in any format, ${recognitionPrice} where speech was recognized. A failed request costs nothing.`,
  params: transcriptParams,
  query: keyedQuery,
  answers: transcriptAnswers,
  refusals: refusalsOfReading,
} satisfies KeyEndpoint;

const readRaw = {
  ...common,
  id: 'getRawTranscript',
  method: 'GET',
  readsPlatform: true,
  path: '/v1/transcripts/:videoId/raw',
  operation: 'raw',
  summary: 'Get the captions as the platform sent them',
  description:
    'Costs 1 credit, as a transcript. The text is not cleaned, and every caption track of the video is named.',
  params: transcriptParams,
  query: z.object({ lang }),
  answers: {
    200: { description: 'The captions, uncleaned.', schema: rawSchema, headers: transcriptHeaders },
  },
  refusals: refusalsOfReading,
} satisfies KeyEndpoint;

const languagesSchema = z
  .object({
    video_id: z.string(),
    available: z.array(z.string()),
    default: z.string().nullable(),
    has_captions: z.boolean(),
    tracks: z.array(trackSchema).meta({
      description:
        'Every caption track, and whether it was made by hand (`manual`), by speech recognition (`automatic`) or by translation.',
    }),
  })
  .meta({ id: 'Languages' });

export const languagesAnswers: Readonly<Record<number, Described>> = {
  200: { description: 'The languages.', schema: languagesSchema, headers: chargeHeaders },
};

const listLanguages = {
  ...common,
  id: 'listLanguages',
  method: 'GET',
  readsPlatform: true,
  path: '/v1/transcripts/:videoId/languages',
  operation: 'languages',
  isIdempotent: false,
  summary: 'List the languages a video has captions in',
  description:
    'Free of charge. A video without captions answers an empty list, not an error. Each track says whether it is manual or automatic.',
  params: transcriptParams,
  answers: languagesAnswers,
  refusals: refusalsOfReading.filter(
    (code) => code !== 'LANGUAGE_NOT_AVAILABLE' && code !== 'TRANSCRIPT_NOT_AVAILABLE',
  ),
} satisfies KeyEndpoint;

const batchItemSchema = z
  .object({
    id: z.string().meta({ description: 'As it was sent.' }),
    video_id: z.string().nullable(),
    status: z.enum(['complete', 'failed']),
    transcript: transcriptSchema.nullable(),
    text: z.string().nullable().meta({
      description:
        'The transcript in the `format` of the request; null for json and for a failure.',
    }),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    error_details: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'The `details` that the same refusal has as an error.' }),
    credits_charged: count,
    charge_id: z.string().nullable(),
  })
  .meta({ id: 'BatchItem' });

const batchSchema = z
  .object({
    requested: count,
    succeeded: count,
    failed: count,
    credits_charged: count,
    results: z.array(batchItemSchema),
  })
  .meta({ id: 'Batch' });

const readBatch = {
  ...common,
  id: 'getTranscripts',
  method: 'POST',
  path: '/v1/transcripts',
  operation: 'batch',
  summary: `Get the transcripts of up to ${maxBatchVideos} videos at once`,
  description: 'Costs 1 credit per video that succeeds; one that fails never fails the others.',
  body: z.object({
    // An empty text is an invalid item, not an invalid batch.
    ids: z.array(anyReference).min(1).max(maxBatchVideos),
    lang,
    format: formatSchema,
    timestamps: z.boolean().default(false),
    clean: z.boolean().default(false),
    asr: asrChoices.default('off').meta({ description: aboutRecognition }),
  }),
  answers: {
    200: {
      description: 'One result per id, in their order.',
      schema: batchSchema,
      headers: chargeHeaders,
    },
  },
  refusals: ['INSUFFICIENT_CREDITS'],
} satisfies KeyEndpoint;

export const transcriptEndpoints = [readTranscript, readRaw, listLanguages, readBatch] as const;

type Deps = {
  readonly commands: Pick<Commands, 'readTranscript' | 'readRaw' | 'listLanguages' | 'readBatch'>;
};

/** Transcripts: one, raw, languages, batch. */
export const transcripts = ({ commands }: Deps): Route[] => [
  keyRoute(readTranscript, async ({ call, params: { videoId }, query }) => {
    const wanted = {
      ...wantedOf(videoId, query),
      ...(query.translate === 'platform' ? { mayTranslate: true } : {}),
      ...(query.asr === 'auto' ? { recognizesSpeech: true } : {}),
    };
    return transcriptAnswer(await commands.readTranscript(call, wanted), wanted);
  }),

  keyRoute(readRaw, async ({ call, params: { videoId }, query }) => {
    const read = await commands.readRaw(call, { reference: videoId, language: query.lang ?? null });
    return json(rawJson(read.extraction), {
      headers: {
        'X-Transcript-Language': read.extraction.track.language,
        'X-Transcript-Source': sourceOfTrack[read.extraction.track.kind],
        ...receiptHeaders(read),
      },
      isCacheHit: read.extraction.isCacheHit,
    });
  }),

  keyRoute(listLanguages, async ({ call, params: { videoId } }) =>
    languagesAnswer(await commands.listLanguages(call, { reference: videoId })),
  ),

  keyRoute(readBatch, async ({ call, body }) => {
    const read = await commands.readBatch(call, {
      references: body.ids,
      language: body.lang ?? null,
      format: formatOf(body.format),
      timestamps: body.timestamps,
      clean: body.clean,
      ...(body.asr === 'auto' ? { recognizesSpeech: true } : {}),
    });
    return batchAnswer(read);
  }),
];

const formatOf = (format: z.output<typeof formatSchema>): TranscriptFormat =>
  format === 'md' ? 'markdown' : format;

/** The input of the application command. */
export const wantedOf = (reference: string, query: z.output<typeof transcriptQuery>) => ({
  reference,
  language: query.lang ?? null,
  format: formatOf(query.format),
  timestamps: query.timestamps,
  clean: query.clean,
});

/** The response in the requested format. */
export const transcriptAnswer = (
  read: Awaited<ReturnType<Commands['readTranscript']>>,
  { format }: { readonly format: TranscriptFormat },
): HttpResponse =>
  bytes(bodyOf(read), {
    contentType: contentTypes[format],
    headers: {
      'X-Transcript-Language': read.transcript.language ?? '',
      'X-Transcript-Source': read.transcript.source,
      ...receiptHeaders(read),
    },
    isCacheHit: read.isCacheHit,
  });

/** The response of the list of languages. */
export const languagesAnswer = (
  listed: Awaited<ReturnType<Commands['listLanguages']>>,
): HttpResponse => {
  const body: z.input<typeof languagesSchema> = {
    video_id: listed.videoId,
    available: [...listed.available],
    default: listed.defaultLanguage,
    has_captions: listed.hasCaptions,
    tracks: listed.tracks.map(trackJson),
  };
  return json(body, { headers: receiptHeaders(listed) });
};

const sourceOfTrack = {
  manual: 'manual',
  automatic: 'platform_auto',
  translated: 'translated',
  recognized: 'asr',
};

const batchAnswer = (read: Awaited<ReturnType<Commands['readBatch']>>): HttpResponse => {
  const succeeded = read.items.filter(({ status }) => status === 'complete').length;
  const body: z.input<typeof batchSchema> = {
    requested: read.items.length,
    succeeded,
    failed: read.items.length - succeeded,
    credits_charged: read.creditsCharged,
    results: read.items.map(itemJson),
  };
  return json(body, { headers: receiptHeaders(read) });
};

const itemJson = (item: BatchItem): z.input<typeof batchItemSchema> => ({
  id: item.reference,
  video_id: item.videoId,
  status: item.status,
  transcript: item.status === 'complete' ? transcriptJson(item.transcript) : null,
  text: item.status === 'complete' ? item.text : null,
  error_code: item.status === 'failed' ? item.code : null,
  error_message: item.status === 'failed' ? item.message : null,
  error_details: item.status === 'failed' ? item.details : null,
  credits_charged: item.creditsCharged,
  charge_id: item.chargeId,
});
