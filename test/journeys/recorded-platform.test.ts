import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import {
  players,
  type RecordedPlatform,
  recordedPlayer,
  startRecordedPlatform,
} from '#test/support/recorded-platform.ts';
import { recording, recordingsMissing } from '#test/support/recordings.ts';

type ErrorBody = {
  readonly status: number;
  readonly charged: string | null;
  readonly body: Record<string, unknown> & {
    readonly error?: { readonly code: string; readonly details: Record<string, unknown> };
    readonly segments?: readonly { readonly text: string; readonly start: number }[];
  };
};

describe('the platform as it was recorded', { skip: recordingsMissing }, () => {
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
  beforeEach(() => platform.answerWith(() => undefined));

  const read = async (videoId: string, rest = ''): Promise<ErrorBody> => {
    const answer = await app.get(`/v1/transcripts/${videoId}${rest}`, { key });
    return {
      status: answer.status,
      charged: answer.headers.get('x-credits-charged'),
      body: (await answer.json()) as ErrorBody['body'],
    };
  };
  const summary = ({ status, body: { error } }: ErrorBody): string =>
    error === undefined ? String(status) : `${status} ${error.code} ${error.details['reason']}`;

  describe('videos that can be read', () => {
    for (const [videoId, language, source, duration, title, channel, available] of [
      [
        'kX3nB4PpJko',
        'en',
        'manual',
        937,
        'Last To Take Hand Off Jet, Keeps It!',
        'MrBeast',
        'ar zh zh-Hans en fr de hi it ja ko fa pl pt ru es tr uz vi',
      ],
      ['Kn56bMZ9OE8', 'en', 'manual', 304, 'This bus transforms into a train', 'Tom Scott', 'en en-GB ja'],
      [
        'M4gD1WSo5mA',
        'en',
        'manual',
        721,
        'William Fisher, CopyrightX: Lecture 3.2, The Subject Matter of Copyright: Drama and choreography',
        'The Berkman Klein Center for Internet & Society',
        'en',
      ],
      ['T4XJQO3qol8', 'en', 'platform_auto', 219, "Burning Everyone's Koran", 'INTO THE FRAY', 'en'],
      ['ud9d5cMDP_0', 'de', 'manual', 1010, 'Vitamin D wissenschaftlich geprüft', 'MAITHINK X', 'de'],
      ['KI7fMGRg0Wk', 'de', 'platform_auto', 953, 'tagesschau 20:00 Uhr, 17.03.2021', 'tagesschau', 'de'],
      ['cJ9to6EmElQ', 'fr', 'platform_auto', 45, "Merci pour les 3 millions d'abonnés 🎉| ARTE", 'ARTE', 'fr'],
      ['tjz2u2DiveM', 'en', 'platform_auto', 11, 'dog', 'Jony Tube', 'en'],
      [
        'DJ8GQUNUXGM',
        'fr',
        'manual',
        4719,
        'A New Era of Open? COVID-19 and the Pursuit for Equitable Solutions  #CCTurns20',
        'Creative Commons',
        'en fr es',
      ],
      ['it3OtbTxQk0', 'en', 'platform_auto', 145, 'Introduction to Doodle for Google 2023', 'GoogleDoodles', 'en'],
      [
        'q6fgbYWsMgw',
        'de',
        'manual',
        631,
        'Was verbirgt sich am tiefsten Punkt des Ozeans?',
        'Dinge Erklärt – Kurzgesagt',
        'de',
      ],
      // One client gets another video and says "OK"; the next one gets this.
      ['bvwohQavFV8', 'de', 'manual', null, null, null, 'de'],
      ['GJLlxj_dtq8', 'en', 'manual', null, null, null, 'zh cs en de hi ja ko es'],
    ] as const)
      it(`${videoId} has ${source} captions in ${language}`, async () => {
        const { status, body, charged } = await read(videoId);
        assert.equal(status, 200);
        assert.equal(charged, '1');
        assert.equal(body['video_id'], videoId);
        assert.equal(body['url'], `https://www.youtube.com/watch?v=${videoId}`);
        assert.equal(body['language'], language);
        assert.equal(body['source'], source);
        assert.match(String(body['channel_id']), /^UC[\w-]{22}$/);
        assert.equal(body['segment_count'], source === 'manual' ? 78 : 87);
        assert.equal(body.segments?.length, body['segment_count']);
        if (title !== null) {
          assert.deepEqual([body['title'], body['channel'], body['duration']], [title, channel, duration]);
        }
        const languages = await read(videoId, '/languages');
        const { tracks, ...listed } = languages.body as { tracks: { language: string }[] };
        const ofTracks = new Set(tracks.map((track) => track.language));
        assert.deepEqual([...ofTracks], available.split(' '));
        assert.deepEqual(listed, {
          video_id: videoId,
          available: available.split(' '),
          default: language,
          has_captions: true,
        });
      });

    it('cost two requests the first time and none the second, and never an HTML page', async () => {
      platform.answerWith(players(recordedPlayer('two-request')));
      const before = platform.requests.length;
      assert.equal((await read('two-request')).status, 200);
      assert.equal((await read('two-request', '?format=json&clean=true')).status, 200);
      const asked = platform.requests.slice(before);
      assert.deepEqual(
        asked.map(({ endpoint, host }) => [endpoint, host]),
        [
          ['reel/reel_item_watch', 'youtubei.googleapis.com'],
          ['timedtext', 'www.youtube.com'],
        ],
      );
      assert.equal(asked[1]?.query.getAll('fmt').join(), 'json3');
    });

    it('return the track of the requested language and never another', async () => {
      const of = async (videoId: string, lang: string) => {
        const said = await read(videoId, `?lang=${lang}`);
        return said.status === 200 ? `${said.body['language']} ${said.body['source']}` : summary(said);
      };
      assert.equal(await of('Kn56bMZ9OE8', 'en-GB'), 'en-GB manual');
      assert.equal(await of('Kn56bMZ9OE8', 'ja'), 'ja platform_auto');
      assert.equal(await of('kX3nB4PpJko', 'ar'), 'ar manual');
      assert.equal(await of('kX3nB4PpJko', 'zh-hans'), 'zh-Hans manual');
      const missing = '404 LANGUAGE_NOT_AVAILABLE language_missing';
      assert.equal(await of('Kn56bMZ9OE8', 'en-US'), missing);
      assert.equal(await of('kX3nB4PpJko', 'sv'), missing);
      assert.equal(await of('T4XJQO3qol8', 'de'), missing);
    });
  });

  describe('videos that cannot', () => {
    for (const [videoId, expected] of [
      ['X4VbdwhkE10', '404 TRANSCRIPT_NOT_AVAILABLE live_now'],
      ['TceijYjxdrQ', '404 TRANSCRIPT_NOT_AVAILABLE no_captions'],
      ['dsMFmonKDD4', '404 TRANSCRIPT_NOT_AVAILABLE no_captions'],
      ['VIBFo3Ti5vQ', '404 TRANSCRIPT_NOT_AVAILABLE upcoming'],
      ['INVALID_ID_', '404 VIDEO_NOT_FOUND not_found_or_deleted'],
      ['deleted-xxx', '404 VIDEO_NOT_FOUND not_found_or_deleted'],
      ['8VajtrESJzA', '404 VIDEO_UNAVAILABLE private'],
      ['_PL2HJKxnOM', '404 VIDEO_UNAVAILABLE region_blocked'],
      ['ayI2iBwGdxw', '404 VIDEO_UNAVAILABLE members_only'],
      ['rwcfPqbAx-0', '404 VIDEO_UNAVAILABLE age_restricted'],
      ['Njp5uhTorCo', '404 VIDEO_UNAVAILABLE age_restricted'],
      ['LuZu9N53Vd0', '404 VIDEO_UNAVAILABLE age_restricted'],
      ['bot-check-x', '429 PLATFORM_BLOCKED bot_check'],
      ['new-status1', '502 PLATFORM_CHANGED shape'],
    ] as const)
      it(`${videoId} is ${expected}, and costs nothing`, async () => {
        const said = await read(videoId);
        assert.equal(summary(said), expected);
        assert.equal(said.charged, '0');
      });
  });

  describe('lists', () => {
    const list = async (path: string) => {
      const answer = await app.get(`/v1/${path}`, { key });
      const body = (await answer.json()) as ErrorBody['body'];
      const charged = answer.headers.get('x-credits-charged');
      return { said: { status: answer.status, charged, body }, body, charged };
    };
    for (const [path, title, total, returned, hasMore, charged] of [
      ['playlists/PLoumn5BIsUDeGF1vy5Nylf_RJKn5aL_nr', 'TOP 150', 150, 100, true, '1'],
      ['playlists/PLoumn5BIsUDeGF1vy5Nylf_RJKn5aL_nr?limit=500', 'TOP 150', 150, 150, false, '2'],
      ['playlists/PLXJg25X-OulsVsnvZ7RVtSDW-id9_RzAO', 'Top 10 Copyright', 17, 17, false, '1'],
      [
        'playlists/https://www.youtube.com/playlist?list=PLXJg25X-OulsVsnvZ7RVtSDW-id9_RzAO&limit=5',
        'Top 10 Copyright',
        17,
        5,
        true,
        '1',
      ],
      ['playlists/PLWwAypAcFRgKAIIFqBr9oy-ZYZnixa_Fj?limit=200', 'I Wanna Rock', 5000, 200, true, '2'],
      ['playlists/PLWxziGKTUvQFIsbbFcTZz7jOT4TMGnZBh', 'C++ Template', 14, 14, false, '1'],
      ['channels/UCTwECeGqMZee77BjdoYtI2Q', 'Creative Commons', null, 50, true, '1'],
      ['channels/https://www.youtube.com/user/creativecommons', 'Creative', null, 50, true, '1'],
      ['channels/@Gronkh?limit=30', 'Gronkh', null, 30, true, '1'],
      ['channels/UCEOXxzW2vU0P-0THehuIIeg?limit=30', 'Captain', null, 30, true, '1'],
      // The tab of this channel shows an age gate only; its uploads are listed all the same.
      ['channels/UCbfnHqxXs_K3kvaH-WlNlig?limit=200', 'Laphroaig', 154, 154, false, '2'],
    ] as const)
      it(`${path} gives ${returned} videos`, async () => {
        const { body, charged: paid } = await list(path);
        const videos = body['videos'] as { video_id: string; position: number }[];
        assert.match(String(body['title']), new RegExp(`^${RegExp.escape(title)}`));
        assert.deepEqual(
          [body['total'], body['returned'], body['has_more'], paid],
          [total, returned, hasMore, charged],
        );
        assert.equal(new Set(videos.map(({ video_id }) => video_id)).size, returned);
        assert.deepEqual(
          videos.map(({ position }) => position),
          Array.from({ length: returned }, (_, index) => index + 1),
        );
      });

    for (const [path, expected] of [
      ['playlists/PL11111111111111111111111111111111', '404 PLAYLIST_NOT_FOUND playlist_not_found'],
      ['playlists/INVALID_ID', '404 PLAYLIST_NOT_FOUND playlist_not_found'],
      ['channels/UCAUc4iz6edWerIjlnL8OSSw', '404 CHANNEL_NOT_FOUND channel_not_found'],
      ['channels/UCoaO4U_p7G7AwalqSbGCZOA', '404 CHANNEL_NOT_FOUND channel_removed'],
      ['channels/UCTGjY2I-ZUGnwVoWAGRd7XQ', '404 CHANNEL_NOT_FOUND channel_removed'],
      ['channels/@nonExistingHandleThatWillNeverExist15464', '404 CHANNEL_NOT_FOUND channel_not_found'],
    ] as const)
      it(`${path} is ${expected}, and costs nothing`, async () => {
        const { said } = await list(path);
        assert.equal(summary(said), expected);
        assert.equal(said.charged, '0');
      });
  });

  describe('each recorded answer, were it given to every client', () => {
    for (const [index, [path, recordedId, expected]] of [
      ['player-errors/8VajtrESJzA.private.web.2025-07', '8VajtrESJzA', 'private'],
      ['player-errors/8VajtrESJzA.private.tv-embedded.2024-04', '8VajtrESJzA', 'private'],
      ['player-errors/_PL2HJKxnOM.geo.web.2025-07', '_PL2HJKxnOM', 'region_blocked'],
      ['player-errors/_PL2HJKxnOM.geo.tv-embedded.2024-04', '_PL2HJKxnOM', 'region_blocked'],
      ['player-errors/rwcfPqbAx-0.age.web.2024-11', 'rwcfPqbAx-0', 'age_restricted'],
      ['player-errors/rwcfPqbAx-0.age.tv-embedded.2024-11', 'rwcfPqbAx-0', 'age_restricted'],
      ['player-errors/INVALID_ID_.web.2025-07', 'INVALID_ID_', 'not_found_or_deleted'],
      ['player-errors/INVALID_ID_.android.2022-03', 'INVALID_ID_', 'not_found_or_deleted'],
      ['player/bvwohQavFV8.android-wrong-video.2024-05', 'aQvGIIdgFDM', 'wrong_video'],
      ['player/GJLlxj_dtq8.android-po-token.2025-06', 'GJLlxj_dtq8', 'token_required'],
      ['player/it3OtbTxQk0.visionos-unplayable.2026-06', 'it3OtbTxQk0', 'unplayable'],
      ['constructed-errors/player.session-rate-limit', null, 'session_limit'],
      ['constructed-errors/player.web-without-token', null, 'token_required'],
      ['player/Kn56bMZ9OE8.tvhtml5.2025-03', 'Kn56bMZ9OE8', '200'],
      ['player/kX3nB4PpJko.ios.2024-11', 'kX3nB4PpJko', '200'],
      ['player/bvwohQavFV8.web.2024-05', 'bvwohQavFV8', '200'],
    ].entries())
      it(`${path}: ${expected}`, async () => {
        const videoId = `toevery${String(index).padStart(4, '0')}`;
        const text = recording(`${path}.json`);
        const isOther = expected === 'wrong_video' || recordedId === null;
        platform.answerWith(players(isOther ? text : text.replaceAll(String(recordedId), videoId)));
        const said = await read(videoId);
        assert.equal(said.body.error?.details['reason'] ?? String(said.status), expected);
        assert.equal(said.charged, expected === '200' ? '1' : '0');
      });
  });
});
