import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import {
  type Instead,
  type PlayerJson,
  players,
  type RecordedAnswer,
  type RecordedPlatform,
  recordedPlayer,
  startRecordedPlatform,
  timedtext,
} from '#test/support/recorded-platform.ts';
import { recording, recordingsMissing } from '#test/support/recordings.ts';

/** What the platform does about a video; `videoId` is the one that is asked for. */
type Doing = (videoId: string) => Instead;

/** Every client gets the recorded answer with this change. */
const changed =
  (change: (document: PlayerJson) => void): Doing =>
  (videoId) =>
    players(recordedPlayer(videoId, change));

/** The recorded player answer, with these captions. */
const captioned =
  (captions: (query: URLSearchParams) => RecordedAnswer): Doing =>
  (videoId) =>
  (request) =>
    request.endpoint === 'timedtext' ? captions(request.query) : players(recordedPlayer(videoId))(request);

/** Captions in one format, whatever was asked for. */
const always = (format: string): Doing =>
  captioned((query) => {
    const others = new URLSearchParams(query);
    others.set('fmt', format);
    return timedtext(others);
  });

/** Every answer in a content coding. */
const packed =
  (coding: string, pack: (text: string) => Buffer): Doing =>
  (videoId) =>
  (request) => {
    const plain =
      request.endpoint === 'timedtext' ? timedtext(request.query) : players(recordedPlayer(videoId))(request);
    return { body: pack(String(plain?.body)), headers: { 'content-encoding': coding } };
  };

/** Only the first client that is asked gets this; the others get the recorded answer. */
const atFirst = (answer: RecordedAnswer): Doing => {
  let isFirst = true;
  return (videoId) => (request) => {
    if (!isFirst) return players(recordedPlayer(videoId))(request);
    isFirst = false;
    return answer;
  };
};

const tracksOf = ({ captions }: PlayerJson) => captions.playerCaptionsTracklistRenderer.captionTracks;

