import { labelOf } from '../captions/caption-text.ts';
import type { ListedVideo } from '../captions/caption-track.ts';
import { at, isObject, listAt, numberAt, stringAt, textAt } from '../json-path.ts';

/** A row of a list, before its position is known. */
export type ListedRow = Omit<ListedVideo, 'position'>;

export type ListPage = {
  readonly rows: readonly ListedRow[];
  /** Token of the next page; null at the end. */
  readonly next: string | null;
  readonly visitorData: string | null;
};

/** Without rows, and without a page behind it. */
export const emptyPage: ListPage = { rows: [], next: null, visitorData: null };

export type PageReading =
  | { readonly kind: 'page'; readonly page: ListPage }
  /** The answer holds no list at all: incomplete, or another kind of page. */
  | { readonly kind: 'no_list' }
  | { readonly kind: 'unknown'; readonly path: string };

/** The visitor id that the platform assigned; the next page is requested with it. Null: it assigned none. */
export const visitorDataOf = (document: unknown): string | null => stringAt(document, 'responseContext', 'visitorData');

/** Reads the rows of a follow-up page. What is put in place of a header or of chips beside them is not looked at. */
export const readContinuation = (document: unknown): PageReading => {
  const actions = listAt(document, 'onResponseReceivedActions');
  const endpoints = listAt(document, 'onResponseReceivedEndpoints');
  const given = [...actions, ...endpoints]
    .map(
      (action) =>
        at(action, 'appendContinuationItemsAction', 'continuationItems') ??
        at(action, 'reloadContinuationItemsCommand', 'continuationItems'),
    )
    .filter((items) => items !== undefined);
  const items = given.find(hasList) ?? given[0];
  if (items === undefined) return { kind: 'no_list' };
  if (!Array.isArray(items)) return { kind: 'unknown', path: 'continuationItems' };
  return readItems(items, 'continuationItems', visitorDataOf(document));
};

const hasList = (items: unknown): boolean =>
  Array.isArray(items) && items.some((item) => isObject(item) && (isRow(item) || tokenOf(item) !== null));

/** Reads the rows of a first page: the list may sit at any depth of `contents`. */
export const readFirstPage = (document: unknown): PageReading => {
  const continued = readContinuation(document);
  if (continued.kind !== 'no_list') return continued;
  const items = firstIn(at(document, 'contents'), listOfRows);
  return items === null ? { kind: 'no_list' } : readItems(items, 'contents', visitorDataOf(document));
};

const readItems = (items: readonly unknown[], path: string, visitorData: string | null): PageReading => {
  const rows: ListedRow[] = [];
  let next: string | null = null;
  let unknown: string | null = null;
  for (const [index, item] of items.entries()) {
    if (!isObject(item)) {
      unknown ??= `${path}[${index}]`;
      continue;
    }
    const token = tokenOf(item);
    if (token !== null) {
      next = token;
      continue;
    }
    const found = rowOf(item);
    if (typeof found === 'string') unknown ??= `${path}.${found}`;
    else if (found !== null) rows.push(found);
  }
  // One new kind of row among known ones would be lost without a word: it is as loud as a page of them.
  return unknown === null ? { kind: 'page', page: { rows, next, visitorData } } : { kind: 'unknown', path: unknown };
};

const maxDepth = 14;

/** What `look` finds first in a page, in reading order. */
const firstIn = <Found>(node: unknown, look: (node: object) => Found | null, depth = 0): Found | null => {
  if (depth > maxDepth || typeof node !== 'object' || node === null) return null;
  const found = look(node);
  if (found !== null) return found;
  for (const value of Object.values(node)) {
    const within = firstIn(value, look, depth + 1);
    if (within !== null) return within;
  }
  return null;
};

/** An array in which a row of a list stands. */
const listOfRows = (node: object): readonly unknown[] | null =>
  Array.isArray(node) && node.some((item) => isObject(item) && isRow(item)) ? node : null;

const rowKeys = [
  'lockupViewModel',
  'playlistVideoRenderer',
  'gridVideoRenderer',
  'videoRenderer',
  'shortsLockupViewModel',
  'reelItemRenderer',
] as const;

/** Rows that stand between videos without being one. */
export const besides: ReadonlySet<string> = new Set([
  'messageRenderer',
  'adSlotRenderer',
  'playlistHeaderRenderer',
  'sectionHeaderViewModel',
]);

const unwrapped = (item: Readonly<Record<string, unknown>>): unknown => at(item, 'richItemRenderer', 'content') ?? item;

const isRow = (item: Readonly<Record<string, unknown>>): boolean => {
  const content = unwrapped(item);
  return isObject(content) && rowKeys.some((key) => key in content);
};

/** The token of the next page: its command is wrapped in one of many ways, and in another one each year. */
const tokenOf = (item: Readonly<Record<string, unknown>>): string | null => {
  const found = Object.entries(item).find(([name]) => name.startsWith('continuationItem'));
  return found === undefined
    ? null
    : firstIn(found[1], (node) => stringAt(node, 'continuationCommand', 'token') || null);
};

