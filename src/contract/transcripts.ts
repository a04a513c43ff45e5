import { z } from 'zod';
import { recognitionPrice, transcriptPrice } from '../credits/prices.ts';
import type { Described, KeyEndpoint } from './endpoint.ts';
import { formatNamed, formatNames, formats, transcriptFormats } from './formats.ts';
import {
  anyReference,
  booleanParameter,
  count,
  languageTag,
  link,
  segment,
  timestamp,
  trackSchema,
  videoReference,
} from './schemas.ts';
import { besidesBody, besidesQuery, videoSchema } from './video-details.ts';

export { recognitionPrice, transcriptPrice };

/** Videos of one batch, at most. */
export const maxBatchVideos = 50;

/** The Transcript of the specification. */
export const transcriptSchema = z
  .object({
    video_id: z.string(),
    title: z.string().nullable(),
    channel: z.string().nullable(),
    channel_id: z.string().nullable(),
    url: link,
    duration: count.nullable(),
    language: z.string().nullable(),
    requested_language: z.string().nullable(),
    source: z.enum(['manual', 'platform_auto', 'translated', 'asr']),
    segment_count: count,
    segments: z.array(segment),
    video: videoSchema.optional().meta({ description: 'There only with `include=video`.' }),
    token_count: count.optional().meta({ description: 'There only with `count_tokens`.' }),
  })
  .meta({ id: 'Transcript' });

/** The captions as the platform sent them, with their source. */
export const rawSchema = z
  .object({
    video_id: z.string(),
    provider: z.string(),
    fetched_at: timestamp,
    cache_hit: z.boolean(),
    tracks: z.array(trackSchema),
    track: trackSchema,
    metadata: z.object({
      title: z.string().nullable(),
      channel: z.string().nullable(),
      channel_id: z.string().nullable(),
      duration: count.nullable(),
      is_live: z.boolean(),
      requested_language: z.string().nullable(),
      matched_by: z.enum(['default', 'exact', 'region']),
    }),
    segments: z.array(segment),
    content_sha256: z.string(),
  })
  .meta({ id: 'RawTranscript' });

/** A video in the path. */
export const transcriptParams = z.object({ videoId: videoReference });
const lang = languageTag.optional();

/** A format by any of its names. */
export const formatName = z.enum(formatNames);

const formatSchema = formatName
  .default('json')
  .transform((name) => formatNamed(name) ?? 'json')
  .meta({ description: 'md is the same as markdown.' });

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
  ...besidesQuery,
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
    text: transcriptFormats.filter((name) => name !== 'json').map((name) => formats[name].mediaType),
    headers: transcriptHeaders,
  },
};

export const readTranscript = {
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

export const readRaw = {
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

export const languages = z
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
  200: { description: 'The languages.', schema: languages, headers: chargeHeaders },
};

export const listLanguages = {
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

export const batchItem = z
  .object({
    id: z.string().meta({ description: 'As it was sent.' }),
    video_id: z.string().nullable(),
    status: z.enum(['complete', 'failed']),
    transcript: transcriptSchema.nullable(),
    text: z.string().nullable().meta({
      description: 'The transcript in the `format` of the request; null for json and for a failure.',
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

export const batch = z
  .object({
    requested: count,
    succeeded: count,
    failed: count,
    credits_charged: count,
    results: z.array(batchItem),
  })
  .meta({ id: 'Batch' });

export const readBatch = {
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
    ...besidesBody,
  }),
  answers: {
    200: {
      description: 'One result per id, in their order.',
      schema: batch,
      headers: chargeHeaders,
    },
  },
  refusals: ['INSUFFICIENT_CREDITS'],
} satisfies KeyEndpoint;

export const transcriptEndpoints = [readTranscript, readRaw, listLanguages, readBatch] as const;