describe('variants of platform responses', { skip: recordingsMissing }, () => {
  if (recordingsMissing !== false) return;
  let platform: RecordedPlatform;
  let app: TestApp;
  let key: string;
  before(async () => {
    platform = await startRecordedPlatform();
    app = await startTestApp({ environment: { PLATFORM_ORIGIN: platform.origin } });
    ({ key } = await app.createAccount({ plan: 'enterprise' }));
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await platform[Symbol.asyncDispose]();
  });

  const read = async (videoId: string, doing: Doing, rest = '') => {
    platform.answerWith(doing(videoId));
    const answer = await app.get(`/v1/transcripts/${videoId}${rest}`, { key });
    const charged = answer.headers.get('x-credits-charged');
    return { status: answer.status, charged, body: (await answer.json()) as Body };
  };
  type Body = Record<string, unknown> & {
    readonly error?: { readonly code: string; readonly details: Record<string, unknown> };
  };

  const readable: readonly (readonly [string, Doing])[] = [
    ['gzip', packed('gzip', gzipSync)],
    ['brotli', packed('br', brotliCompressSync)],
    ['deflate', packed('deflate', deflateSync)],
    ['a coding in capitals', packed('GZIP', gzipSync)],
    ['an old name of gzip', packed('x-gzip', gzipSync)],
    [
      'a byte order mark before JSON',
      (videoId) => (request) => {
        const plain = players(recordedPlayer(videoId))(request);
        return plain && { body: `\ufeff${plain.body}` };
      },
    ],
    ['a byte order mark before captions', captioned((query) => ({ body: `\ufeff${timedtext(query).body}` }))],
    ['captions in srv1', always('srv1')],
    ['captions in srv3', always('srv3')],
    ['captions in vtt', always('vtt')],
    [
      'names of tracks as runs, as text, and none',
      changed((document) => {
        const [first, second] = tracksOf(document);
        if (first) first['name'] = { simpleText: 'English' };
        if (second) delete second['name'];
      }),
    ],
    [
      'tracks without an id',
      changed((document) => {
        for (const track of tracksOf(document)) delete track['vssId'];
      }),
    ],
    [
      'no list of audio tracks',
      changed((document) => {
        delete document.captions.playerCaptionsTracklistRenderer['audioTracks'];
      }),
    ],
    ['another video for one client', atFirst({ body: recordedPlayer('anothervid1') })],
    ['an HTML page for one client', atFirst({ body: '<!DOCTYPE html><html></html>' })],
    ['a redirect for one client', atFirst({ status: 303, body: '', headers: { location: '/' } })],
    ['404 for one client', atFirst({ status: 404, body: '' })],
    ['403 for one client', atFirst({ status: 403, body: '' })],
    ['500 for one client', atFirst({ status: 500, body: 'oops' })],
    ['a coding that nobody knows for one client', atFirst({ body: 'x', headers: { 'content-encoding': 'zz' } })],
    ['a broken coding for one client', atFirst({ body: 'x', headers: { 'content-encoding': 'gzip' } })],
    [
      'an app that is too old for one client',
      atFirst({
        body: JSON.stringify({
          playabilityStatus: { status: 'ERROR', reason: 'The following content is not available on this app.' },
        }),
      }),
    ],
  ];
  for (const [index, [what, doing]] of readable.entries())
    it(`are read: ${what}`, async () => {
      const { status, charged, body } = await read(`readable${String(index).padStart(3, '0')}`, doing);
      assert.equal(status, 200, JSON.stringify(body.error));
      assert.equal(charged, '1');
      assert.equal(body['language'], 'en');
      assert.equal(body['source'], 'manual');
      assert.equal(body['segment_count'], 78);
    });

  it('are null where the platform says nothing', async () => {
    const { status, body } = await read(
      'says-little',
      changed(({ videoDetails }) => {
        for (const name of ['title', 'author', 'channelId', 'lengthSeconds']) delete videoDetails[name];
      }),
    );
    assert.equal(status, 200);
    for (const name of ['title', 'channel', 'channel_id', 'duration', 'requested_language'])
      assert.equal(body[name], null, name);
  });

  it('distinguish tracks of one language, the unnamed manual one first', async () => {
    const doing = changed((document) => {
      const [written, automatic] = tracksOf(document);
      if (!written || !automatic) return;
      const named = { ...written, vssId: '.en.abc', trackName: 'For learners' };
      tracksOf(document).splice(0, 2, automatic, named, written);
      delete document.captions.playerCaptionsTracklistRenderer['audioTracks'];
    });
    const { body } = await read('same-tongue', doing, '?lang=en');
    assert.equal(body['source'], 'manual');
    const languages = await read('same-tongue', doing, '/languages');
    assert.deepEqual(languages.body['available'], ['en']);
    const raw = await read('same-tongue', doing, '/raw');
    assert.equal((raw.body['tracks'] as unknown[]).length, 3);
  });

  const refused: readonly (readonly [string, string, Doing])[] = [
    [
      'captions without text',
      '404 TRANSCRIPT_NOT_AVAILABLE empty_track',
      captioned(() => ({ body: recording('timedtext-constructed/json3-empty.json') })),
    ],
    ['captions of zero bytes', '429 PLATFORM_BLOCKED token_required', captioned(() => ({ body: '' }))],
    [
      'captions cut in the middle',
      '502 PLATFORM_CHANGED shape',
      captioned((query) => ({ body: String(timedtext(query).body).slice(0, 3_000) })),
    ],
    [
      'a limit on captions',
      '429 PLATFORM_RATE_LIMITED rate_limited',
      captioned(() => ({ status: 429, body: recording('timedtext-constructed/error-429.html') })),
    ],
    [
      'captions that are not there',
      '429 PLATFORM_BLOCKED link_refused',
      captioned(() => ({ status: 404, body: recording('timedtext-constructed/error-404.html') })),
    ],
    [
      'an address of captions at another host',
      '502 PLATFORM_CHANGED shape',
      changed((document) => {
        for (const track of tracksOf(document)) track.baseUrl = 'https://example.org/api/timedtext';
      }),
    ],
    [
      'an HTML page for every client',
      '502 PLATFORM_CHANGED shape',
      () => players('<!DOCTYPE html><html><body>hello</body></html>'),
    ],
    ['the captcha page', '429 PLATFORM_BLOCKED bot_check', () => () => ({ body: recording('html/captcha-429.html') })],
    ['the consent page', '502 PLATFORM_CHANGED shape', () => () => ({ body: recording('html/consent-page.html') })],
    [
      'a redirect to the captcha page',
      '429 PLATFORM_BLOCKED bot_check',
      () => () => ({ status: 302, body: '', headers: { location: 'https://www.google.com/sorry/index?continue=x' } }),
    ],
    [
      'a retired client',
      '502 PLATFORM_CHANGED client_retired',
      () => () => ({ status: 400, body: recording('constructed-errors/player.old-client-version.400.json') }),
    ],
    ['nothing at all', '429 PLATFORM_BLOCKED egress_refused', () => () => ({ body: '' })],
    ['no playabilityStatus', '502 PLATFORM_CHANGED shape', () => players('{"videoDetails":{}}')],
    [
      'an empty list of tracks',
      '404 TRANSCRIPT_NOT_AVAILABLE no_captions',
      changed((document) => void tracksOf(document).splice(0)),
    ],
    [
      'captions without a list of tracks',
      '404 TRANSCRIPT_NOT_AVAILABLE no_captions',
      changed((document) => {
        Object.assign(document.captions, { playerCaptionsTracklistRenderer: {} });
      }),
    ],
    [
      'a stream that runs',
      '404 TRANSCRIPT_NOT_AVAILABLE live_now',
      changed((document) => {
        tracksOf(document).splice(0);
        Object.assign(document.videoDetails, { lengthSeconds: '0', isLive: true });
      }),
    ],
  ];
  for (const [index, [what, expected, doing]] of refused.entries())
    it(`mean ${expected}: ${what}`, async () => {
      const { status, charged, body } = await read(`refused${String(index).padStart(4, '0')}`, doing);
      const { code, details } = body.error ?? { code: '', details: {} };
      assert.equal(`${status} ${code} ${details['reason']}`, expected);
      assert.equal(charged, '0');
    });
});