/** A row; null for what is no video (a playlist, a message); a string names an unknown kind of row. */
const rowOf = (item: Readonly<Record<string, unknown>>): ListedRow | string | null => {
  const content = unwrapped(item);
  if (!isObject(content)) return 'richItemRenderer.content';
  const { lockupViewModel: lockup, shortsLockupViewModel: short } = content;
  if (lockup !== undefined) return lockupRow(lockup);
  if (short !== undefined) return shortsRow(short);
  for (const key of rowKeys) if (content[key] !== undefined) return rendererRow(content[key], key);
  const [key = 'nothing'] = Object.keys(content);
  return besides.has(key) ? null : key;
};

/** What a lockup may be that is no video. */
const otherThings =
  /_(?:PLAYLIST|ALBUM|PODCAST|CHANNEL|SHOW|STATION|COURSE|MIX|CLIP|GAME|PRODUCT|SOURCE|SHOPPING_COLLECTION)$/;
const videos = /_(?:VIDEO|SHORTS?|MOVIE|EPISODE|UNSPECIFIED)$/;

const lockupRow = (lockup: unknown): ListedRow | string | null => {
  const type = stringAt(lockup, 'contentType');
  if (type !== null && otherThings.test(type)) return null;
  if (type !== null && !videos.test(type)) return 'lockupViewModel.contentType';
  const videoId = stringAt(lockup, 'contentId');
  if (!isVideoId(videoId)) return 'lockupViewModel.contentId';
  const title = textAt(lockup, 'metadata', 'lockupMetadataViewModel', 'title');
  const badges = badgesOf(lockup);
  const durationS = badges.map(clockSeconds).find((seconds) => seconds !== null) ?? null;
  return row(videoId, title, durationS, badges);
};

const shortsRow = (short: unknown): ListedRow | string => {
  const videoId =
    stringAt(short, 'onTap', 'innertubeCommand', 'reelWatchEndpoint', 'videoId') ??
    stringAt(short, 'entityId')?.replace(/^shorts-shelf-item-/, '') ??
    null;
  if (!isVideoId(videoId)) return 'shortsLockupViewModel.onTap';
  return row(videoId, textAt(short, 'overlayMetadata', 'primaryText'), null, []);
};

const rendererRow = (renderer: unknown, key: string): ListedRow | string => {
  const videoId = stringAt(renderer, 'videoId');
  if (!isVideoId(videoId)) return `${key}.videoId`;
  const title = textAt(renderer, 'title') ?? textAt(renderer, 'headline');
  const badges = listAt(renderer, 'badges').map((badge) => stringAt(badge, 'metadataBadgeRenderer', 'style') ?? '');
  const seconds = numberAt(renderer, 'lengthSeconds');
  const isLength = seconds !== null && Number.isSafeInteger(seconds) && seconds >= 0;
  const length = isLength ? seconds : clockSeconds(textAt(renderer, 'lengthText'));
  if (at(renderer, 'isPlayable') === false) badges.push('NOT_PLAYABLE');
  return row(videoId, title, length, badges);
};

const isVideoId = (text: string | null): text is string => text !== null && /^[A-Za-z0-9_-]{1,64}$/.test(text);

const row = (videoId: string, title: string | null, durationS: number | null, badges: readonly string[]): ListedRow => {
  const label = labelOf(title);
  return { videoId, title: label, durationS, availability: availabilityOf(label, badges) };
};

/** As the row itself shows it: the platform writes these titles in the language asked for, English. */
const availabilityOf = (title: string | null, badges: readonly string[]): ListedVideo['availability'] => {
  if (title === '[Private video]') return 'private';
  if (title === '[Deleted video]') return 'deleted';
  if (badges.some((badge) => /MEMBERS_ONLY|^Members/.test(badge))) return 'members_only';
  if (badges.some((badge) => /UNLISTED|^Unlisted$/.test(badge))) return 'unlisted';
  return badges.includes('NOT_PLAYABLE') ? 'unknown' : 'public';
};

/** Texts and styles of every badge on the picture and in the rows below it. */
const badgesOf = (lockup: unknown): string[] => {
  const overlays = listAt(lockup, 'contentImage', 'thumbnailViewModel', 'overlays').flatMap((overlay) => [
    ...listAt(overlay, 'thumbnailBottomOverlayViewModel', 'badges'),
    ...listAt(overlay, 'thumbnailOverlayBadgeViewModel', 'thumbnailBadges'),
  ]);
  const onPicture = overlays.map((badge) => textAt(badge, 'thumbnailBadgeViewModel', 'text'));
  const below = listAt(
    lockup,
    'metadata',
    'lockupMetadataViewModel',
    'metadata',
    'contentMetadataViewModel',
    'metadataRows',
  )
    .flatMap((each) => listAt(each, 'badges'))
    .flatMap((badge) => [
      stringAt(badge, 'badgeViewModel', 'badgeStyle'),
      textAt(badge, 'badgeViewModel', 'badgeText'),
    ]);
  return [...onPicture, ...below].filter((text) => text !== null);
};

/** Seconds of `m:ss` or `h:mm:ss`. */
const clockSeconds = (text: string | null): number | null => {
  if (text === null || !/^\d{1,3}(?::\d{2}){1,2}$/.test(text)) return null;
  return text.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
};
