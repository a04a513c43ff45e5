import { z } from 'zod';
import { costTagBody } from './charged.ts';
import { endpointsWith, type KeyEndpoint } from './endpoint.ts';
import { type OperationCredits, unavailable } from './operation.ts';
import { type OperationCall, operations } from './operations.ts';
import { answer200, count, languageListOrNone, longestLink, member, named } from './schemas.ts';
import {
  aboutRecognition,
  asrChoices,
  captionsBody,
  captionsWanted,
  chargeHeaders,
  refusalsOfReading,
} from './transcripts.ts';

const reference = (description: string) => z.string().max(longestLink).nullable().optional().meta({ description });
const language = (description: string) => languageListOrNone.nullable().optional().meta({ description });

/** Every name that the specification has for the video and its language. */
const ofVideo = {
  video_id: reference('Video id, or any link to the video. The first one given is used.'),
  videoId: reference('The same.'),
  url: reference('The same.'),
  lang: language(
    'Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted.',
  ),
  language: language('The same; `lang` comes first.'),
};

/** Which captions of the video. */
const ofCaptions = {
  captions: captionsBody.captions,
  keep: captionsBody.keep,
  asr: asrChoices.default('off').describe(`${aboutRecognition} This is charged on top of the price of the operation.`),
};

type OfVideo = { readonly [Name in keyof typeof ofVideo]?: string | null | undefined } & {
  readonly [Name in keyof typeof ofCaptions]?: z.output<(typeof ofCaptions)[Name]> | undefined;
};

/** The first reference that is given; one must be. */
const referenceOf = ({ video_id, videoId, url }: OfVideo): string =>
  [video_id, videoId, url].find((each) => each !== undefined && each !== null && each !== '') ?? '';

/** The video that the body of an operation names, and which captions of it. */
export const videoOf = ({ captions, asr, keep, ...body }: OfVideo) => ({
  reference: referenceOf(body),
  ...captionsWanted({ lang: body.lang || body.language || null, captions, asr, keep }),
});

/** The body of an operation beside its name. */
export type OperationBody = OfVideo & Omit<OperationCall, 'operation'>;

const bodyOf = (input: z.ZodRawShape) =>
  z
    .object({ ...ofVideo, ...ofCaptions, ...input, ...costTagBody })
    .refine((given) => referenceOf(given as OfVideo) !== '', {
      error: 'one of video_id, videoId and url must be given',
      path: ['video_id'],
    }) as z.ZodType<OperationBody>;

const priceText = ({ model, extract }: OperationCredits): string =>
  model === extract
    ? `Costs ${model} credit${model === 1 ? '' : 's'}. A failed request costs nothing.`
    : `Costs ${model} credits, ${extract} if no model made the answer. A failed request costs nothing.`;

/** What a dry run answers. */
export const operationQuote = named('InsightQuote', {
  dry_run: z.literal(true).describe('true: only returns the cost of the request.'),
  operation: z.string().describe('Name of the operation.'),
  video_id: member.videoId,
  credits: count.describe('Maximum cost of the operation.'),
  credits_if_fallback: count.describe('Its cost without a model.'),
  note: z.string().optional().describe('When it costs less than that.'),
  ...unavailable,
});

const ofOperations = endpointsWith({ access: 'key', tag: 'AI operations' });

/** `POST /v1/{name}` for each operation. */
export const operationEndpoints = operations.map(
  ({ name, summary, description, credits, input, result, answer, answerSchema }) =>
    ({
      ...ofOperations(name, 'POST', `/v1/${name}`),
      scope: 'ai',
      operation: name,
      isIdempotent: true,
      hasDryRun: true,
      summary,
      description: [description, priceText(credits)].filter(Boolean).join(' '),
      body: bodyOf(input),
      answers: {
        200: {
          description: `${answer.description} With \`X-Dry-Run: 1\`: its cost.`,
          // Clients verify that the content of a receipt is this answer.
          schema: z.union([answerSchema, operationQuote]).meta({ 'x-content-sha256': Object.keys(result.shape) }),
          headers: chargeHeaders,
        },
      },
      refusals: refusalsOfReading,
    }) as const satisfies KeyEndpoint,
);

/** `GET /v1/ai/status`. */
export const aiStatus = {
  ...ofOperations('getAiStatus', 'GET', '/v1/ai/status'),
  scope: null,
  summary: 'Whether a model is available',
  description: 'Free of charge. Without a model, operations return extracts, for 1 credit each.',
  answers: answer200('The configuration and its state.', 'AiStatus', {
    ai_enabled: z.boolean().describe('Whether a model is configured; without one, operations return extracts.'),
    model: z.string().nullable().describe('The model; null: none.'),
    embedding_model: z.string().nullable().describe('The model for embeddings; null: none.'),
    circuit: z
      .enum(['closed', 'open', 'half_open'])
      .nullable()
      .describe('open: the provider failed, and fallbacks are returned for a minute.'),
  }),
} satisfies KeyEndpoint;
