import type { Listing } from '../captions/caption-track.ts';
import { isFailure } from '../classify.ts';
import { type Failure, failure, refusalOf } from '../failures.ts';
import { type JsonObject, listAt, stringAt } from '../json-path.ts';
import { type Asking, tryAgain } from '../platform-requests.ts';
import { reasonAboutUs } from '../playability-messages.ts';
import { browse, changed, pageOf, resolveChannel } from './browse.ts';
import { readUploadsTab } from './channel-tab.ts';
import { errorAlertOf, type ListHeader, readChannelHeader, readPlaylistHeader } from './list-header.ts';
import {
  emptyPage,
  type ListedRow,
  type ListPage,
  type PageReading,
  readContinuation,
  readFirstPage,
  visitorDataOf,
} from './list-pages.ts';
import type { ChannelReference } from './list-reference.ts';

/** Asks the platform to count and show videos that cannot be watched as well. */
const withUnavailable = 'wgYCCAA%3D';
const videosTab = 'EgZ2aWRlb3PyBgQKAjoA';
/** Pages read of one list, whatever the limit. */
const maxPages = 60;
/** How often a channel may lead to another one. */
const maxMoves = 3;

type WantedPlaylist = { readonly playlistId: string; readonly limit: number };

/** Reads a playlist up to `limit` rows. Refuses with PLAYLIST_NOT_FOUND, or as the platform fails us. */
export const readPlaylist = async (client: Asking, wanted: WantedPlaylist): Promise<Listing> => {
  const listing = await findPlaylist(client, wanted);
  if (listing !== null) return listing;
  throw refusalOf(failure('playlist_not_found'));
};

/**
 * Reads the uploads of a channel up to `limit` rows, newest first: through the uploads playlist, which has longer
 * pages than the channel's own and is open for age-gated channels too; through the channel's page where it is missing.
 */
export const readChannel = async (
  client: Asking,
  wanted: { readonly channel: ChannelReference; readonly limit: number },
): Promise<Listing> => {
  const { channel, limit } = wanted;
  const channelId = channel.kind === 'id' ? channel.channelId : await resolveChannel(client, channel.url);
  if (channelId === null) throw refusalOf(failure('channel_not_found'));
  return readUploads(client, { channelId, limit, moves: 0 });
};

type WantedUploads = { readonly channelId: string; readonly limit: number; readonly moves: number };

const readUploads = async (client: Asking, wanted: WantedUploads): Promise<Listing> => {
  const { channelId, limit } = wanted;
  const playlistId = `UU${channelId.slice(2)}`;
  const uploads = await findPlaylist(client, { playlistId, limit });
  return uploads === null ? readChannelPage(client, wanted) : asChannel(uploads, channelId);
};

const asChannel = (listing: Listing, channelId: string): Listing => ({
  ...listing,
  channelId: listing.channelId ?? channelId,
  title: listing.channel ?? listing.title,
});

/** Null where the platform knows no such playlist. */
const findPlaylist = async (client: Asking, { playlistId, limit }: WantedPlaylist): Promise<Listing | null> => {
  const body = { browseId: `VL${playlistId}`, params: withUnavailable };
  const document = pageOf(await browse(client, body));
  if (document === null) return null;
  const alert = errorAlertOf(document);
  if (alert !== null) {
    const ours = troubleIn(alert);
    if (ours !== null) throw refusalOf(ours);
    return null;
  }
  const header = readPlaylistHeader(document);
  const first = await firstPage(client, document, header, playlistId);
  const isSaidEmpty = first.rows.length === 0 && saysNothing(document);
  return collect(client, { playlistId, header, first, limit, isSaidEmpty });
};

/** A message stands where the videos would: all that the header counts are hidden. */
const saysNothing = (document: JsonObject): boolean => holds(document, 'messageRenderer');

/** Whether something of this name stands anywhere in the page. */
const holds = ({ contents }: JsonObject, name: string): boolean =>
  JSON.stringify(contents ?? null).includes(`"${name}"`);

const readChannelPage = async (client: Asking, { channelId, limit, moves }: WantedUploads): Promise<Listing> => {
  const body = { browseId: channelId, params: videosTab };
  const document = pageOf(await browse(client, body));
  if (document === null) throw refusalOf(failure('channel_not_found'));
  const alert = errorAlertOf(document);
  if (alert !== null) throw refusalOf(channelFailure(alert));
  const movedTo = otherChannelOf(document);
  if (movedTo !== null && moves < maxMoves) return readUploads(client, { channelId: movedTo, limit, moves: moves + 1 });
  if (holds(document, 'channelAgeGateRenderer')) {
    const long = await findPlaylist(client, { playlistId: `UULF${channelId.slice(2)}`, limit });
    if (long !== null) return asChannel(long, channelId);
  }
  const header = readChannelHeader(document);
  const found = readUploadsTab(document);
  if (found.kind !== 'page') throw refusalOf(changed(found.kind === 'unknown' ? found.path : 'contents'));
  const playlistId = `UU${channelId.slice(2)}`;
  const listing = await collect(client, { playlistId, header, first: found.page, limit, isSaidEmpty: true });
  return asChannel(listing, channelId);
};

