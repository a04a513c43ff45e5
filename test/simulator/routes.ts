import { type Answer, html, invalidArgument, json } from './answers.ts';
import { captionLink, isLinkGood } from './caption-links.ts';
import { captionDocument } from './captions.ts';
import { type Client, isRetired, profileOf } from './clients.ts';
import { masked } from './field-masks.ts';
import { browse, type Collections, feed, resolveUrl } from './list-routes.ts';
import { apiError, consentPage, notFoundPage, watchPage } from './pages.ts';
import { playerAnswer } from './player-answers.ts';
import type { SeenRequest } from './requests.ts';
import { audioFile, type SampleVideo } from './samples.ts';

/** The data that routes read. */
export type World = {
  readonly collections: Collections;
  readonly findVideo: (videoId: string) => SampleVideo | undefined;
  readonly secret: string;
  readonly nowS: () => number;
  /** New `visitorData` (an anonymous session), which each answer contains. */
  readonly newSession: () => string;
};

export type Route = (request: SeenRequest, client: Client | undefined, world: World, url: URL) => Answer;

const retired = (): Answer =>
  json(apiError(400, 'FAILED_PRECONDITION', 'Precondition check failed.', 'failedPrecondition'), 400);

const answerAbout = (videoId: string, client: Client, world: World): object =>
  playerAnswer(world.findVideo(videoId), client, {
    visitorData: world.newSession(),
    linkTo: (track) => captionLink(world.secret, world.nowS(), world.newSession(), { videoId, track, client }),
  });

const player: Route = (request, client, world, url) => {
  if (!client || !request.videoId) return invalidArgument();
  return json(masked(answerAbout(request.videoId, client, world), url.searchParams.get('$fields')));
};

const reel: Route = (request, client, world, url) => {
  if (!client || !request.videoId) return invalidArgument();
  const video = world.findVideo(request.videoId);
  if (!video || video.state === 'deleted') return json({});
  const playerResponse = answerAbout(request.videoId, client, world);
  return json(masked({ playerResponse, status: 'OK' }, url.searchParams.get('$fields')));
};

const visitorId: Route = (_request, client, world) => {
  if (!client) return invalidArgument();
  return json({ responseContext: { visitorData: world.newSession() } });
};

const emptyDocument: Answer = { status: 200, contentType: 'text/html; charset=UTF-8', body: '' };

const timedtext: Route = (request, _client, world, url) => {
  const query = url.searchParams;
  if (!isLinkGood(world.secret, world.nowS(), query)) return html(notFoundPage, 404);
  const isGated = ['xpe', 'xpv'].includes(query.get('exp') ?? '');
  if (isGated && !query.get('pot')) return emptyDocument;
  const video = world.findVideo(request.videoId ?? '');
  const kind = query.get('kind') === 'asr' ? 'asr' : 'manual';
  const track = video?.tracks.find(
    (one) =>
      one.language === query.get('lang') && one.kind === kind && (one.trackName ?? '') === (query.get('name') ?? ''),
  );
  if (!track) return emptyDocument;
  return { status: 200, ...captionDocument(track, query.get('fmt'), query.get('tlang')) };
};

const watch: Route = (request, _client, _world, url) => {
  if (!/CONSENT=YES\+|SOCS=/.test(request.headers['cookie'] ?? ''))
    return html(consentPage(`https://www.youtube.com${url.pathname}${url.search}`));
  return html(watchPage(request.videoId ?? ''));
};

const videoplayback: Route = (request, _client, world) =>
  world.findVideo(request.videoId ?? '') === undefined
    ? html(notFoundPage, 404)
    : { status: 200, contentType: 'audio/mp4', body: audioFile };

const routes: Partial<Record<SeenRequest['endpoint'], Route>> = {
  player,
  reel,
  visitor_id: visitorId,
  timedtext,
  videoplayback,
  page: watch,
  browse: (request, _client, world, url) =>
    browse(request, world.collections, world.newSession(), url.searchParams.get('$fields')),
  resolve_url: (request, _client, world) => resolveUrl(request, world.collections, world.newSession()),
  feed: (request, _client, world, url) => feed(request, url.searchParams.get('channel_id'), world.collections),
};

const apiHosts = /^(?:[a-z0-9-]+\.)*(?:youtube|googlevideo)\.com$|^youtubei\.googleapis\.com$/;
const loopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

/** The correct answer to a request, before faults. */
export const answerTo: Route = (request, client, world, url) => {
  const route = routes[request.endpoint];
  const isKnownHost = apiHosts.test(request.host) || loopback.test(request.host);
  if (!route || !isKnownHost) return html(notFoundPage, 404);
  if (request.path.startsWith('/youtubei/')) {
    if (request.method !== 'POST') return html(notFoundPage, 404);
    if (!client || !profileOf(client)) return invalidArgument();
    if (isRetired(client)) return retired();
  }
  return route(request, client, world, url);
};
