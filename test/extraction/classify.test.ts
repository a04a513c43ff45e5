import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Answer,
  classifyHttp,
  classifyPlayer,
  classifyTimedtext,
  type Outcome,
} from '#src/extraction/classify.ts';
import { listProfile, type Profile, playerProfiles } from '#src/extraction/clients/client-profiles.ts';
import { failureReasons, failureRow, isAboutUs, refusalOf } from '#src/extraction/failures.ts';
import { recordedAnswer, recording, recordingsMissing } from '#test/support/recordings.ts';

const profile = (id: string): Profile => {
  const found = [...playerProfiles, listProfile].find((each) => each.id === id);
  assert.ok(found);
  return found;
};
const brief = (outcome: Outcome): string => {
  if (outcome.kind === 'playable') return `playable ${outcome.captions.tracks.length}`;
  if (outcome.kind === 'unconfirmed') return `unconfirmed ${outcome.claim}`;
  return `${failureRow(outcome.failure.reason).code} ${outcome.failure.reason}`;
};
const answer = (body: unknown, status = 200): Answer => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  location: null,
  retryAfterS: null,
});

describe('recorded player answers', { skip: recordingsMissing }, () => {
  if (recordingsMissing !== false) return;
  for (const [path, client, expected, status = 200] of [
    ['player-errors/INVALID_ID_.android-reel-empty.2026-07', 'android', 'unconfirmed not_found'],
    ['player-errors/INVALID_ID_.web.2025-07', 'visionos', 'VIDEO_NOT_FOUND not_found_or_deleted'],
    ['player-errors/INVALID_ID_.android.2022-03', 'visionos', 'VIDEO_NOT_FOUND not_found_or_deleted'],
    ['player-errors/deleted.android.2025-06', 'android', 'VIDEO_NOT_FOUND not_found_or_deleted'],
    ['player-errors/8VajtrESJzA.private.android-reel.2026-07', 'android', 'VIDEO_UNAVAILABLE private'],
    ['player-errors/8VajtrESJzA.private.web.2025-07', 'web', 'VIDEO_UNAVAILABLE private'],
    ['player-errors/8VajtrESJzA.private.tv-embedded.2024-04', 'ios', 'VIDEO_UNAVAILABLE private'],
    ['player-errors/_PL2HJKxnOM.geo.android-reel.2026-07', 'android', 'VIDEO_UNAVAILABLE region_blocked'],
    ['player-errors/_PL2HJKxnOM.geo.web.2025-07', 'web', 'VIDEO_UNAVAILABLE region_blocked'],
    ['player-errors/_PL2HJKxnOM.geo.tv-embedded.2024-04', 'ios', 'VIDEO_UNAVAILABLE region_blocked'],
    ['player-errors/ayI2iBwGdxw.members.android-reel.2026-07', 'android', 'VIDEO_UNAVAILABLE members_only'],
    ['player-errors/rwcfPqbAx-0.age.web.2024-11', 'web', 'VIDEO_UNAVAILABLE age_restricted'],
    ['player-errors/rwcfPqbAx-0.age.android.2021-12', 'android', 'VIDEO_UNAVAILABLE age_restricted'],
    ['player-errors/rwcfPqbAx-0.age.tv-embedded.2024-11', 'ios', 'VIDEO_UNAVAILABLE age_restricted'],
    ['player-errors/Njp5uhTorCo.age.android.2025-06', 'android', 'VIDEO_UNAVAILABLE age_restricted'],
    ['player-errors/LuZu9N53Vd0.age.web.2021', 'web', 'VIDEO_UNAVAILABLE age_restricted'],
    ['player-errors/VIBFo3Ti5vQ.live-upcoming.web.2020-11', 'web', 'TRANSCRIPT_NOT_AVAILABLE upcoming'],
    ['player-errors/bot-check.android.2025-06', 'android', 'PLATFORM_BLOCKED bot_check'],
    ['player-errors/unknown-status.edited', 'android', 'PLATFORM_CHANGED shape'],
    ['player-errors/dsMFmonKDD4.captions-absent.android.2025-06', 'android', 'unconfirmed no_captions'],
    ['player/TceijYjxdrQ.longest.web.2021', 'web', 'unconfirmed no_captions'],
    ['player/X4VbdwhkE10.android-reel-live-now.2026-07', 'android', 'TRANSCRIPT_NOT_AVAILABLE live_now'],
    ['player/bvwohQavFV8.android-wrong-video.2024-05', 'android', 'PLATFORM_BLOCKED wrong_video'],
    ['player/it3OtbTxQk0.visionos-unplayable.2026-06', 'visionos', 'unconfirmed refused'],
    ['player/it3OtbTxQk0.android-reel.2026-07', 'android', 'playable 1'],
    ['player/kX3nB4PpJko.android-reel.2026-07', 'android', 'playable 19'],
    ['player/Kn56bMZ9OE8.tvhtml5.2025-03', 'ios', 'playable 3'],
    ['player/GJLlxj_dtq8.android-po-token.2025-06', 'android', 'playable 9'],
    ['constructed-errors/player.web-without-token', 'web', 'PLATFORM_BLOCKED token_required'],
    ['constructed-errors/player.session-rate-limit', 'android', 'PLATFORM_RATE_LIMITED session_limit'],
    ['constructed-errors/player.old-client-version.400', 'android', 'PLATFORM_CHANGED client_retired', 400],
  ] as const)
    it(`${path} means ${expected}`, () => {
      const [, name = ''] = path.split('/');
      const videoId = /^[\w-]{11}(?=\.)/.exec(name)?.[0] ?? 'dQw4w9WgXcQ';
      const outcome = classifyPlayer(recordedAnswer(`${path}.json`, status), videoId, profile(client));
      assert.equal(brief(outcome), expected);
    });

  it('report what the platform said, and nothing else', () => {
    const web = recordedAnswer('player-errors/_PL2HJKxnOM.geo.web.2025-07.json');
    const outcome = classifyPlayer(web, '_PL2HJKxnOM', profile('web'));
    assert.ok(outcome.kind === 'about_video');
    assert.deepEqual(refusalOf(outcome.failure).details, {
      reason: 'region_blocked',
      retryable: false,
      platform: {
        status: 'UNPLAYABLE',
        reason: 'Video unavailable',
        subreason: 'The uploader has not made this video available in your country',
      },
      available_countries: ['CA'],
    });
  });

  it('report when an upcoming video starts', () => {
    const path = 'player-errors/VIBFo3Ti5vQ.live-upcoming.web.2020-11.json';
    const outcome = classifyPlayer(recordedAnswer(path), 'VIBFo3Ti5vQ', profile('web'));
    assert.ok(outcome.kind === 'about_video');
    assert.equal(outcome.failure.extra['scheduled_start'], '2020-11-06T16:00:00.000Z');
  });

  it('classify a cookie consent page as an unexpected page', () => {
    for (const page of ['consent-page', 'consent-page-without-v']) {
      const consent = recordedAnswer(`html/${page}.html`);
      assert.equal(reasonOf(classifyHttp(consent, 'WEB')), 'shape');
      assert.equal(reasonOf(classifyTimedtext(consent, 'WEB')), 'shape');
    }
  });

  it('classify a captcha page as a block, with and without 429', () => {
    const captcha = recording('html/captcha-429.html');
    for (const status of [200, 429, 403])
      assert.equal(reasonOf(classifyHttp(answer(captcha, status), 'WEB')), 'bot_check');
    const plain = recording('timedtext-constructed/error-429.html');
    assert.equal(reasonOf(classifyHttp(answer(plain, 429), 'WEB')), 'rate_limited');
  });

  it('classify the page about too many requests as a limit, whatever its status', () => {
    const page = recording('timedtext-constructed/error-429.html');
    for (const status of [200, 403, 503]) {
      assert.equal(reasonOf(classifyHttp(answer(page, status), 'WEB')), 'rate_limited');
      assert.equal(reasonOf(classifyTimedtext(answer(page, status), 'WEB')), 'rate_limited');
    }
    const body = { title: 'too many requests' };
    assert.equal(reasonOf(classifyHttp(answer(body, 403), 'WEB')), 'egress_refused');
  });
});

