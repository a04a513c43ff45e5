import { z } from 'zod';
import { renderTranscript, videoLink } from '../../../../commands.ts';
import { plainFormat } from '../../../../contract/formats.ts';
import { libraryDocument, librarySearchInput, libraryTools } from '../../../../contract/library.ts';
import { ask } from '../../../../contract/operations/ask.ts';
import { longestLink } from '../../../../contract/schemas.ts';
import { validationMessage } from '../../../../contract/validation-messages.ts';
import { readVideo } from '../../../../contract/videos.ts';
import { naming } from '../../middleware/job-creation.ts';
import { libraryAnswerJson, librarySearchOf } from '../../middleware/library-answers.ts';
import { json, receiptHeaders } from '../../middleware/response.ts';
import type { Application } from '../../middleware/route.ts';
import { inputSchemaOf, type ObjectSchema } from '../json-schema.ts';
import { shownInView } from '../transcript-view.ts';
import { acceptedPrice, type Tool, tool } from './tool.ts';

/** A tool for one video that without one is about all that the account keeps. */
const withoutVideo = <Input extends z.ZodRawShape>(
  ofVideo: Tool,
  library: {
    readonly description: string;
    readonly input: z.ZodObject<Input>;
    /** What replaces the rest of the definition. */
    readonly definition: Partial<Tool['definition']>;
    /** What a call may cost at most. */
    readonly quote: () => number;
    readonly work: (input: z.output<z.ZodObject<Input>>) => ReturnType<Tool['prepare']>;
  },
): Tool => {
  const { definition } = ofVideo;
  const { required, ...schema } = definition.inputSchema;
  const { properties } = schema;
  const besides = Object.entries(inputSchemaOf(library.input).properties).filter(
    ([name]) => !Object.hasOwn(properties, name),
  );
  const used = new Set([...Object.keys(library.input.shape), acceptedPrice]);
  const none: ObjectSchema = { type: 'object', properties: {} };
  const { required: answered, ...output } = definition.outputSchema ?? none;
  return {
    ...ofVideo,
    definition: {
      ...definition,
      description: `${definition.description} ${library.description}`,
      inputSchema: {
        ...schema,
        properties: { ...properties, ...Object.fromEntries(besides) },
        required: othersOf(required),
      },
      outputSchema: { ...output, required: othersOf(answered) },
      ...library.definition,
    },
    unusedOf: (args) =>
      args['video_id'] === undefined
        ? Object.keys(args).filter((name) => !used.has(name))
        : besides.flatMap(([name]) => (Object.hasOwn(args, name) ? [name] : [])),
    quote: async (args, call) => (args['video_id'] === undefined ? library.quote() : await ofVideo.quote(args, call)),
    prepare: (args) =>
      args['video_id'] === undefined
        ? library.work(library.input.parse(args, { error: validationMessage }))
        : ofVideo.prepare(args),
  };
};

const othersOf = (required: unknown): readonly string[] =>
  Array.isArray(required) ? required.filter((name) => name !== 'video_id') : [];

/** The tool that searches one video, which without one searches all that the account keeps. */
export const searchOfLibrary = (ofVideo: Tool, { commands }: Application<'quoteLibrary' | 'searchLibrary'>): Tool =>
  withoutVideo(ofVideo, {
    description: libraryTools.search,
    input: librarySearchInput,
    definition: {
      outputSchema: {
        type: 'object',
        properties: { results: { type: 'array', items: { type: 'object' } } },
        required: ['results'],
      },
      _meta: shownInView,
    },
    quote: () => commands.quoteLibrary('search').credits,
    work:
      ({ query: q, ...others }) =>
      async (call) => {
        const found = await naming({ q: 'query' }, commands.searchLibrary(call, librarySearchOf({ q, ...others })));
        const results = [...Map.groupBy(found.hits, ({ videoId }) => videoId)].map(
          ([id, [best]]): z.input<typeof libraryDocument> & { text: string | undefined } => ({
            id,
            title: best?.title ?? id,
            url: best?.url ?? videoLink(id),
            text: best?.text,
          }),
        );
        return json({ results }, { headers: receiptHeaders(found) });
      },
  });

/** The tool that asks one video, which without one asks all that the account keeps. */
export const askOfLibrary = (ofVideo: Tool, { commands }: Application<'askLibrary' | 'quoteLibrary'>): Tool =>
  withoutVideo(ofVideo, {
    description: libraryTools.ask,
    input: z.object(ask.input),
    definition: {},
    quote: () => commands.quoteLibrary('ask').credits,
    work: (body) => async (call) => {
      const answered = await commands.askLibrary(call, body);
      return json(libraryAnswerJson(body.question, answered), { headers: receiptHeaders(answered) });
    },
  });

/** Reads a kept video; free, because it was paid for when it was read. */
export const fetchKept = ({ commands }: Application<'newestVersion'>): Tool =>
  tool({
    ...libraryTools.fetch,
    scope: 'transcripts',
    operation: readVideo.operation,
    input: z.object({ id: z.string().min(1).max(longestLink).meta({ description: 'as search answered it' }) }),
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
