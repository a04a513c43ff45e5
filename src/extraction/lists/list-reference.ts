import { invalidRequest } from '../../kernel/refusal.ts';
import { decoded, isShortLink, maxReferenceLength, pathOf, platformUrlOf } from '../platform-url.ts';

const channelId = /^UC[A-Za-z0-9_-]{22}$/;
const playlistId = /^[A-Za-z0-9_-]{2,64}$/;
const userName = /^[A-Za-z0-9]{1,20}$/;
/**
 * The platform gives out 3 to 30 characters, fewer where one says as much as a word; of longer ones it says itself that
 * there is no such channel. Many scripts write their vowels as marks.
 */
const handle = /^(?:[\p{L}\p{N}\p{M}._·-]{3,100}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]{1,2})$/u;
const customName = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._-]{0,99}$/u;

/** First segments that are pages, so that `/feed` is no vanity name of a channel. */
const pages: ReadonlySet<string> = new Set(
  (
    'watch watch_popup watch.php playlist shorts live embed v vi e channel c user feed results redirect ' +
    'attribution_link oembed signin verify_age clip hashtag about premium gaming music post t s api'
  ).split(' '),
);

/** A channel as it was named: by its id, or by an address that the platform has to resolve. */
export type ChannelReference =
  | { readonly kind: 'id'; readonly channelId: string }
  | { readonly kind: 'address'; readonly url: string };

/** The id in a playlist id or in any address with `list=`, else null. */
export const parsePlaylistId = (reference: string): string | null => {
  if (reference.length > maxReferenceLength) return null;
  const text = reference.trim();
  if (playlistId.test(text)) return withoutBrowsePrefix(text);
  const id = platformUrlOf(text)?.searchParams.get('list') ?? '';
  return playlistId.test(id) ? withoutBrowsePrefix(id) : null;
};

/** Like `parsePlaylistId`; refuses with INVALID_REQUEST where there is no id. */
export const requirePlaylistId = (reference: string): string =>
  parsePlaylistId(reference) ?? refuse('playlist_id', 'This is neither the id nor the address of a playlist.');

/** The id of a channel, from an id or an address with `/channel/`; null: neither. */
export const parseChannelId = (reference: string): string | null => {
  if (channelId.test(reference.trim())) return reference.trim();
  const found = named(reference, 'channel');
  return found !== null && channelId.test(found) ? found : null;
};

/** The handle without its `@`, from `@name`, `name` or an address. */
export const parseHandle = (reference: string): string | null => {
  const text = reference.trim().replace(/^@/, '');
  // `youtube.com` alone is a host, not somebody's handle.
  if (handle.test(text) && platformUrlOf(text) === null) return text;
  const url = platformUrlOf(reference);
  if (url === null || isShortLink(url)) return null;
  const first = decoded(pathOf(url)[0] ?? '');
  return first.startsWith('@') && handle.test(first.slice(1)) ? first.slice(1) : null;
};

/** A channel in any of its forms: id, handle, `/channel/`, `/c/`, `/user/`, `/@name`, vanity address. Else null. */
export const parseChannelReference = (reference: string): ChannelReference | null => {
  if (reference.length > maxReferenceLength) return null;
  const id = parseChannelId(reference);
  if (id !== null) return { kind: 'id', channelId: id };
  const bare = parseHandle(reference);
  if (bare !== null) return address(`@${bare}`);
  const url = platformUrlOf(reference);
  if (url === null || isShortLink(url)) return null;
  const custom = named(reference, 'c');
  if (custom !== null) return customName.test(custom) ? address(`c/${custom}`) : null;
  const user = named(reference, 'user');
  if (user !== null) return userName.test(user) ? address(`user/${user}`) : null;
  const first = decoded(pathOf(url)[0] ?? '');
  return customName.test(first) && !pages.has(first) ? address(first) : null;
};

/** Like `parseChannelReference`; refuses with INVALID_REQUEST where there is no channel. */
export const requireChannelReference = (reference: string): ChannelReference =>
  parseChannelReference(reference) ??
  refuse('channel_id', 'This is neither the id, the handle nor the address of a channel.');

/** What a link leads to that is no link of a video; null for ids, handles and everything that is no link of a listing. */
export const parseSourceLink = (reference: string): 'playlist' | 'channel' | null => {
  if (reference.length > maxReferenceLength || platformUrlOf(reference) === null) return null;
  if (parsePlaylistId(reference) !== null) return 'playlist';
  return parseChannelReference(reference) === null ? null : 'channel';
};

const refuse = (path: string, message: string): never => {
  throw invalidRequest(message, { path, code: 'malformed' }, { reason: 'malformed', retryable: false });
};

const address = (path: string): ChannelReference => ({
  kind: 'address',
  url: `https://www.youtube.com/${path.normalize('NFC').split('/').map(encodeName).join('/')}`,
});

const encodeName = (name: string): string => encodeURIComponent(name).replace(/^%40/, '@');

const named = (reference: string, page: string): string | null => {
  const url = platformUrlOf(reference);
  if (url === null || isShortLink(url)) return null;
  const [first, second] = pathOf(url);
  return first === page && second !== undefined ? decoded(second) : null;
};

/** Pages of lists are named `VL` + id inside the platform; callers copy that too. */
const withoutBrowsePrefix = (id: string): string => id.replace(/^VL(?=(?:PL|UU|OL|RD|FL|EC)[\w-]{10})/, '');