const reasonOf = (found: unknown): unknown => (found as { reason?: unknown } | null)?.reason ?? null;

describe('responses that are not player responses', () => {
  for (const [name, given, reason] of [
    ['a consent page', answer('<!DOCTYPE html><html><body>Before you continue</body></html>'), 'shape'],
    [
      'a redirect to the sorry page',
      { ...answer('', 302), location: 'https://www.google.com/sorry/index?continue=x' },
      'bot_check',
    ],
    [
      'a page for robots',
      answer('<html><body>your network may be sending automated queries</body></html>', 503),
      'bot_check',
    ],
    ['403', answer('', 403), 'egress_refused'],
    ['500', answer('oops', 500), 'server_error'],
    ['503', answer('', 503), 'server_error'],
    ['404', answer('', 404), 'shape'],
    ['nothing', answer(''), 'egress_refused'],
    ['cut JSON', answer('{"playabilityStatus":{"sta'), 'shape'],
    ['a list', answer('[]'), 'shape'],
    ['an error object', answer({ error: { code: 500 } }), 'shape'],
  ] as const)
    it(`${name} is ${reason}`, () => {
      const outcome = classifyPlayer(given, 'dQw4w9WgXcQ', profile('android'));
      assert.equal(outcome.kind === 'about_us' && outcome.failure.reason, reason);
    });

  it('an object without any status is an unknown shape, reported with its path', () => {
    const outcome = classifyPlayer(answer({ streamingData: {} }), 'dQw4w9WgXcQ', profile('android'));
    assert.ok(outcome.kind === 'about_us');
    assert.deepEqual(outcome.failure.extra, { path: 'playabilityStatus' });
  });

  it('captions under a new name are an unknown shape, and no captions at all are one unconfirmed answer', () => {
    const player = { playabilityStatus: { status: 'OK' }, videoDetails: { videoId: 'dQw4w9WgXcQ' } };
    const said = (rest: object) =>
      brief(classifyPlayer(answer({ ...player, ...rest }), 'dQw4w9WgXcQ', profile('visionos')));
    assert.equal(said({ captionsViewModel: { tracks: [] } }), 'PLATFORM_CHANGED shape');
    assert.equal(said({ captions: { captionsViewModel: [1] } }), 'PLATFORM_CHANGED shape');
    assert.equal(said({ storyboards: {} }), 'unconfirmed no_captions');
  });

  it('captions that consist of words and commands only are no captions', () => {
    const list = {
      contribute: { captionsMetadataRenderer: { addSubtitlesText: { runs: [{ text: 'Add' }] } } },
      openTranscriptCommand: { clickTrackingParams: 'x' },
    };
    const given = answer({
      playabilityStatus: { status: 'OK' },
      videoDetails: { videoId: 'dQw4w9WgXcQ' },
      captions: { playerCaptionsTracklistRenderer: list },
    });
    const outcome = classifyPlayer(given, 'dQw4w9WgXcQ', profile('visionos'));
    assert.equal(brief(outcome), 'unconfirmed no_captions');
  });

  it('a stream that just ended is being processed until it has captions', () => {
    const said = (status: string, details: object) =>
      brief(
        classifyPlayer(
          answer({
            playabilityStatus: { status },
            videoDetails: { videoId: 'dQw4w9WgXcQ', isLiveContent: true, ...details },
          }),
          'dQw4w9WgXcQ',
          profile('android'),
        ),
      );
    assert.equal(said('OK', { isPostLiveDvr: true }), 'TRANSCRIPT_NOT_AVAILABLE processing');
    assert.equal(said('LIVE_STREAM_OFFLINE', {}), 'TRANSCRIPT_NOT_AVAILABLE processing');
    assert.equal(said('OK', { isPostLiveDvr: false }), 'unconfirmed no_captions');
  });

  it('a stream is live until it is over, whatever else its response says', () => {
    const said = (details: object) =>
      brief(
        classifyPlayer(
          answer({
            playabilityStatus: { status: 'OK', liveStreamability: { liveStreamabilityRenderer: {} } },
            videoDetails: { videoId: 'dQw4w9WgXcQ', isLiveContent: true, ...details },
          }),
          'dQw4w9WgXcQ',
          profile('android'),
        ),
      );
    assert.equal(said({}), 'TRANSCRIPT_NOT_AVAILABLE live_now');
    assert.equal(said({ isPostLiveDvr: true }), 'TRANSCRIPT_NOT_AVAILABLE processing');
    assert.equal(said({ isUpcoming: true }), 'TRANSCRIPT_NOT_AVAILABLE upcoming');
  });

  it('a start that is not a time is left out', () => {
    for (const scheduledStartTime of ['-1', -1, -1e20, 1e20, 'soon']) {
      const slate = { liveStreamOfflineSlateRenderer: { scheduledStartTime } };
      const liveStreamability = { liveStreamabilityRenderer: { offlineSlate: slate } };
      const given = answer({
        playabilityStatus: { status: 'LIVE_STREAM_OFFLINE', liveStreamability },
        videoDetails: { videoId: 'dQw4w9WgXcQ', isUpcoming: true },
      });
      const outcome = classifyPlayer(given, 'dQw4w9WgXcQ', profile('android'));
      assert.ok(outcome.kind === 'about_video');
      assert.deepEqual([outcome.failure.reason, outcome.failure.extra], ['upcoming', {}]);
    }
  });

  it('a premiere that no client may play yet is upcoming, unless it is for members', () => {
    const said = (reason: string, status = 'UNPLAYABLE') =>
      brief(
        classifyPlayer(
          answer({ playabilityStatus: { status, reason }, videoDetails: { videoId: 'dQw4w9WgXcQ', isUpcoming: true } }),
          'dQw4w9WgXcQ',
          profile('android'),
        ),
      );
    assert.equal(said('Premieres in 3 hours'), 'TRANSCRIPT_NOT_AVAILABLE upcoming');
    assert.equal(said('Premiere im Kanal'), 'TRANSCRIPT_NOT_AVAILABLE upcoming');
    assert.equal(said('Melde dich an', 'LOGIN_REQUIRED'), 'PLATFORM_BLOCKED bot_check');
    assert.equal(said('This video is for members only'), 'VIDEO_UNAVAILABLE members_only');
  });

  it('404 with NOT_FOUND in it is one unconfirmed answer about an unknown id, and any other 404 is not', () => {
    const said = (body: unknown) => brief(classifyPlayer(answer(body, 404), 'dQw4w9WgXcQ', profile('visionos')));
    assert.equal(said({ error: { code: 404, status: 'NOT_FOUND' } }), 'unconfirmed not_found');
    assert.equal(said({ error: { code: 404, status: 'GONE' } }), 'PLATFORM_CHANGED shape');
    assert.equal(said('<html>404</html>'), 'PLATFORM_CHANGED shape');
  });

  it('only the reel endpoint may answer an unknown id with nothing', () => {
    assert.equal(brief(classifyPlayer(answer('{}'), 'dQw4w9WgXcQ', profile('android'))), 'unconfirmed not_found');
    assert.equal(brief(classifyPlayer(answer('{}'), 'dQw4w9WgXcQ', profile('ios'))), 'PLATFORM_CHANGED shape');
  });

  for (const [status, reason, expected] of [
    ['LOGIN_REQUIRED', 'Melde dich an, um zu bestätigen, dass du kein Bot bist', 'PLATFORM_BLOCKED bot_check'],
    ['LOGIN_REQUIRED', 'Connectez-vous', 'PLATFORM_BLOCKED bot_check'],
    ['UNPLAYABLE', 'Join this channel to get access to members-only content', 'VIDEO_UNAVAILABLE members_only'],
    ['UNPLAYABLE', 'This video is only available to Music Premium members', 'VIDEO_UNAVAILABLE premium'],
    ['UNPLAYABLE', 'This video requires payment to watch', 'VIDEO_UNAVAILABLE purchase'],
    [
      'UNPLAYABLE',
      'This video is no longer available because the account has been terminated.',
      'VIDEO_UNAVAILABLE removed',
    ],
    ['ERROR', 'This video has been removed by the uploader', 'VIDEO_UNAVAILABLE removed'],
    ['ERROR', 'This video is no longer available due to a copyright claim', 'VIDEO_UNAVAILABLE removed'],
    ['UNPLAYABLE', "We're processing this video. Check back later.", 'TRANSCRIPT_NOT_AVAILABLE processing'],
    ['UNPLAYABLE', 'This live event has ended.', 'TRANSCRIPT_NOT_AVAILABLE processing'],
    ['ERROR', 'An unknown error occurred', 'PLATFORM_TIMEOUT unknown_error'],
    ['ERROR', 'An error occurred. Please try again later.', 'PLATFORM_TIMEOUT unknown_error'],
    ['UNPLAYABLE', 'Something went wrong. Try again later.', 'PLATFORM_TIMEOUT unknown_error'],
    [
      'UNPLAYABLE',
      'Video unavailable. This content isn’t available, try again later.',
      'PLATFORM_RATE_LIMITED session_limit',
    ],
    ['UNPLAYABLE', 'Please confirm that you are not a robot', 'PLATFORM_BLOCKED bot_check'],
    ['LOGIN_REQUIRED', 'Verify your age to watch this video', 'VIDEO_UNAVAILABLE age_restricted'],
    ['UNPLAYABLE', 'Buy or rent to watch this movie', 'VIDEO_UNAVAILABLE purchase'],
    ['UNPLAYABLE', 'This video is not available in your area', 'VIDEO_UNAVAILABLE region_blocked'],
    ['UNPLAYABLE', 'This live stream recording is not available.', 'VIDEO_UNAVAILABLE removed'],
    [
      'UNPLAYABLE',
      "This video is available to this channel's members on level: Robots (or any higher priced level).",
      'VIDEO_UNAVAILABLE members_only',
    ],
    [
      'UNPLAYABLE',
      "This video is available to this channel's members on level: Private Premium, try again later",
      'VIDEO_UNAVAILABLE members_only',
    ],
    [
      'ERROR',
      'This video is no longer available due to a copyright claim by Private Bots Media',
      'VIDEO_UNAVAILABLE removed',
    ],
    [
      'ERROR',
      'Account terminated for copyright infringement from claimants including: Premium Bot',
      'VIDEO_UNAVAILABLE removed',
    ],
    [
      'UNPLAYABLE',
      'This video contains content from Country Bot, who has blocked it on copyright grounds',
      'VIDEO_UNAVAILABLE removed',
    ],
    [
      'UNPLAYABLE',
      'This video contains content from Premium, who has blocked it in your country on copyright grounds',
      'VIDEO_UNAVAILABLE region_blocked',
    ],
    [
      'UNPLAYABLE',
      'This video contains content from Private. It is not available in your country.',
      'VIDEO_UNAVAILABLE region_blocked',
    ],
    ['ERROR', 'This video is unavailable with Restricted Mode enabled.', 'PLATFORM_BLOCKED egress_refused'],
    [
      'UNPLAYABLE',
      'This video is restricted. Please check the network administrator restrictions.',
      'PLATFORM_BLOCKED egress_refused',
    ],
    ['UNPLAYABLE', 'This video is being processed', 'TRANSCRIPT_NOT_AVAILABLE processing'],
    ['ERROR', 'This video has been deleted.', 'VIDEO_NOT_FOUND not_found_or_deleted'],
    ['ERROR', 'Este video ya no está disponible', 'unconfirmed not_found'],
    ['ERROR', 'この動画は再生できません', 'unconfirmed not_found'],
    ['ERROR', 'Видео недоступно', 'unconfirmed not_found'],
    ['ERROR', '', 'unconfirmed not_found'],
    ['ERROR', 'This video is no longer available due to a privacy claim by a third party', 'VIDEO_UNAVAILABLE removed'],
    [
      'ERROR',
      'The following content is not available on this app. Watch on the latest version of YouTube.',
      'unconfirmed refused',
    ],
    ['ERROR', 'This video is unavailable on this device.', 'unconfirmed refused'],
    ['ERROR', 'YouTube is temporarily unavailable.', 'PLATFORM_TIMEOUT unknown_error'],
    ['ERROR', 'This service is currently not available.', 'PLATFORM_TIMEOUT unknown_error'],
    ['ERROR', 'Videos sind derzeit nicht verfügbar', 'PLATFORM_TIMEOUT unknown_error'],
    ['ERROR', 'Сервис временно недоступен', 'PLATFORM_TIMEOUT unknown_error'],
    ['ERROR', '現在、一時的に利用できません', 'PLATFORM_TIMEOUT unknown_error'],
    ['ERROR', 'Wunderbar', 'PLATFORM_CHANGED shape'],
    ['AGE_VERIFICATION_REQUIRED', '', 'VIDEO_UNAVAILABLE age_restricted'],
  ] as const)
    it(`${status} "${reason}" means ${expected}`, () => {
      const given = answer({ playabilityStatus: { status, reason } });
      const outcome = classifyPlayer(given, 'dQw4w9WgXcQ', profile('visionos'));
      assert.equal(brief(outcome), expected);
    });
});

