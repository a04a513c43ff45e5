import { z } from 'zod';
import { recognitionPrice, transcriptPrice, transcriptPriceText } from '../credits/prices.ts';
import { costTagBody, priceQuote } from './charged.ts';
import { endpointsWith, type KeyEndpoint, type ResponseDescription } from './endpoint.ts';
import { refusalsOfPlatform } from './errors.ts';
import { formatNamed, formatNames, formats, transcriptFormats } from './formats.ts';
import {
  anyReference,
  booleanParameter,
  count,
  described,
  languageList,
  link,
  member,
  named,
  optionalBoolean,
  timestamp,
  trackSchema,
  transcriptSegment,
  videoReference,
} from './schemas.ts';
import { besidesBody, besidesQuery, videoSchema } from './video-details.ts';

export { recognitionPrice, transcriptPrice, transcriptPriceText };

/** Videos of one batch, at most. */
export const maxBatchVideos = 50;

/** The Transcript of the specification. */
export const transcriptSchema = named('Transcript', {
  video_id: member.videoId,
  title: member.title,
  channel: member.channel,
  channel_id: member.channelId,
  url: link.describe('Address of the video.'),
  duration: member.duration,
  language: member.language,
  requested_language: z.string().nullable().describe('The requested language; null: none.'),
  source: z
    .enum(['manual', 'platform_auto', 'translated', 'asr'])
    .describe(
      'manual: captions by hand; platform_auto: speech recognition of the platform; translated: by the platform; asr: speech recognition of this service.',
    ),
  segment_count: count.describe('Number of segments.'),
  segments: z.array(transcriptSegment).describe('The captions in order.'),
  video: videoSchema.optional().describe('Present only with `include=video`.'),
  token_count: count.optional().describe('Present only with `count_tokens`.'),
});

/** The captions as the platform sent them, with their source. */
export const rawSchema = named('RawTranscript', {
  video_id: member.videoId,
  provider: z.string().describe('The platform that the captions come from.'),
  fetched_at: timestamp.describe('When the captions were read from the platform.'),
  cache_hit: z.boolean().describe('Whether the captions came from the cache.'),
  tracks: z.array(trackSchema).describe('Every caption track of the video.'),
  track: trackSchema,
  metadata: described('Details of the video.', {
    title: member.title,
    channel: member.channel,
    channel_id: member.channelId,
    duration: member.duration,
    is_live: z.boolean().describe('Whether the video is or was a live stream.'),
    requested_language: z.string().nullable().describe('The requested language; null: none.'),
    matched_by: z.enum(['default', 'exact', 'region']).describe('How the track was chosen for the requested language.'),
  }),
  segments: z.array(transcriptSegment).describe('The captions in order.'),
  content_sha256: z.string().describe('SHA-256 of the captions as the platform sent them, in hexadecimal.'),
});

/** A video in the path. */
export const transcriptParams = z.object({ videoId: videoReference });
const lang = languageList.optional();

/** A format by any of its names. */
export const formatName = z.enum(formatNames);

const formatSchema = formatName
  .default('json')
  .transform((name) => formatNamed(name) ?? 'json')
  .describe('md is the same as markdown.');

/** Which kind of captions is read. */
export const captionsKind = z.enum(['any', 'manual', 'automatic']);

const aboutCaptions =
  'manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.';
const aboutWords =
  'Segments of automatic captions have `words`, each with the moment at which it is said; VTT has the times within its cues.';

const captions = captionsKind.default('any').describe(aboutCaptions);

const aboutKeep =
  'true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.';

/** Whether what is read is kept in the library, in a body and in a query; left out: as the account has chosen. */
const keepBody = z.boolean().optional().describe(aboutKeep);
export const keepQuery = optionalBoolean(aboutKeep);

/** Which captions of a video a body asks for. */
export const captionsBody = { lang, captions, keep: keepBody } as const;

/** The same in the query of a transcript. */
const captionsQuery = { lang, captions, words: booleanParameter(aboutWords) } as const;

