import type { Command } from 'commander';
import { z } from 'zod';
import { nameLink, renderTranscript, type ShapedTranscript, type Transcript, toJson } from '../../commands.ts';
import { chunksSchema, readChunks } from '../../contract/chunks.ts';
import { listed, listings, maxListedVideos } from '../../contract/listings.ts';
import { trackSchema } from '../../contract/schemas.ts';
import { languages, listLanguages, readTranscript, transcriptSchema } from '../../contract/transcripts.ts';
import { videoSchema } from '../../contract/video-details.ts';
import { readVideo } from '../../contract/videos.ts';
import { requestTo } from './endpoint-request.ts';
import { accountIdOf, type NamedAccount, operatorCall, requireOneName } from './named-account.ts';
import type { List, TranscriptSource } from './operator-interface.ts';
import { invalidValue } from './option-parsers.ts';
import { type ServerClient, type ServerRequest, serverClient } from './server-client.ts';
import { type ServerOptions, serverOf } from './server-login.ts';
import { creditsOf, tellCost, withServer } from './server-verb.ts';
import { remark, type Terminal } from './terminal.ts';

const Track = trackSchema.pick({ language: true, name: true, kind: true });

export type SourceOptions = ServerOptions & NamedAccount & { readonly keep?: boolean; readonly costTag?: string };

/** The options that say where a verb reads from. */
export const withSource = (command: Command): Command =>
  withServer(command).option('--local', 'read from this machine even when logged in to a server');

/** The server that the options mean, else the engine here. With `--account` or `--email` it is the engine here, charged to that account. */
export const openSource = async (terminal: Terminal, options: SourceOptions): Promise<TranscriptSource> => {
  const { account, email, url } = options;
  const isCharged = account !== undefined || email !== undefined;
  if (isCharged) requireOneName(options);
  if (isCharged && url !== undefined) {
    throw invalidValue('account', `give one of ${account === undefined ? '--email' : '--account'} and --url`);
  }
  const server = isCharged ? null : await serverOf(terminal, options);
  if (server === null && !isCharged && options.keep === true) {
    throw invalidValue('keep', 'a library belongs to an account: log in to a server, or name the account');
  }
  if (server === null && options.costTag !== undefined) {
    throw invalidValue('cost_tag', 'a cost tag is stored with a charge of a server: log in to one');
  }
  if (server === null) return isCharged ? chargedSource(terminal, options) : terminal.openReader();
  remark(terminal, `from ${server.url}; --local reads without a server`);
  return serverSource(terminal, serverClient(server, terminal), options.costTag);
};

/** The engine here, which reads transcripts through the database: it charges the account. */
const chargedSource = async (terminal: Terminal, named: NamedAccount): Promise<TranscriptSource> => {
  await using stack = new AsyncDisposableStack();
  const reader = stack.use(await terminal.openReader());
  const { commands } = stack.use(await terminal.openApplication({ mayCreate: false }));
  const account = await accountIdOf({ commands }, named);
  const parts = stack.move();
  return {
    ...reader,
    readTranscript: (wanted) => commands.readTranscript(operatorCall(account, terminal.signal), wanted),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};

/** A transcript of the API, back in the form that the formats are made of. */
const TranscriptOfApi = transcriptSchema.transform(
  (given): Transcript => ({
    videoId: given.video_id,
    title: given.title,
    channel: given.channel,
    channelId: given.channel_id,
    url: given.url,
    durationS: given.duration,
    language: given.language,
    requestedLanguage: given.requested_language,
    source: given.source,
    cues: given.segments.map(({ text, start, duration, words }) => {
      const startMs = Math.round(start * 1_000);
      const cue = { text, startMs, endMs: startMs + Math.round(duration * 1_000) };
      if (words === undefined) return cue;
      const said = words?.map((word) => ({ text: word.text, startMs: Math.round(word.start * 1_000) }));
      return { ...cue, words: said ?? null };
    }),
    ...(given.video === undefined ? {} : { video: given.video }),
    ...(given.token_count === undefined ? {} : { tokenCount: given.token_count }),
  }),
);

const Languages = languages.pick({ default: true }).extend({ tracks: z.array(Track) });

const Listed = z.object(listed).pick({ has_more: true, videos: true });

const serverSource = (terminal: Terminal, client: ServerClient, costTag: string | undefined): TranscriptSource => {
  let credits = 0;
  const charged = async <Answer>(request: ServerRequest, answer: z.ZodType<Answer>): Promise<Answer> => {
    const { headers, body } = await client.send({ ...request, costTag }, answer);
    credits += creditsOf(headers);
    return body;
  };
  return {
    async readTranscript({ reference, language, ...wanted }) {
      const { format, timestamps, clean, captions, asr, words, mayTranslate, includesVideo, countsTokens, keep } =
        wanted;
      const query = {
        lang: language,
        clean,
        timestamps: format === 'json' && timestamps,
        captions: captions === 'any' ? null : captions,
        asr: asr === 'off' ? null : asr,
        words: words === true ? true : null,
        translate: mayTranslate === true ? 'platform' : null,
        include: includesVideo === true ? 'video' : null,
        count_tokens: countsTokens === true ? true : null,
        keep: keep ?? null,
      };
      const transcript = await charged(requestTo(readTranscript, [reference], query), TranscriptOfApi);
      const text = format === 'json' ? null : renderTranscript(transcript, { format, timestamps });
      return { transcript, text };
    },
    async listTracks(reference) {
      const { body } = await client.send(requestTo(listLanguages, [reference]), Languages);
      const at = body.tracks.findIndex(({ language }) => language === body.default);
      return body.tracks.map((track, index) => ({ ...track, default: index === at }));
    },
    async readVideo(reference) {
      return (await client.send(requestTo(readVideo, [reference]), videoSchema)).body;
    },
    async readChunks({ reference, language, captions, asr, keep, maxTokens, overlap, by }) {
      const query = { lang: language, captions, asr, keep: keep ?? null, max_tokens: maxTokens, overlap, by };
      return await charged(requestTo(readChunks, [reference], query), chunksSchema);
    },
    async listVideos({ kind, reference, limit }) {
      const query = { limit: Math.min(limit ?? maxListedVideos, maxListedVideos) };
      const { videos, has_more: hasMore } = await charged(requestTo(listings[kind].read, [reference], query), Listed);
      return { videos, hasMore };
    },
    [Symbol.asyncDispose]: async () => tellCost(terminal, credits),
  };
};

/** The JSON of the API of a transcript. */
export const jsonOf = ({ transcript }: ShapedTranscript): string => JSON.stringify(toJson(transcript));

/** The list that a link names; null for anything else. */
export const listOf = (link: string): List | null => {
  const named = nameLink(link);
  return named?.kind === 'video' ? null : named;
};