describe('what is stored of a response', () => {
  it('contains nothing that a database could not store', () => {
    const odd = 'a\u0000b\ud800';
    const texts = { title: odd, author: odd, channelId: odd };
    const details = { videoId: 'dQw4w9WgXcQ', lengthSeconds: 1.5, ...texts };
    const microformat = { playerMicroformatRenderer: { availableCountries: [odd, 7] } };
    const tracklist = { captionTracks: [{ languageCode: 'en', vssId: odd, name: { simpleText: odd }, baseUrl: '/x' }] };
    const captions = { playerCaptionsTracklistRenderer: tracklist };
    const reason = `${odd} in your country`;
    for (const playabilityStatus of [{ status: 'OK' }, { status: 'UNPLAYABLE', reason }]) {
      const given = answer({ playabilityStatus, videoDetails: details, microformat, captions });
      const outcome = classifyPlayer(given, 'dQw4w9WgXcQ', profile('android'));
      assert.match(outcome.kind, /playable|about_video/);
      assert.doesNotMatch(JSON.stringify(outcome), /\\u0000|\\ud800|1\.5/);
    }
  });
});

describe('a private video', () => {
  it('is known by its structure where its texts are in another language', () => {
    const outcome = classifyPlayer(
      answer({
        playabilityStatus: {
          status: 'LOGIN_REQUIRED',
          reason: 'Dieses Video ist privat',
          messages: ['Melde dich an, um zu bestätigen, dass du es sehen darfst.'],
        },
      }),
      'dQw4w9WgXcQ',
      profile('android'),
    );
    assert.equal(brief(outcome), 'VIDEO_UNAVAILABLE private');
  });
});