/** The channel that a page leads to instead of showing one: two that were made one answer so. */
const otherChannelOf = (document: JsonObject): string | null => {
  const ids = listAt(document, 'onResponseReceivedActions').map((action) =>
    stringAt(action, 'navigateAction', 'endpoint', 'browseEndpoint', 'browseId'),
  );
  return ids.find((id) => id?.startsWith('UC')) ?? null;
};

/** What an alert says of the platform or of us, and not of the list. */
const troubleIn = (alert: string): Failure | null => {
  const reason = reasonAboutUs(alert.toLowerCase());
  return reason === null ? null : failure(reason);
};

const channelFailure = (alert: string): Failure => {
  const isRemoved = /terminated|removed|violat|closed/i.test(alert);
  return troubleIn(alert) ?? failure(isRemoved ? 'channel_removed' : 'channel_not_found');
};

/**
 * The first rows stand in the answer itself, or, where the platform gives only the header, behind a continuation of
 * our own making. A page without rows is believed only when the header promises none, or a message says so.
 */
const firstPage = async (
  client: Asking,
  document: JsonObject,
  header: ListHeader,
  playlistId: string,
): Promise<ListPage> => {
  const direct = readFirstPage(document);
  if (direct.kind === 'page') return direct.page;
  if (header.expected === 0) return emptyPage;
  const visitorData = visitorDataOf(document);
  const found = await nextPage(client, firstContinuation(playlistId), visitorData);
  if (found.kind === 'page') return found.page;
  if (found.kind === 'failed') throw refusalOf(found.failure);
  if (found.kind === 'no_list' && direct.kind === 'no_list' && saysNothing(document)) return emptyPage;
  const paths = [direct, found].map((each) => (each.kind === 'unknown' ? each.path : null));
  throw refusalOf(changed(paths.find((path) => path !== null) ?? 'contents'));
};

type Next = PageReading | { readonly kind: 'failed'; readonly failure: Failure };

/** A page without a row that leads nowhere: the end, or no more than an incomplete answer. */
const isBare = (reading: Next): boolean =>
  reading.kind === 'page' && reading.page.rows.length === 0 && reading.page.next === null;

/** A follow-up page. An answer without a list is often just incomplete, and a 404 in the middle passing: once more. */
const nextPage = async (client: Asking, token: string, visitorData: string | null): Promise<Next> => {
  let isRefused = false;
  const read = async (): Promise<Next> => {
    const browsed = await browse(client, { continuation: token }, visitorData);
    if (browsed === null) return { kind: 'no_list' };
    if (isFailure(browsed)) return { kind: 'failed', failure: browsed };
    isRefused = errorAlertOf(browsed) !== null;
    return readContinuation(browsed);
  };
  const isUnfinished = (found: Next) => (found.kind === 'no_list' || isBare(found)) && !isRefused;
  return tryAgain(client, read, isUnfinished);
};

/** Follows the continuations as far as `limit`; a continuation left over means that there is more. */
const collect = async (
  client: Asking,
  list: {
    readonly playlistId: string;
    readonly header: ListHeader;
    readonly first: ListPage;
    readonly limit: number;
    readonly isSaidEmpty: boolean;
  },
): Promise<Listing> => {
  const { playlistId, header, first, limit, isSaidEmpty } = list;
  const rows: ListedRow[] = [...first.rows];
  const seen = new Set<string>();
  // With the last promised row there and a token left over, only another request tells whether it leads anywhere.
  const isWanting = (count: number): boolean => count < limit || (count === limit && count === header.expected);
  let { next, visitorData } = first;
  const isNothing = isBare({ kind: 'page', page: first }) && (header.expected ?? 0) > 0;
  let isCut = isNothing && !isSaidEmpty;
  for (let page = 1; next !== null && isWanting(rows.length); page += 1) {
    // A token that comes back leads in a circle.
    isCut = seen.has(next) || page > maxPages;
    if (isCut) break;
    seen.add(next);
    const found = await nextPage(client, next, visitorData);
    if (found.kind === 'unknown') throw refusalOf(changed(found.path));
    isCut = found.kind !== 'page' || (isBare(found) && header.expected !== null);
    if (found.kind !== 'page' || isCut) break;
    rows.push(...found.page.rows);
    visitorData = found.page.visitorData ?? visitorData;
    next = found.page.next;
  }
  // The platform may hand out a last token that leads nowhere: with every promised row there, that is the end.
  const isAll = header.expected !== null && rows.length >= header.expected;
  const isTruncated = isCut && !isAll;
  const isAtEnd = isCut ? isAll : next === null;
  return {
    playlistId,
    ...header,
    hidden: isAtEnd && header.expected !== null ? Math.max(0, header.expected - rows.length) : null,
    isTruncated,
    hasMore: rows.length > limit || !isAtEnd,
    videos: rows.slice(0, limit).map((row, index) => ({ ...row, position: index + 1 })),
  };
};

/** The continuation that stands for the first page, as the platform's own pages carry it: a protobuf in base64url. */
export const firstContinuation = (playlistId: string): string => {
  const inner = Buffer.concat([field(2, `VL${playlistId}`), field(3, 'CADCBgIIAA%3D%3D'), field(35, playlistId)]);
  const bytes = Buffer.concat([varint(80_226_972 * 8 + 2), varint(inner.length), inner]);
  return encodeURIComponent(bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_'));
};

const field = (number: number, text: string): Buffer => {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
};

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
};
