import { ownValue } from '../../kernel/own-value.ts';
import { labelOf } from '../captions/caption-text.ts';
import type { ChannelFeed, WantedFeed } from '../captions/caption-track.ts';
import { classifyHttp, isFailure } from '../classify.ts';
import { refusalOf } from '../failures.ts';
import type { PlatformRequest } from '../platform.ts';
import { type Asking, ask, heed, isAnswer } from '../platform-requests.ts';
import { videoIdForm } from '../video-id.ts';

/** A feed of 15 videos with long descriptions is some 60 kB. */
const maxFeedBytes = 1_000_000;

/**
 * Reads the feed of a channel: its 15 newest videos in one small request. Whatever is no whole feed is `away`, and says
 * nothing of the channel: feeds fail for days for everybody. Throws when the platform asks to slow down.
 */
export const readChannelFeed = async (
  client: Asking,
  { channelId, etag, lastModified }: WantedFeed,
): Promise<ChannelFeed> => {
  const request: PlatformRequest = {
    method: 'GET',
    url: `https://www.youtube.com/feeds/videos.xml?channel_id=${channelId}`,
    headers: {
      accept: 'application/atom+xml, text/xml',
      'accept-language': 'en-US,en;q=0.9',
      ...(etag === null ? {} : { 'if-none-match': etag }),
      ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
    },
    body: null,
    maxBytes: maxFeedBytes,
  };
  const answer = await ask(client, request, 'feed');
  if (!isAnswer(answer)) return { kind: 'away', why: answer.reason };
  if (answer.status === 304) return { kind: 'unchanged' };
  const feed = answer.status === 200 ? parseFeed(answer.body) : null;
  if (feed !== null && isOf(feed.channelId, channelId)) {
    const { title, entries } = feed;
    return { kind: 'entries', title, entries, etag: answer.etag ?? null, lastModified: answer.lastModified ?? null };
  }
  const found = classifyHttp(answer, 'feed');
  if (!isFailure(found)) return { kind: 'away', why: 'malformed' };
  heed(client, answer, found);
  if (found.reason === 'rate_limited') throw refusalOf(found);
  return { kind: 'away', why: answer.status === 200 ? found.reason : `http_${answer.status}` };
};

/** Feeds name their channel with its `UC` or without. */
const isOf = (named: string | null, channelId: string): boolean =>
  named === null || named === channelId || `UC${named}` === channelId;

/** Videos in one feed, at most; the platform lists fifteen. */
const maxEntries = 100;

/**
 * The entries of a feed, the newest first as the platform lists them; null for what is no whole feed, or has a document
 * type: entities of its own are never resolved.
 */
export const parseFeed = (document: string) => {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(document) || !/<\/feed>\s*$/.test(document)) return null;
  const start = document.search(/<feed[\s>]/);
  if (start < 0) return null;
  const [head = '', ...parts] = document.slice(start).split('<entry>', maxEntries + 1);
  const entries = parts.map((part) => {
    const end = part.indexOf('</entry>');
    if (end < 0) return null;
    const entry = part.slice(0, end);
    const id = textOf(entry, 'yt:videoId');
    if (id === null || !videoIdForm.test(id)) return null;
    return {
      videoId: id,
      title: textOf(entry, 'title'),
      isShort: /<link rel="alternate" href="https?:\/\/www\.youtube\.com\/shorts\//.test(entry),
    };
  });
  const whole = entries.filter((entry) => entry !== null);
  if (whole.length !== entries.length) return null;
  return { title: textOf(head, 'title'), channelId: textOf(head, 'yt:channelId'), entries: whole };
};

const textOf = (xml: string, name: string): string | null => {
  const open = xml.indexOf(`<${name}>`);
  const close = open < 0 ? -1 : xml.indexOf(`</${name}>`, open);
  if (close < 0) return null;
  return labelOf(unescapeXml(xml.slice(open + name.length + 2, close)));
};

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The five entities of XML and characters by their number; anything else stays as it is. */
const unescapeXml = (text: string): string =>
  text
    .replace(/&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g, (all, name, decimal, hex) => {
      if (name !== undefined) return ownValue(named, name) ?? all;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return code > 0x1f && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    })
    .toWellFormed();