describe('responses of a caption address', () => {
  for (const [name, given, reason] of [
    ['nothing', answer(''), 'token_required'],
    ['nothing but a line feed', answer('\n'), 'token_required'],
    ['a document', answer('{"wireMagic":"pb3"}'), null],
    ['404', answer('<html>', 404), 'link_refused'],
    ['429', answer('<html>', 429), 'rate_limited'],
    ['503', answer('', 503), 'server_error'],
    ['an HTML page', answer('<!doctype html><html></html>'), 'shape'],
    ['the sorry page', answer('<html>unusual traffic from your computer network</html>'), 'bot_check'],
  ] as const)
    it(`${name}: ${reason ?? 'read it'}`, () => {
      assert.equal(reasonOf(classifyTimedtext(given, 'ANDROID')), reason);
    });
});

describe('the table of failures', () => {
  it('gives every block and every limit a wait time, and never caches failures of the service', () => {
    for (const reason of failureReasons) {
      const row = failureRow(reason);
      if (isAboutUs(row.code)) assert.equal(row.keptForS, undefined);
      const isDelay = row.code === 'PLATFORM_BLOCKED' || row.code === 'PLATFORM_RATE_LIMITED';
      if (isDelay) assert.ok((row.retryAfterS ?? 0) > 0, reason);
    }
  });
});
