import { hash } from 'node:crypto';
import { type Answer, html, invalidArgument, json, notFound } from './answers.ts';
import { channelContinuation, channelPage, feedOf } from './channel-answers.ts';
import { type Channel, channels, lists, type Playlist, uploadsOf } from './collections.ts';
import { type Place, placeOf } from './continuations.ts';
import { masked } from './field-masks.ts';
import { notFoundPage } from './pages.ts';
import { playlistContinuation, playlistPage } from './playlist-answers.ts';
import { type SeenRequest, textField } from './requests.ts';

/** The lists of the platform. */
export type Collections = {
  readonly playlists: ReadonlyMap<string, Playlist>;
  readonly channels: ReadonlyMap<string, Channel>;
};

const alert = (text: object): object => ({
  alerts: [{ alertRenderer: { type: 'ERROR', text } }],
  microformat: { microformatDataRenderer: { noindex: true } },
});

const runs = (text: string): object => ({ runs: [{ text }] });

/** The message in place of a list or channel that is not available. */
const refusedIds: ReadonlyMap<string, object> = new Map([
  [lists.unviewable, alert(runs('This playlist type is unviewable.'))],
  [lists.private, alert(runs('This playlist is private.'))],
  [lists.unknownError, alert(runs('Unknown error.'))],
  [
    channels.terminated,
    alert({ simpleText: "This account has been terminated for a violation of YouTube's Terms of Service." }),
  ],
  [channels.removed, alert({ simpleText: 'This channel was removed because it violated our Community Guidelines.' })],
]);

const findList = (id: string, all: Collections): Playlist | undefined =>
  all.playlists.get(id) ?? uploadsOf(id, all.channels);

const continued = (place: Place, all: Collections): object | null => {
  if (place.tab !== null) {
    const channel = all.channels.get(place.browseId);
    return channel ? channelContinuation(channel, place) : null;
  }
  const list = findList(place.browseId.replace(/^VL/, ''), all);
  return list ? playlistContinuation(list, place) : null;
};

const pageOf = (browseId: string, params: string | null, all: Collections): object | null => {
  const id = browseId.replace(/^VL/, '');
  const refused = refusedIds.get(id);
  if (refused) return refused;
  if (browseId.startsWith('VLRD')) return alert(runs('This playlist type is unviewable.'));
  if (browseId.startsWith('VL')) {
    const list = findList(id, all);
    return list ? playlistPage(list, params !== null) : null;
  }
  const channel = all.channels.get(browseId);
  return channel ? channelPage(channel, params) : alert({ simpleText: 'This channel does not exist.' });
};

/** `browse`: playlists, channels and their continuations. */
export const browse = (request: SeenRequest, all: Collections, visitorData: string, mask: string | null): Answer => {
  const answer = (body: object | null): Answer =>
    body ? json(masked({ responseContext: { visitorData }, ...body }, mask)) : notFound();
  const token = textField(request.body, 'continuation');
  if (token !== null) {
    const place = placeOf(token);
    return place ? answer(continued(place, all)) : invalidArgument();
  }
  const browseId = textField(request.body, 'browseId') ?? '';
  if (!/^(?:VL[A-Za-z0-9_-]{2,}|UC[A-Za-z0-9_-]{22})$/.test(browseId)) return invalidArgument();
  return answer(pageOf(browseId, textField(request.body, 'params'), all));
};

const channelAt = (path: string, all: Collections): Channel | undefined => {
  const name = path.toLowerCase();
  return [...all.channels.values()].find(
    (channel) =>
      channel.owner.handle === name ||
      channel.addresses.includes(name) ||
      `channel/${channel.owner.channelId}`.toLowerCase() === name,
  );
};

/** `navigation/resolve_url`: handles, `/c/`, `/user/`, vanity names and playlist addresses. */
export const resolveUrl = (request: SeenRequest, all: Collections, visitorData: string): Answer => {
  const address = textField(request.body, 'url');
  if (address === null || !URL.canParse(address)) return invalidArgument();
  const url = new URL(address);
  const path = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  const listId = path === 'playlist' ? url.searchParams.get('list') : null;
  const [first = '', second = ''] = path.split('/');
  const isPair = ['c', 'user', 'channel'].includes(first);
  const channel = channelAt(isPair ? `${first}/${second}` : first, all);
  if (!channel && listId === null) return notFound();
  const browseEndpoint = channel
    ? { browseId: channel.owner.channelId, params: 'EgC4AQCSAwDyBgQKAjIA' }
    : { browseId: `VL${listId}` };
  return json({
    responseContext: { visitorData },
    endpoint: {
      commandMetadata: {
        webCommandMetadata: {
          url: '/youtubei/v1/navigation/resolve_url',
          webPageType: channel ? 'WEB_PAGE_TYPE_CHANNEL' : 'WEB_PAGE_TYPE_PLAYLIST',
          rootVe: 3611,
          apiUrl: '/youtubei/v1/browse',
        },
        resolveUrlCommandMetadata: { isVanityUrl: true },
      },
      browseEndpoint,
    },
  });
};

/** `feeds/videos.xml?channel_id=`. Where nothing has changed since the answer that a client names, 304. */
export const feed = ({ headers }: SeenRequest, channelId: string | null, all: Collections): Answer => {
  const channel = all.channels.get(channelId ?? '');
  if (!channel) return html(notFoundPage, 404);
  const body = feedOf(channel);
  const etag = `"${hash('sha256', body).slice(0, 16)}"`;
  const contentType = 'text/xml; charset=UTF-8';
  const marked = { contentType, headers: { ETag: etag } };
  return headers['if-none-match'] === etag ? { ...marked, status: 304, body: '' } : { ...marked, status: 200, body };
};
