import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { classifyPlayer } from '#src/extraction/classify.ts';
import { listProfile, playerProfiles } from '#src/extraction/clients/client-profiles.ts';
import { videoDetailsOf } from '#src/extraction/video-details.ts';
import { recordedAnswer, recordingsMissing } from '#test/support/recordings.ts';

const profiles = [...playerProfiles, listProfile];

const recorded = (path: string, client: string) => {
  const profile = profiles.find(({ id }) => id === client);
  assert.ok(profile);
  const [videoId = ''] = path.slice(path.indexOf('/') + 1).split('.');
  const outcome = classifyPlayer(recordedAnswer(`${path}.json`), videoId, profile);
  assert.ok('video' in outcome && outcome.video?.details);
  return { ...outcome.video, details: outcome.video.details };
};

const plain = { isLive: false, durationS: 600 };

describe('recorded videos', { skip: recordingsMissing }, () => {
  if (recordingsMissing !== false) return;

  it('have the chapters that their authors wrote', () => {
    const { details } = recorded('player/ud9d5cMDP_0.android-reel.2026-07', 'android');
    assert.deepEqual(
      details.chapters?.map(({ startS, endS, title }) => [startS, endS, title]),
      [
        [0, 164, 'Ein erstaunlich kontroverses Thema'],
        [164, 364, 'Was ist Vitamin D?'],
        [364, 498, 'Die Saisonalitätshypothese'],
        [498, 615, 'Klinische Studien zu Vitamin D'],
        [615, 803, 'Ab wann hat man Vitamin-D-Mangel?'],
        [803, 981, 'Vorsicht vor pauschalen Empfehlungen'],
        [981, 1010, 'Keksempfehlungen'],
      ],
    );
    assert.equal(recorded('player/KI7fMGRg0Wk.visionos.2026-06', 'visionos').details.chapters?.length, 13);
    assert.equal(recorded('player/M4gD1WSo5mA.visionos.2026-06', 'visionos').details.chapters, null);
  });

  it('have views, thumbnails and a description, and null for what the client is not told', () => {
    const { details } = recorded('player/M4gD1WSo5mA.android-reel.2026-07', 'android');
    assert.equal(details.views, 12_925);
    assert.equal(details.description?.length, 318);
    const [first] = details.thumbnails;
    assert.match(first?.url ?? '', /^https:\/\/i\.ytimg\.com\/vi\/M4gD1WSo5mA\/default\.jpg/);
    assert.deepEqual([first?.width, first?.height], [120, 90]);
    assert.equal(details.publishedAt, null);
    assert.equal(details.liveState, 'none');
  });

  it('have the date of publication if the platform sends it, a day as its beginning', () => {
    const published = (path: string) => recorded(path, 'web').details.publishedAt;
    assert.equal(published('player/bvwohQavFV8.web.2024-05'), '2024-05-06T08:44:52.000Z');
    assert.equal(published('player/q6fgbYWsMgw.web.2022-11'), '2019-06-12T00:00:00.000Z');
  });

  it('are read while they are live or upcoming', () => {
    const live = recorded('player/X4VbdwhkE10.android-reel-live-now.2026-07', 'android');
    assert.deepEqual([live.details.liveState, live.durationS, live.isLive], ['live', null, true]);
    const upcoming = recorded('player-errors/VIBFo3Ti5vQ.live-upcoming.web.2020-11', 'web');
    assert.deepEqual([upcoming.details.liveState, upcoming.details.views], ['upcoming', 0]);
  });
});

describe('the details of a video', () => {
  const of = (videoDetails: object) => videoDetailsOf({ videoDetails }, plain);

  it('are null where the platform does not send them', () => {
    assert.deepEqual(of({}), {
      description: null,
      views: null,
      thumbnails: [],
      liveState: 'none',
      publishedAt: null,
      chapters: null,
    });
  });

  it('keep the lines of a description and no other control character', () => {
    const raw = `One\r\nTwo\u0000\u0007\tthree\u001b[31m\u0085four\ud800\n${'x'.repeat(4_900)}`;
    const { description } = of({ shortDescription: raw });
    assert.ok(description?.startsWith('One\nTwo three[31m\nfour\ufffd\nxxx'));
    assert.doesNotMatch(description ?? '', /[^\P{Cc}\n]/u);
  });

  it('leave out pictures with an invalid address', () => {
    const { thumbnails } = of({
      thumbnail: {
        thumbnails: [
          { url: 'javascript:alert(1)', width: 1, height: 1 },
          { url: '//i.ytimg.com/vi/a/b.jpg', width: '120' },
          { url: 7 },
          null,
        ],
      },
    });
    assert.deepEqual(thumbnails, [{ url: 'https://i.ytimg.com/vi/a/b.jpg', width: 120, height: null }]);
  });

  it('say that a stream that is over was live', () => {
    assert.equal(of({ isLiveContent: true }).liveState, 'ended');
    assert.equal(of({ isPostLiveDvr: true }).liveState, 'ended');
    assert.equal(of({ isLiveContent: true, isUpcoming: true }).liveState, 'upcoming');
  });

  it('are never a fault, whatever the response contains', () => {
    for (const odd of [null, 7, 'x', [], {}, true]) {
      const player = {
        videoDetails: { shortDescription: odd, viewCount: odd, thumbnail: { thumbnails: odd }, isLiveContent: odd },
        microformat: { playerMicroformatRenderer: { publishDate: odd } },
      };
      assert.equal(videoDetailsOf(player, plain).publishedAt, null);
    }
  });
});
