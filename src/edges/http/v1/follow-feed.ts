import { hash } from 'node:crypto';
import { channelLink, playlistLink, videoLink } from '../../../commands.ts';
import { readFeed } from '../../../contract/follows.ts';
import type { FollowedVideoRow, FollowView, Queries } from '../../../queries.ts';
import { bytes } from '../middleware/response.ts';
import { type Application, openRoute, type Route } from '../middleware/route.ts';

/** Entries of a feed: each that holds its transcript is read for it. */
const entriesShown = 20;

type TextQuery = 'jobItems' | 'resultTranscript';

/** The feed of a follow (Atom, RFC 4287), at its secret address. */
export const followFeed = ({
  queries,
  publicUrl,
}: Application<never, 'transcribedOf' | TextQuery> & { readonly publicUrl: string }): Route[] => [
  openRoute(readFeed, async ({ params: { token }, query: { content }, requestInfo: { request, signal } }) => {
    const { follow, videos } = await queries.transcribedOf(token, entriesShown);
    const etag = etagOf(follow, videos, content);
    const headers = { ETag: etag, 'X-Robots-Tag': 'noindex' };
    const known = String(request.headers['if-none-match'] ?? '').split(',');
    if (known.some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')))) {
      return { status: 304, contentType: null, body: null, headers, isCacheHit: null };
    }
    const texts = content === 'text' ? await textsOf(queries, videos, signal) : new Map<string, string>();
    const body = await feedText(follow, videos, texts, publicUrl);
    return bytes(body, { contentType: 'application/atom+xml; charset=utf-8', headers });
  }),
];

/** The same as long as the feed has the same entries, under the same titles. */
const etagOf = (follow: FollowView, videos: readonly FollowedVideoRow[], content: string): string => {
  const shown = videos.map(({ videoId, jobId, title, endedAt }) => [videoId, jobId, title, endedAt]);
  return `"${hash('sha256', JSON.stringify([follow.title, content, shown])).slice(0, 32)}"`;
};

/** The texts of transcripts, by their videos; one that cannot be had now has only its link. */
const textsOf = async (
  queries: Pick<Queries, TextQuery>,
  videos: readonly FollowedVideoRow[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> => {
  const jobIds = videos.flatMap(({ jobId }) => jobId ?? []);
  const items = await queries.jobItems(jobIds, 1);
  const texts = await Promise.all(
    items.map(async (item) => {
      const transcript = await queries.resultTranscript(item, signal);
      const text = transcript?.cues.map((cue) => cue.text).join('\n') ?? '';
      return [item.videoId ?? '', text] as const;
    }),
  );
  return new Map(texts.filter(([, text]) => text !== ''));
};

const feedText = async (
  { followId, sourceKind, sourceId, title, feedUrl, createdAt }: FollowView,
  videos: readonly FollowedVideoRow[],
  texts: ReadonlyMap<string, string>,
  publicUrl: string,
): Promise<string> => {
  // Loaded by those who read feeds.
  const { generateAtomFeed } = await import('feedsmith');
  const source = sourceKind === 'channel' ? channelLink(sourceId) : playlistLink(sourceId);
  return generateAtomFeed({
    id: `tag:steno,2026:${followId}`,
    title: { value: title ?? sourceId },
    updated: new Date(videos[0]?.endedAt ?? createdAt),
    links: [
      { href: feedUrl, rel: 'self', type: 'application/atom+xml' },
      { href: source, rel: 'alternate', type: 'text/html' },
    ],
    authors: [{ name: title ?? sourceId }],
    entries: videos.map((video) => entryOf(video, followId, texts.get(video.videoId), publicUrl)),
  });
};

const entryOf = (
  { videoId, title, foundAt, endedAt, language }: FollowedVideoRow,
  followId: string,
  text: string | undefined,
  publicUrl: string,
) => {
  const transcript = `${publicUrl}/t/${videoId}${language === null ? '' : `?lang=${encodeURIComponent(language)}`}`;
  return {
    id: `tag:steno,2026:${followId}/${videoId}`,
    title: { value: title ?? videoId },
    published: new Date(foundAt),
    updated: new Date(endedAt ?? foundAt),
    links: [
      { href: transcript, rel: 'alternate', type: 'text/html' },
      { href: videoLink(videoId), rel: 'via', type: 'text/html' },
    ],
    ...(text === undefined ? {} : { content: { value: text, type: 'text' } }),
  };
};
