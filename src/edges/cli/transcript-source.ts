import type { Command } from 'commander';
import { z } from 'zod';
import {
  type Commands,
  nameLink,
  renderTranscript,
  type ShapedTranscript,
  type Transcript,
  toJson,
  videoLink,
} from '../../commands.ts';
import { answerOf } from '../../contract/answer-of.ts';
import { type Chunks, chunksSchema, readChunks } from '../../contract/chunks.ts';
import { listed, listedVideo, listings, maxListedVideos } from '../../contract/listings.ts';
import { trackSchema } from '../../contract/schemas.ts';
import { languages, listLanguages, readTranscript, transcriptSchema } from '../../contract/transcripts.ts';
import { type VideoDetails, videoSchema } from '../../contract/video-details.ts';
import { readVideo } from '../../contract/videos.ts';
import { requestTo } from './endpoint-request.ts';
import { accountIdOf, type NamedAccount, operatorCall, requireOneName } from './named-account.ts';
import { invalidValue } from './option-parsers.ts';
import { type ServerClient, type ServerRequest, serverClient } from './server-client.ts';
import { type ServerOptions, serverOf } from './server-login.ts';
import { creditsOf, tellCost, withServer } from './server-verb.ts';
import { remark, type Terminal } from './terminal.ts';

export type ChunksRequest = Parameters<Commands['readChunks']>[1];

export type TranscriptRequest = Parameters<Commands['readTranscript']>[1];

const Track = trackSchema.pick({ language: true, name: true, kind: true });

/** A caption track, as the API shows it. */
export type CaptionTrack = z.output<typeof Track> & { readonly default: boolean };

const videoAnswer = answerOf(listedVideo);

/** A video of a list, as the API shows it. */
export type ListedVideo = z.output<typeof listedVideo>;

export type List = { readonly kind: 'playlist' | 'channel'; readonly reference: string };

/** The source of transcripts: a server, or the engine in this process. */
export type TranscriptSource = {
  read(wanted: TranscriptRequest): Promise<ShapedTranscript>;
  languages(reference: string): Promise<readonly CaptionTrack[]>;
  video(reference: string): Promise<VideoDetails>;
  chunks(wanted: ChunksRequest): Promise<Chunks>;
  /** `limit` null: as many as the source gives. `hasMore`: the list goes on behind them. */
  videos(
    list: List,
    limit: number | null,
  ): Promise<{ readonly videos: readonly ListedVideo[]; readonly hasMore: boolean }>;
  [Symbol.asyncDispose](): Promise<void>;
};

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
  if (server === null) return localSource(terminal, isCharged ? options : null);
  remark(terminal, `from ${server.url}; --local reads without a server`);
  return serverSource(terminal, serverClient(server, terminal), options.costTag);
};

const localSource = async (terminal: Terminal, named: NamedAccount | null): Promise<TranscriptSource> => {
  const { signal } = terminal;
  await using stack = new AsyncDisposableStack();
  const reader = stack.use(await terminal.openReader());
  let read: TranscriptSource['read'] = (wanted) => reader.readTranscript(wanted, { signal });
  if (named !== null) {
    // Through the database, which charges the account.
    const { commands } = stack.use(await terminal.openApplication({ mayCreate: false }));
    const account = await accountIdOf({ commands }, named);
    read = (wanted) => commands.readTranscript(operatorCall(account, signal), wanted);
  }
  const parts = stack.move();
  return {
    read,
    languages: async (reference) => {
      const { tracks, defaultTrackId } = await reader.listTracks({ reference }, { signal });
      return tracks.map(({ id, language, name, kind }) => ({
        ...{ language, name, kind, default: id === defaultTrackId },
      }));
    },
    video: (reference) => reader.readVideo({ reference }, { signal }),
    chunks: (wanted) => reader.readChunks(wanted, { signal }),
    videos: async (list, limit) => {
      const listing = await reader.listVideos({ ...list, limit }, { signal });
      return {
        videos: listing.videos.map((video) =>
          videoAnswer(video, { url: videoLink(video.videoId), duration: video.durationS }),
        ),
        hasMore: listing.hasMore,
      };
    },
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
    async read({ reference, language, ...wanted }) {
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
    async languages(reference) {
      const { body } = await client.send(requestTo(listLanguages, [reference]), Languages);
      const at = body.tracks.findIndex(({ language }) => language === body.default);
      return body.tracks.map((track, index) => ({ ...track, default: index === at }));
    },
    async video(reference) {
      return (await client.send(requestTo(readVideo, [reference]), videoSchema)).body;
    },
    async chunks({ reference, language, captions, asr, keep, maxTokens, overlap, by }) {
      const query = { lang: language, captions, asr, keep: keep ?? null, max_tokens: maxTokens, overlap, by };
      return await charged(requestTo(readChunks, [reference], query), chunksSchema);
    },
    async videos({ kind, reference }, limit) {
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
