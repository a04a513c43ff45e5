import { z } from 'zod';
import {
  type Commands,
  nameLink,
  type PaidListing,
  renderTranscript,
  type Transcript,
  toJson,
  videoLink,
} from '../../commands.ts';
import { invalidRequest } from '../../kernel/refusal.ts';
import { accountIdOf, type NamedAccount, operatorCall, requireOneName } from './named-account.ts';
import { type ServerClient, serverClient } from './server-client.ts';
import { type ServerOptions, serverOf } from './server-login.ts';
import { creditsOf, tellCost } from './server-verb.ts';
import { remark, type Terminal } from './terminal.ts';

export type Wanted = Parameters<Commands['readTranscript']>[1];

/** A transcript as it was asked for; `text` null for json. */
export type Read = { readonly transcript: Transcript; readonly text: string | null };

const Track = z.object({ language: z.string(), name: z.string(), kind: z.string() });

/** A caption track, as the API shows it. */
export type CaptionTrack = z.output<typeof Track> & { readonly default: boolean };

const ListedVideo = z.object({
  video_id: z.string(),
  title: z.string().nullable(),
  url: z.string(),
  duration: z.int().nullable(),
  position: z.int(),
  availability: z.string(),
});
/** A video of a list, as the API shows it. */
export type ListedVideo = z.output<typeof ListedVideo>;

export type List = { readonly kind: 'playlist' | 'channel'; readonly reference: string };

/** The source of transcripts: a server, or the engine in this process. */
export type TranscriptSource = {
  read(wanted: Wanted): Promise<Read>;
  languages(reference: string): Promise<readonly CaptionTrack[]>;
  /** `limit` null: as many as the source gives. `hasMore`: the list goes on behind them. */
  videos(
    list: List,
    limit: number | null,
  ): Promise<{ readonly videos: readonly ListedVideo[]; readonly hasMore: boolean }>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type SourceOptions = ServerOptions & NamedAccount;

/** The server that the options mean, else the engine here. With `--account` or `--email` it is the engine here, charged to that account. */
export const openSource = async (terminal: Terminal, options: SourceOptions): Promise<TranscriptSource> => {
  const { account, email, url } = options;
  const isCharged = account !== undefined || email !== undefined;
  if (isCharged) requireOneName(options);
  if (isCharged && url !== undefined) {
    const message = `give one of ${account === undefined ? '--email' : '--account'} and --url`;
    throw invalidRequest(message, { path: 'account', code: 'invalid_value' });
  }
  const server = isCharged ? null : await serverOf(terminal, options);
  if (server === null) return localSource(terminal, isCharged ? options : null);
  remark(terminal, `from ${server.url}; --local reads without a server`);
  return serverSource(terminal, serverClient(server, terminal));
};

const localSource = async (terminal: Terminal, named: NamedAccount | null): Promise<TranscriptSource> => {
  const { signal } = terminal;
  await using stack = new AsyncDisposableStack();
  const reader = stack.use(await terminal.openReader());
  const charged = named === null ? null : await chargedReader(terminal, stack, named);
  const parts = stack.move();
  return {
    read: charged ?? ((wanted) => reader.readTranscript(wanted, { signal })),
    languages: async (reference) => {
      const { tracks, defaultTrackId } = await reader.listTracks({ reference }, { signal });
      return tracks.map(({ id, language, name, kind }) => ({
        ...{ language, name, kind, default: id === defaultTrackId },
      }));
    },
    videos: async (list, limit) => {
      const listing = await reader.listVideos({ ...list, limit }, { signal });
      return { videos: listing.videos.map(videoOf), hasMore: listing.hasMore };
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};

/** Reads through the database, and charges the account. */
const chargedReader = async (
  terminal: Terminal,
  stack: AsyncDisposableStack,
  named: NamedAccount,
): Promise<TranscriptSource['read']> => {
  const application = stack.use(await terminal.openApplication({ mayCreate: false }));
  const account = await accountIdOf(application, named);
  return (wanted) => application.commands.readTranscript(operatorCall(account, terminal.signal), wanted);
};

const videoOf = ({
  videoId,
  title,
  durationS,
  position,
  availability,
}: PaidListing['listing']['videos'][number]): ListedVideo => ({
  video_id: videoId,
  title,
  url: videoLink(videoId),
  duration: durationS,
  position,
  availability,
});

const Segment = z.object({ text: z.string(), start: z.number(), duration: z.number() });

/** A transcript of the API, back in the form that the formats are made of. */
const TranscriptOfApi = z
  .object({
    video_id: z.string(),
    title: z.string().nullable(),
    channel: z.string().nullable(),
    channel_id: z.string().nullable(),
    url: z.string(),
    duration: z.int().nullable(),
    language: z.string().nullable(),
    requested_language: z.string().nullable(),
    source: z.enum(['manual', 'platform_auto', 'translated', 'asr']),
    segments: z.array(Segment),
  })
  .transform(
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
      cues: given.segments.map(({ text, start, duration }) => {
        const startMs = Math.round(start * 1_000);
        return { text, startMs, endMs: startMs + Math.round(duration * 1_000) };
      }),
    }),
  );

const Languages = z.object({ default: z.string().nullable(), tracks: z.array(Track) });

const Listed = z.object({ has_more: z.boolean(), videos: z.array(ListedVideo) });

/** Videos that the API lists at most. */
const mostListed = 500;

const serverSource = (terminal: Terminal, client: ServerClient): TranscriptSource => {
  let credits = 0;
  return {
    async read({ reference, language, ...wanted }) {
      const { format, timestamps, clean, recognizesSpeech, mayTranslate } = wanted;
      const query = {
        lang: language,
        clean,
        timestamps: format === 'json' && timestamps,
        asr: recognizesSpeech === true ? 'auto' : null,
        translate: mayTranslate === true ? 'platform' : null,
      };
      const path = `/v1/transcripts/${encodeURIComponent(reference)}`;
      const request = { method: 'GET', path, query, isCharged: true } as const;
      const { headers, body: transcript } = await client.send(request, TranscriptOfApi);
      credits += creditsOf(headers);
      const text = format === 'json' ? null : renderTranscript(transcript, { format, timestamps });
      return { transcript, text };
    },
    async languages(reference) {
      const path = `/v1/transcripts/${encodeURIComponent(reference)}/languages`;
      const { body } = await client.send({ method: 'GET', path }, Languages);
      const at = body.tracks.findIndex(({ language }) => language === body.default);
      return body.tracks.map((track, index) => ({ ...track, default: index === at }));
    },
    async videos({ kind, reference }, limit) {
      const path = `/v1/${kind}s/${encodeURIComponent(reference)}`;
      const query = { limit: Math.min(limit ?? mostListed, mostListed) };
      const request = { method: 'GET', path, query, isCharged: true } as const;
      const { headers, body } = await client.send(request, Listed);
      credits += creditsOf(headers);
      return { videos: body.videos, hasMore: body.has_more };
    },
    [Symbol.asyncDispose]: async () => tellCost(terminal, credits),
  };
};

/** The JSON of the API of a transcript. */
export const jsonOf = ({ transcript }: Read): string => JSON.stringify(toJson(transcript));

/** The list that a link names; null for anything else. */
export const listOf = (link: string): List | null => {
  const named = nameLink(link);
  return named?.kind === 'video' ? null : named;
};
