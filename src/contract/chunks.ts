import { z } from 'zod';
import { priceQuote } from './charged.ts';
import type { KeyEndpoint } from './endpoint.ts';
import { count, integerParameter, link, member, named } from './schemas.ts';
import { asr, captionsBody, keepQuery, ofVideo, recognitionPrice, transcriptHeaders } from './transcripts.ts';

/** One piece of a transcript for retrieval. */
const chunkSchema = named('Chunk', {
  id: z
    .string()
    .describe(
      'The first 16 digits of `content_hash`, and the range of its characters in the text: the same range of the same captions always has the same id.',
    ),
  start: z.number().describe('Seconds at which its first line of captions begins.'),
  end: z.number().describe('Seconds at which its last line of captions ends.'),
  timestamp: z.string().describe('mm:ss, from one hour on h:mm:ss'),
  text: z.string().describe('Whole sentences, words joined by one space.'),
  token_count: count.describe('Tokens of `text`.'),
  url: link.describe('The video at the whole second of `start`.'),
});

export const chunksSchema = named('Chunks', {
  video_id: member.videoId,
  language: member.language,
  content_hash: z.string().describe('SHA-256 (hex) of the captions, as the ledger entry of the charge has it.'),
  tokenizer: z.string().describe('The vocabulary that tokens are counted in.'),
  chunks: z.array(chunkSchema).describe('In the order of the video.'),
});

export type Chunks = z.output<typeof chunksSchema>;

/** What chunks are cut at besides sentences. */
export const chunkedBy = z.enum(['sentences', 'chapters']);
/** How chunks are sent. */
export const chunkFormat = z.enum(['json', 'ndjson']);

/** Bounds and defaults of the lengths, in tokens. */
export const chunkTokens = { min: 50, max: 8_000, default: 400 } as const;
export const chunkOverlap = { min: 0, max: chunkTokens.max - 1, default: 40 } as const;

const aboutTokens = 'Tokens of a chunk, at most. A sentence that is longer is divided.';
const aboutOverlap =
  'Tokens of whole sentences at the end of a chunk that the next one begins with, at most. They count within `max_tokens`, and are fewer.';

/** An overlap as long as a chunk would never end. */
export const isOverlapShorter = ({ max_tokens, overlap }: { readonly max_tokens: number; readonly overlap: number }) =>
  overlap < max_tokens;
export const overlapTooLong = { error: 'must be less than max_tokens', path: ['overlap'] };

/** How captions are cut, as members of a tool. */
export const chunkMembers = {
  max_tokens: z.int().min(chunkTokens.min).max(chunkTokens.max).default(chunkTokens.default).describe(aboutTokens),
  overlap: z.int().min(chunkOverlap.min).max(chunkOverlap.max).default(chunkOverlap.default).describe(aboutOverlap),
  by: chunkedBy
    .default('sentences')
    .describe(
      'sentences: as many as fit; captions without punctuation are divided by lines. chapters: no chunk crosses the end of a chapter, written by the author or else extracted.',
    ),
} as const;

/** `GET /v1/transcripts/{videoId}/chunks`. */
export const readChunks = {
  ...ofVideo('getChunks', 'GET', '/v1/transcripts/:videoId/chunks'),
  operation: 'transcript',
  hasDryRun: true,
  summary: 'Get a transcript in pieces for retrieval',
  description: `Whole sentences with their time, a link to that time and their token count (\`o200k_base\`). Costs 1 credit like a transcript, ${recognitionPrice} if speech was recognized.`,
  query: z
    .object({
      max_tokens: integerParameter(aboutTokens, chunkTokens),
      overlap: integerParameter(aboutOverlap, chunkOverlap),
      by: chunkMembers.by,
      ...captionsBody,
      keep: keepQuery,
      asr,
      format: chunkFormat.default('json').describe('ndjson: one chunk per line.'),
    })
    .refine(isOverlapShorter, overlapTooLong),
  answers: {
    200: {
      description: 'The chunks; as `ndjson`, one per line.',
      schema: z.union([chunksSchema, priceQuote]),
      text: ['application/x-ndjson'],
      headers: transcriptHeaders,
    },
  },
} satisfies KeyEndpoint;

/** What the tool of agents is told. */
export const chunksTool = {
  name: 'get_chunks',
  title: 'Get pieces for retrieval',
  description:
    'Cuts the speech of a video into pieces of whole sentences for embedding or quoting, each with its time, a link to that time, a stable id and its token count. To read a video use get_transcript. Long videos are paginated: next_cursor means that there is more, and each page costs as much as a call.',
} as const;
