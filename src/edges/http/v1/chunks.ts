import { readChunks } from '../../../contract/chunks.ts';
import { captionsWanted } from '../../../contract/transcripts.ts';
import { isDryRun, quoteAnswer } from '../middleware/dry-run.ts';
import { bytes } from '../middleware/response.ts';
import { type Application, keyRoute, type Route } from '../middleware/route.ts';
import { chunksBody, chunksType } from '../middleware/transcript-body.ts';
import { sourceHeaders } from './transcripts.ts';

/** A transcript in pieces for retrieval. */
export const chunks = ({ commands }: Application<'quoteReading' | 'readChunks'>): Route[] => [
  keyRoute(readChunks, async ({ call, params: { videoId: reference }, query, requestInfo }) => {
    if (isDryRun(requestInfo.request.headers)) {
      return quoteAnswer(commands.quoteReading('transcript', { reference, ...captionsWanted(query) }));
    }
    const { max_tokens: maxTokens, overlap, by, format } = query;
    const read = await commands.readChunks(call, { reference, ...captionsWanted(query), maxTokens, overlap, by });
    return bytes(chunksBody(read.chunks, format), {
      contentType: chunksType[format],
      headers: sourceHeaders(read.chunks.language, read.source, read),
      isCacheHit: read.isCacheHit,
    });
  }),
];
