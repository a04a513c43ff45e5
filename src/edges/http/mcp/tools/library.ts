import { z } from 'zod';
import { type Commands, renderTranscript, videoLink } from '../../../../commands.ts';
import { plainFormat } from '../../../../contract/formats.ts';
import { libraryDocument, libraryTools } from '../../../../contract/library.ts';
import { finder } from '../../../../contract/operations.ts';
import { readVideo } from '../../../../contract/videos.ts';
import { json, receiptHeaders } from '../../middleware/response.ts';
import { validationMessage } from '../../middleware/validation-messages.ts';
import { type Tool, tool } from './tool.ts';

/** What the search over a library takes. */
const input = z.object(finder.input);

/** The tool that searches one video, which without one searches all that the account keeps. */
export const searchOfLibrary = (ofVideo: Tool, commands: Pick<Commands, 'searchLibrary'>): Tool => {
  const { definition } = ofVideo;
  const { required, ...schema } = definition.inputSchema;
  const others = Array.isArray(required) ? required.filter((name) => name !== 'video_id') : [];
  return {
    ...ofVideo,
    definition: {
      ...definition,
      description: `${definition.description} ${libraryTools.search}`,
      inputSchema: { ...schema, required: others },
      outputSchema: {
        type: 'object',
        properties: { results: { type: 'array', items: { type: 'object' } } },
        required: ['results'],
      },
    },
    quote: (args) => (args['video_id'] === undefined ? async () => ofVideo.credits : ofVideo.quote(args)),
    prepare: (args) => {
      if (args['video_id'] !== undefined) return ofVideo.prepare(args);
      const { query, limit } = input.parse(args, { error: validationMessage });
      return async (call) => {
        const filter = { language: null, channel: null, from: null, to: null };
        const found = await commands.searchLibrary(call, { query, limit, filter });
        const results = [...Map.groupBy(found.hits, ({ videoId }) => videoId)].map(
          ([id, [best]]): z.input<typeof libraryDocument> => ({
            id,
            title: best?.title ?? id,
            url: best?.url ?? videoLink(id),
          }),
        );
        return json({ results }, { headers: receiptHeaders(found) });
      };
    },
  };
};

/** Reads a kept video; free, because it was paid for when it was read. */
export const fetchKept = (commands: Pick<Commands, 'newestVersion'>): Tool =>
  tool({
    ...libraryTools.fetch,
    scope: 'transcripts',
    operation: readVideo.operation,
    input: z.object({ id: z.string().min(1).max(2_048).meta({ description: 'as search answered it' }) }),
    output: libraryDocument.extend({ text: z.string(), metadata: z.record(z.string(), z.unknown()) }),
    prepare:
      ({ id }) =>
      async (call) => {
        const { transcript, version, contentSha256 } = await commands.newestVersion(call, id);
        const { videoId, title, url, channel, language } = transcript;
        const text = renderTranscript(transcript, { format: plainFormat, timestamps: true });
        const metadata = { channel, language, version, content_hash: contentSha256 };
        return json({ id: videoId, title: title ?? videoId, url, text, metadata });
      },
  });
