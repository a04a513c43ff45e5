import { z } from 'zod';
import {
  chunkMembers,
  chunkOverlap,
  chunksTool,
  chunkTokens,
  isOverlapShorter,
  overlapTooLong,
  readChunks,
} from '../../../../contract/chunks.ts';
import { captionsWanted } from '../../../../contract/transcripts.ts';
import { bytes, receiptHeaders } from '../../middleware/response.ts';
import type { Application } from '../../middleware/route.ts';
import { chunksBody } from '../../middleware/transcript-body.ts';
import { type Cursor, cursorText, pageOf, rangeOf } from '../paging.ts';
import { captionsKept, cursorFor, ofPages, ofVideo, quoteOfCaptions, type Tool, tokensOfPage, tool } from './tool.ts';

/** How chunks are cut; left out, as the page before was, else by default. */
const lengths = {
  max_tokens: chunkMembers.max_tokens
    .unwrap()
    .optional()
    .meta({ description: `tokens of a piece, at most; ${chunkTokens.default}` }),
  overlap: chunkMembers.overlap
    .unwrap()
    .optional()
    .meta({
      description: `tokens of whole sentences that a piece shares with the one before, at most; ${chunkOverlap.default}`,
    }),
  by: chunkMembers.by.unwrap().optional().meta({ description: 'chapters: no piece crosses the end of a chapter' }),
};

const cutting = z.object(chunkMembers).refine(isOverlapShorter, overlapTooLong);

type Cutting = z.output<typeof cutting>;

const cuttingOf = (args: Partial<Record<keyof Cutting, unknown>>, cursor: Cursor | null): Cutting => {
  const { max_tokens, overlap, by } = cursor?.options ?? {};
  const kept = { ...cutting.safeParse({ max_tokens: Number(max_tokens), overlap: Number(overlap), by }).data };
  const given = Object.entries(args).filter(([name, value]) => name in lengths && value !== undefined);
  return cutting.parse({ ...kept, ...Object.fromEntries(given) });
};

/** Tokens of a chunk beside its text. */
const besideText = 80;

/** A transcript in pieces for retrieval, as `GET /v1/transcripts/{videoId}/chunks` answers it, page by page. */
export const getChunks = ({ commands }: Application<'quoteReading' | 'readChunks'>): Tool =>
  tool({
    ...chunksTool,
    scope: readChunks.scope,
    operation: readChunks.operation,
    input: z.object({ ...ofVideo, ...lengths, cursor: ofPages.cursor }),
    // A schema would be in the context of every model, and all of the answer says what it is.
    output: null,
    quote: quoteOfCaptions(commands),
    prepare(args) {
      const cursor = cursorFor(args);
      const { max_tokens: maxTokens, overlap, by } = cuttingOf(args, cursor);
      const captions = captionsKept(args, cursor);
      const range = rangeOf({}, cursor);
      return async (call) => {
        const wanted = { reference: args.video_id, ...captionsWanted(captions), maxTokens, overlap, by };
        const { chunks: whole, isCacheHit, ...receipt } = await commands.readChunks(call, wanted);
        const pieces = whole.chunks.map((chunk) => ({
          chunk,
          text: chunk.text,
          startMs: Math.round(chunk.start * 1_000),
          endMs: Math.round(chunk.end * 1_000),
        }));
        const page = pageOf(pieces, range, { maxTokens: tokensOfPage, tokensPerCue: besideText });
        const more = { headers: receiptHeaders(receipt), isCacheHit };
        if (page.next === null && range.skip === null) return bytes(chunksBody(whole, 'json'), more);
        const options = { ...captions, max_tokens: String(maxTokens), overlap: String(overlap), by };
        const next =
          page.next === null ? {} : { next_cursor: cursorText({ videoId: whole.video_id, range: page.next, options }) };
        return bytes(JSON.stringify({ ...whole, chunks: page.cues.map(({ chunk }) => chunk), ...next }), more);
      };
    },
  });