/** The query of a transcript. */
export const transcriptQuery = z.object({
  ...captionsQuery,
  format: formatSchema,
  timestamps: booleanParameter('Lines of txt begin with [mm:ss].'),
  clean: booleanParameter('Removes music notes and cues such as [Music] or (laughs).'),
  body: booleanParameter('Accepted for compatibility; the format alone decides the body.'),
});

/** Speech recognition, as every operation that takes it describes it. */
export const aboutRecognition = `auto: the speech of a video without captions is recognized (\`source: asr\`), which costs ${recognitionPrice} credits; force: also that of a video with captions. The balance must cover that.`;

export const asrChoices = z.enum(['off', 'auto', 'force']);

/** Whether speech is recognized. */
export const asr = asrChoices.default('off').describe(aboutRecognition);

/** What a body about several videos takes besides their captions. */
export const ofEachVideo = {
  words: z.boolean().default(false).describe(aboutWords),
  asr,
  ...besidesBody,
  ...costTagBody,
} as const;

/** Members that say which captions are wanted, wherever they stand. */
type CaptionMembers = {
  readonly lang?: string | null | undefined;
  readonly captions?: z.output<typeof captionsKind> | undefined;
  readonly asr?: z.output<typeof asrChoices> | undefined;
  readonly words?: boolean | undefined;
  readonly keep?: boolean | undefined;
};

/** The same as the application is asked; what is left out is left to it. */
export const captionsWanted = ({ lang: language, captions: kind, asr, words, keep }: CaptionMembers) => ({
  language: language ?? null,
  ...(kind === undefined || kind === 'any' ? {} : { captions: kind }),
  ...(asr === undefined || asr === 'off' ? {} : { asr }),
  ...(words === true ? { words } : {}),
  ...(keep === undefined ? {} : { keep }),
});

/** What only holders of a key may want besides. */
const keyedQuery = transcriptQuery.extend({
  translate: z
    .enum(['platform'])
    .optional()
    .describe(
      'platform: if the video has no captions in `lang`, captions translated by the platform (`source: translated`).',
    ),
  asr,
  keep: keepQuery,
  ...besidesQuery,
});

/** The refusals of reading what is known of a video. */
export const refusalsOfVideo = [
  'INVALID_VIDEO_ID',
  'VIDEO_NOT_FOUND',
  'VIDEO_UNAVAILABLE',
  ...refusalsOfPlatform,
] as const;

/** The refusals of reading captions. */
export const refusalsOfReading = [...refusalsOfVideo, 'TRANSCRIPT_NOT_AVAILABLE', 'LANGUAGE_NOT_AVAILABLE'] as const;

/** Headers of charged responses. */
export const chargeHeaders: NonNullable<ResponseDescription['headers']> = {
  'X-Credits-Event': 'The ledger event of the charge; where nothing was charged, that of the use.',
  Link: 'Of a charge: its receipt (`rel="receipt"`).',
};
export const transcriptHeaders = {
  'X-Transcript-Language': 'Language code of the text.',
  'X-Transcript-Source': 'manual, platform_auto, translated or asr.',
  ...chargeHeaders,
};

const common = { access: 'key', scope: 'transcripts', tag: 'Transcripts', isIdempotent: true } as const;

const ofTranscripts = endpointsWith(common);

/** What the endpoints that read the captions of one video have in common. */
export const ofVideo = endpointsWith({
  ...common,
  readsPlatform: true,
  params: transcriptParams,
  refusals: refusalsOfReading,
});

/** The answers of what is charged; a dry run answers its cost. */
export const chargedAnswers = <Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  headers: ResponseDescription['headers'] = chargeHeaders,
) => ({ 200: { description, schema: z.union([schema, priceQuote]), headers } });

export const transcriptAnswers = {
  200: {
    description: 'The transcript.',
    schema: transcriptSchema,
    text: transcriptFormats.filter((name) => name !== 'json').map((name) => formats[name].mediaType),
    headers: transcriptHeaders,
  },
} satisfies Readonly<Record<number, ResponseDescription>>;

