import { labelOf } from '../captions/caption-text.ts';
import type { Listing } from '../captions/caption-track.ts';
import { at, listAt, stringAt, textAt } from '../json-path.ts';
import { decoded } from '../platform-url.ts';

/** What stands above a list; null where the platform does not say. */
export type ListHeader = Pick<Listing, 'title' | 'channel' | 'channelId' | 'handle' | 'expected'>;

/** Reads the header of a playlist in its old and new shapes, with the sidebar and the metadata as further sources. */
export const readPlaylistHeader = (document: unknown): ListHeader => {
  const old = at(document, 'header', 'playlistHeaderRenderer');
  const page = at(document, 'header', 'pageHeaderRenderer');
  const sidebar = listAt(document, 'sidebar', 'playlistSidebarRenderer', 'items');
  const primary = at(sidebar, 0, 'playlistSidebarPrimaryInfoRenderer');
  const owner = ownerOf(old, page, sidebar);
  const title =
    textAt(page, 'pageTitle') ??
    textAt(old, 'title') ??
    textAt(document, 'metadata', 'playlistMetadataRenderer', 'title') ??
    textAt(primary, 'title') ??
    textAt(document, 'microformat', 'microformatDataRenderer', 'title');
  const counts = [
    textAt(old, 'numVideosText'),
    ...partsOf(page).map((part) => textAt(part, 'text')),
    ...listAt(primary, 'stats').map((stat) => textAt(stat)),
  ];
  return { title: labelOf(title), ...owner, expected: counts.map(countOf).find((count) => count !== null) ?? null };
};

/** Reads who a channel page is about. */
export const readChannelHeader = (document: unknown): ListHeader => {
  const metadata = at(document, 'metadata', 'channelMetadataRenderer');
  const address = stringAt(metadata, 'vanityChannelUrl') ?? stringAt(metadata, 'ownerUrls', 0);
  const name = labelOf(textAt(metadata, 'title') ?? textAt(document, 'header', 'pageHeaderRenderer', 'pageTitle'));
  return {
    title: name,
    channel: name,
    channelId: stringAt(metadata, 'externalId'),
    handle: handleOf(address),
    expected: null,
  };
};

/** The text of an error that the platform puts above an otherwise empty page; null where there is none. */
export const errorAlertOf = (document: unknown): string | null => {
  for (const alert of listAt(document, 'alerts')) {
    const renderer = at(alert, 'alertRenderer') ?? at(alert, 'alertWithButtonRenderer');
    if (stringAt(renderer, 'type') === 'ERROR') return textAt(renderer, 'text') ?? '';
  }
  return null;
};

const ownerOf = (old: unknown, page: unknown, sidebar: readonly unknown[]) => {
  const run = at(old, 'ownerText', 'runs', 0);
  const part = partsOf(page)
    .map((each) => at(each, 'text'))
    .find((text) => listAt(text, 'commandRuns').length > 0);
  const owner = at(sidebar, 1, 'playlistSidebarSecondaryInfoRenderer', 'videoOwner', 'videoOwnerRenderer');
  const endpoint =
    at(run, 'navigationEndpoint', 'browseEndpoint') ??
    at(part, 'commandRuns', 0, 'onTap', 'innertubeCommand', 'browseEndpoint') ??
    at(owner, 'navigationEndpoint', 'browseEndpoint') ??
    at(owner, 'title', 'runs', 0, 'navigationEndpoint', 'browseEndpoint');
  const name = textAt(run) ?? stringAt(run, 'text') ?? textAt(owner, 'title') ?? textAt(part)?.replace(/^by /, '');
  return {
    channel: labelOf(name ?? null),
    channelId: stringAt(endpoint, 'browseId'),
    handle: handleOf(stringAt(endpoint, 'canonicalBaseUrl')),
  };
};

const partsOf = (page: unknown): readonly unknown[] =>
  listAt(page, 'content', 'pageHeaderViewModel', 'metadata', 'contentMetadataViewModel', 'metadataRows').flatMap(
    (each) => listAt(each, 'metadataParts'),
  );

/** The number of "5,000 videos", "1 video", "No videos". */
const countOf = (text: string | null): number | null => {
  if (text === null) return null;
  const match = /^(no|[\d.,\u00a0 ]+) (?:videos?|episodes?|lessons?)$/i.exec(text.trim());
  if (match?.[1] === undefined) return null;
  return match[1].toLowerCase() === 'no' ? 0 : Number(match[1].replace(/\D/g, ''));
};

const handleOf = (address: string | null): string | null => {
  const found = /\/(@[^/?#]{1,1000})/.exec(address ?? '')?.[1];
  // Handles in other scripts than Latin stand in addresses with their bytes escaped.
  return found === undefined ? null : labelOf(decoded(found, found));
};
