import { ownValue } from '../kernel/own-value.ts';
import { Refusal } from '../kernel/refusal.ts';
import { isShortLink, maxReferenceLength, pathOf, platformUrlOf } from './platform-url.ts';

/** The form of every id of a video. */
export const videoIdForm = /^[A-Za-z0-9_-]{11}$/;
const idInQuery = /^([A-Za-z0-9_-]{11})(?:[?&#].*)?$/;
/** A query that was glued on without its `?`: youtu.be/ID&t=43. */
const gluedQuery = /&.*$/;

/** Pages whose `v` names the video. `''` is the start page: `/?v=ID`. */
const watchPages: ReadonlySet<string> = new Set(['', 'watch', 'watch_popup', 'watch.php', 'movie', 'ytscreeningroom']);

/** Pages that carry the id as their second segment. */
const idPages: ReadonlySet<string> = new Set(['shorts', 'live', 'embed', 'v', 'vi', 'e', 'watch']);

/** Pages that carry another address of the platform in a query field. */
const wrappers: Readonly<Record<string, string>> = {
  attribution_link: 'u',
  redirect: 'q',
  oembed: 'url',
  signin: 'next',
  verify_age: 'next_url',
};

/** Words with eleven characters that stand where ids do: two of embed addresses, and the probe of every scanner. */
const notVideos: ReadonlySet<string> = new Set(['videoseries', 'live_stream', 'constructor']);

/** The id in a video id or in any address of a video, else null. Only an id of eleven characters leaves it. */
export const parseVideoId = (reference: string): string | null => {
  if (reference.length > maxReferenceLength) return null;
  const text = reference.trim();
  if (videoIdForm.test(text)) return notVideos.has(text) ? null : text;
  return idOfAddress(text, 2);
};

/** Like `parseVideoId`; refuses with INVALID_VIDEO_ID where there is no id. */
export const requireVideoId = (reference: string): string => {
  const id = parseVideoId(reference);
  if (id === null) throw notAVideo();
  return id;
};

/** The refusal of what names no video. */
export const notAVideo = (): Refusal =>
  new Refusal('INVALID_VIDEO_ID', 'This is neither a video id of 11 characters nor the address of a video.', {
    reason: 'malformed',
    retryable: false,
  });

const idOfAddress = (reference: string, depth: number): string | null => {
  const url = platformUrlOf(reference);
  if (url === null) return null;
  const [first = '', second = ''] = pathOf(url);
  if (isShortLink(url) && first !== 'watch') return checked(first.replace(gluedQuery, ''));
  if (idPages.has(first) && second !== '') return checked(second);
  const field = ownValue(wrappers, first);
  if (field !== undefined) return idOfWrapped(url.searchParams.get(field), depth);
  // Old mobile addresses keep the page behind the hash: m.youtube.com/#/watch?v=ID.
  if (first === '' && url.hash.startsWith('#/')) return idOfWrapped(url.hash.slice(1), depth);
  if (!watchPages.has(first)) return null;
  const named = url.searchParams.get('v') ?? url.searchParams.get('vi') ?? '';
  return checked(idInQuery.exec(named)?.[1] ?? '');
};

const idOfWrapped = (inner: string | null, depth: number): string | null => {
  if (inner === null || depth === 0) return null;
  const isPath = inner.startsWith('/') && !inner.startsWith('//');
  return idOfAddress(isPath ? `https://www.youtube.com${inner}` : inner, depth - 1);
};

const checked = (id: string): string | null => (videoIdForm.test(id) && !notVideos.has(id) ? id : null);