export const readTranscript = {
  ...ofVideo('getTranscript', 'GET', '/v1/transcripts/:videoId'),
  operation: 'transcript',
  hasDryRun: true,
  summary: 'Get the transcript of a video',
  description: `Costs 1 credit in any format, ${recognitionPrice} if speech was recognized. A failed request costs nothing.`,
  query: keyedQuery,
  answers: { 200: { ...transcriptAnswers[200], schema: z.union([transcriptSchema, priceQuote]) } },
} satisfies KeyEndpoint;

export const readRaw = {
  ...ofVideo('getRawTranscript', 'GET', '/v1/transcripts/:videoId/raw'),
  operation: 'raw',
  hasDryRun: true,
  summary: 'Get the captions as the platform sent them',
  description:
    'Costs 1 credit, as a transcript. The text is not cleaned, and every caption track of the video is listed.',
  query: z.object({ ...captionsQuery, keep: keepQuery }),
  answers: chargedAnswers('The captions, uncleaned.', rawSchema, transcriptHeaders),
} satisfies KeyEndpoint;

export const languages = named('Languages', {
  video_id: member.videoId,
  available: z.array(z.string()).describe('Language codes, each once.'),
  default: z.string().nullable().describe('The language that is read by default; null: the video has no captions.'),
  has_captions: z.boolean().describe('Whether the video has any captions.'),
  tracks: z
    .array(trackSchema)
    .describe(
      'Every caption track, and whether it was made by hand (`manual`), by speech recognition (`automatic`) or by translation.',
    ),
});

export const languagesAnswers: Readonly<Record<number, ResponseDescription>> = {
  200: { description: 'The languages.', schema: languages, headers: chargeHeaders },
};

export const listLanguages = {
  ...ofVideo('listLanguages', 'GET', '/v1/transcripts/:videoId/languages'),
  operation: 'languages',
  isIdempotent: false,
  summary: 'List the languages a video has captions in',
  description:
    'Free of charge. A video without captions returns an empty list, not an error. Each track says whether it is manual or automatic.',
  answers: languagesAnswers,
  refusals: refusalsOfVideo,
} satisfies KeyEndpoint;

export const batchItem = named('BatchItem', {
  id: z.string().describe('As it was sent.'),
  video_id: z.string().nullable().describe('Id of the video; null: the reference names none.'),
  status: z.enum(['complete', 'failed']).describe('Its state.'),
  transcript: transcriptSchema
    .nullable()
    .describe('The transcript; null if it failed or is not available at the moment.'),
  text: z
    .string()
    .nullable()
    .describe('The transcript in the `format` of the request; null for json and for a failure.'),
  error_code: member.errorCode,
  error_message: member.errorMessage,
  error_details: member.errorDetails,
  credits_charged: member.creditsCharged,
  charge_id: member.chargeId,
});

export const batch = named('Batch', {
  requested: count.describe('Videos requested.'),
  succeeded: count.describe('Videos that succeeded.'),
  failed: count.describe('Videos that failed.'),
  credits_charged: count.describe('Credits charged for all videos together.'),
  results: z.array(batchItem).describe('One for each video, in the order of `ids`.'),
});

export const readBatch = {
  ...ofTranscripts('getTranscripts', 'POST', '/v1/transcripts'),
  operation: 'batch',
  hasDryRun: true,
  summary: `Get the transcripts of up to ${maxBatchVideos} videos at once`,
  description: `Each successful video costs ${transcriptPriceText}; a failed one does not fail the others.`,
  body: z.object({
    // An empty text is an invalid item, not an invalid batch.
    ids: z.array(anyReference).min(1).max(maxBatchVideos).describe('Videos, each by its id or any link.'),
    ...captionsBody,
    format: formatSchema,
    timestamps: z.boolean().default(false).describe('Lines of txt begin with [mm:ss].'),
    clean: z.boolean().default(false).describe('Removes music notes and cues such as [Music].'),
    ...ofEachVideo,
  }),
  answers: chargedAnswers('One result per id, in their order.', batch),
} satisfies KeyEndpoint;

export const transcriptEndpoints = [readTranscript, readRaw, listLanguages, readBatch] as const;
