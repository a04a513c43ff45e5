import { at, isObject, type JsonObject, listAt, stringAt } from '../json-path.ts';
import { besides, emptyPage, type PageReading, readFirstPage } from './list-pages.ts';

/** What the tabs of videos, shorts and streams are asked for with begins so. */
const uploads = /^(?:EgZ2aWRlb3|EgZzaG9ydH|EgdzdHJlYW1)/;

/**
 * Reads the rows of the tab that is shown. A channel that has no such tab is answered with its home, where the videos of
 * others may stand: it has no uploads. A tab that holds neither rows nor a message is not known: only an empty list
 * says that there are none.
 */
export const readUploadsTab = (document: JsonObject): PageReading => {
  const tabs = listAt(document, 'contents', 'twoColumnBrowseResultsRenderer', 'tabs').map((tab) =>
    at(tab, 'tabRenderer'),
  );
  const shown = tabs.find((tab) => at(tab, 'selected') === true);
  if (shown === undefined) return known(readFirstPage(document), document['contents']);
  const params = paramsOf(shown);
  if (params !== null && !uploads.test(params)) {
    const isThere = tabs.some((tab) => uploads.test(paramsOf(tab) ?? ''));
    return isThere ? { kind: 'unknown', path: 'contents.tabs' } : noRows;
  }
  const contents = at(shown, 'content');
  return known(readFirstPage({ ...document, contents }), contents);
};

const noRows: PageReading = { kind: 'page', page: emptyPage };

const paramsOf = (tab: unknown): string | null => stringAt(tab, 'endpoint', 'browseEndpoint', 'params');

const known = (page: PageReading, contents: unknown): PageReading => {
  if (page.kind !== 'no_list') return page;
  if (!isObject(contents) || Object.keys(contents).length === 0) return { kind: 'unknown', path: 'contents' };
  const strange = strangeIn(contents);
  return strange === null ? noRows : { kind: 'unknown', path: `contents.${strange}` };
};

/** What rows stand in. */
const frames: ReadonlySet<string> = new Set([
  'sectionListRenderer',
  'itemSectionRenderer',
  'richGridRenderer',
  'gridRenderer',
]);

/** What says that there is nothing to show. */
const messages: ReadonlySet<string> = new Set([...besides, 'channelAgeGateRenderer', 'backgroundPromoRenderer']);

/** The name of something that is neither a frame nor a message, or a frame without a list; null where all is known. */
const strangeIn = (node: JsonObject): string | null => {
  for (const [name, value] of Object.entries(node)) {
    if (messages.has(name) || /rackingParams$/.test(name)) continue;
    const items = at(value, 'contents') ?? at(value, 'items');
    if (!frames.has(name) || !Array.isArray(items)) return name;
    for (const item of items) {
      const strange = isObject(item) ? strangeIn(item) : name;
      if (strange !== null) return strange;
    }
  }
  return null;
};
