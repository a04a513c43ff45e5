import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { recording, recordingsMissing } from '#test/support/recordings.ts';
import { channels, lists } from './collections.ts';
import { browsePaths, playerPaths, tab } from './engine-paths.ts';
import { type Simulator, startSimulator } from './main.ts';
import { samples } from './samples.ts';
import { shapeAt } from './shapes.ts';
import { type AskingClient, ask, at, clients, follow, listAt, textAt } from './simulator-client.ts';

let simulator: Simulator;

const recorded = (path: string): unknown => JSON.parse(recording(path));

/** Asserts that both answers have values of the same types at each of these paths. */
const sameShape = (
  name: string,
  simulated: unknown,
  paths: readonly string[],
  except: readonly string[] = [],
): void => {
  const compared = paths.filter((path) => !except.some((one) => path.startsWith(one)));
  const real = recorded(name);
  assert.deepEqual(
    Object.fromEntries(compared.map((path) => [path, shapeAt(simulated, path)])),
    Object.fromEntries(compared.map((path) => [path, shapeAt(real, path)])),
    name,
  );
};

const player = async (videoId: string, client: AskingClient): Promise<unknown> =>
  (await ask(simulator, 'player', { videoId }, client)).json;
const reel = async (videoId: string): Promise<unknown> =>
  (await ask(simulator, 'reel/reel_item_watch', { playerRequest: { videoId } })).json;
const browse = async (body: Record<string, unknown>, mask = ''): Promise<unknown> =>
  (await ask(simulator, `browse${mask && `?$fields=${mask}`}`, body, clients.web)).json;

/** A website client whose visitor sends a token. */
const tokenWeb = async (videoId: string): Promise<unknown> =>
  (await ask(simulator, 'player', { videoId, serviceIntegrityDimensions: { poToken: 'token' } }, clients.web)).json;

describe('the simulator compared with recordings of the platform', () => {
  before(async () => {
    simulator = await startSimulator();
  });
  after(() => simulator[Symbol.asyncDispose]());

  describe('the simulated player', { skip: recordingsMissing }, () => {
    const session = ['responseContext'];

    it('answers playable videos in the recorded shape for each client', async () => {
      const inReel = playerPaths
        .filter((path) => !path.startsWith('responseContext'))
        .map((path) => `playerResponse.${path}`);
      sameShape('player/M4gD1WSo5mA.android-reel.2026-07.json', await reel(samples.prose), inReel);
      sameShape(
        'player/M4gD1WSo5mA.visionos.2026-06.json',
        await player(samples.prose, clients.visionos),
        playerPaths,
        session,
      );
      sameShape(
        'player/kX3nB4PpJko.visionos.2026-06.json',
        await player(samples.manyLanguages, clients.visionos),
        playerPaths,
        [...session, 'captions.playerCaptionsTracklistRenderer.audioTracks.*.audioTrackId'],
      );
      sameShape('player/bvwohQavFV8.web.2024-05.json', await tokenWeb(samples.namedTwice), playerPaths, [
        ...session,
        'captions.playerCaptionsTracklistRenderer.audioTracks',
      ]);
      sameShape(
        'player/M4gD1WSo5mA.web-metadata.2026-07.json',
        (
          await ask(
            simulator,
            'player?$fields=microformat,videoDetails.thumbnail.thumbnails,videoDetails.videoId',
            { videoId: samples.prose },
            clients.web,
          )
        ).json,
        playerPaths,
      );
    });

    it('gives caption links with the recorded parameters in the recorded order', async () => {
      const path = 'captions.playerCaptionsTracklistRenderer.captionTracks.1.baseUrl';
      const namesIn = (answer: unknown) => [...new URL(textAt(answer, path)).searchParams.keys()];
      assert.deepEqual(
        namesIn(at(await reel(samples.prose), 'playerResponse')),
        namesIn(at(recorded('player/M4gD1WSo5mA.android-reel.2026-07.json'), 'playerResponse')),
      );
      assert.deepEqual(
        namesIn(await player(samples.prose, clients.visionos)),
        namesIn(recorded('player/M4gD1WSo5mA.visionos.2026-06.json')),
      );
    });

    it('refuses videos in the recorded shape and words', async () => {
      const android = clients.android;
      const cases: readonly [string, unknown, readonly string[]][] = [
        ['8VajtrESJzA.private.android-reel.2026-07', await reel(samples.private), []],
        [
          '8VajtrESJzA.private.web.2025-07',
          await tokenWeb(samples.private),
          ['playabilityStatus.errorScreen.playerErrorMessageRenderer.subreason'],
        ],
        ['INVALID_ID_.web.2025-07', await tokenWeb('nobodyknows'), []],
        ['deleted.android.2025-06', await player(samples.deleted, android), []],
        ['bot-check.android.2025-06', await player(samples.botCheck, android), []],
        ['Njp5uhTorCo.age.android.2025-06', await player(samples.ageRestricted, android), []],
        ['rwcfPqbAx-0.age.web.2024-11', await tokenWeb(samples.ageRestricted), []],
        ['_PL2HJKxnOM.geo.android-reel.2026-07', await reel(samples.regionBlocked), []],
        ['_PL2HJKxnOM.geo.web.2025-07', await tokenWeb(samples.regionBlocked), []],
        ['ayI2iBwGdxw.members.android-reel.2026-07', await reel(samples.membersOnly), []],
        ['VIBFo3Ti5vQ.live-upcoming.web.2020-11', await tokenWeb(samples.upcoming), []],
        ['dsMFmonKDD4.captions-absent.android.2025-06', await player(samples.noCaptions, android), []],
      ];
      for (const [name, simulated, except] of cases) {
        const inReel = name.includes('reel') ? 'playerResponse.' : '';
        sameShape(
          `player-errors/${name}.json`,
          simulated,
          playerPaths.map((path) => `${inReel}${path}`),
          [`${inReel}responseContext`, ...except],
        );
        const status = `${inReel}playabilityStatus.status`;
        const file = recorded(`player-errors/${name}.json`);
        assert.equal(at(simulated, status), at(file, status), name);
      }
      sameShape(
        'player/it3OtbTxQk0.visionos-unplayable.2026-06.json',
        await player(samples.refusedOnVisionos, clients.visionos),
        playerPaths,
        session,
      );
      sameShape(
        'constructed-errors/player.web-without-token.json',
        at(await player(samples.botCheck, clients.web), 'playabilityStatus') && {
          playabilityStatus: at(await player(samples.botCheck, clients.web), 'playabilityStatus'),
        },
        playerPaths,
        ['responseContext', 'playabilityStatus.errorScreen.playerErrorMessageRenderer.subreason'],
      );
    });
  });

  describe('simulated lists', { skip: recordingsMissing }, () => {
    const nextToken = 'onResponseReceivedActions.0.appendContinuationItemsAction.continuationItems';
    const mask = 'sidebar,header,microformat,alerts';
    const header = (listId: string) => browse({ browseId: `VL${listId}`, params: 'wgYCCAA%3D' }, mask);

    /** The token of the first page that the recorded request carried, for one of our lists. */
    const firstToken = (listId: string): string => {
      const meta = recorded('playlist/PLoumn5BIs.page1.2026-07.meta.json');
      const real = 'PLoumn5BIsUDeGF1vy5Nylf_RJKn5aL_nr';
      assert.equal(listId.length, real.length);
      const token = decodeURIComponent(textAt(meta, 'request.body.continuation'));
      const bytes = Buffer.from(token, 'base64url').toString('latin1');
      return encodeURIComponent(Buffer.from(bytes.replaceAll(real, listId), 'latin1').toString('base64url'));
    };

    it('begin with the recorded header', async () => {
      sameShape('playlist/PLoumn5BIs.header.2026-07.json', await header(lists.small), browsePaths);
      sameShape(
        'channel/UCbfnHqx.UULF.header.2026-07.json',
        await header(`UULF${channels.ageGated.slice(2)}`),
        browsePaths,
      );
      sameShape('playlist/PLWwAypAc-huge.header.2026-07.json', await header(lists.huge), browsePaths);
    });

    it('answer a recorded continuation token with rows and tokens of the recorded shape', async () => {
      const page = await browse({ continuation: firstToken(lists.threePages) });
      assert.equal(listAt(page, nextToken).length, 101);
      sameShape('playlist/PLoumn5BIs.page1.2026-07.json', page, browsePaths);
      sameShape(
        'playlist/PLWwAypAc-huge.page1.2026-07.json',
        await browse({ continuation: firstToken(lists.huge) }),
        browsePaths,
      );
      const token = textAt(
        page,
        `${nextToken}.100.continuationItemViewModel.continuationCommand.innertubeCommand.continuationCommand.token`,
      );
      assert.ok(token.length > 60);
      sameShape(
        'playlist/PLXJg25X.page1.2026-07.json',
        await browse({ continuation: firstToken(lists.small) }),
        browsePaths,
      );
    });

    it('have the rows recorded before the change of June 2026', async () => {
      sameShape(
        'playlist/PLoumn5BIs.full-first-page.2025-07.json',
        await browse({ browseId: `VL${lists.oldShape}` }),
        browsePaths,
        [`${tab}.sectionListRenderer.contents.*.continuationItemRenderer`],
      );
    });

    it('show channels in the recorded tabs', async () => {
      const videos = 'EgZ2aWRlb3PyBgQKAjoA';
      const shorts = 'EgZzaG9ydHPyBgUKA5oBAA%3D%3D';
      const page = (browseId: string, params: string) => browse({ browseId, params });
      sameShape('channel/creativecommons.videos.2026-07.json', await page(channels.harbour, videos), browsePaths, [
        'microformat',
      ]);
      sameShape('channel/UCh8gHdt.shorts.2026-07.json', await page(channels.harbour, shorts), browsePaths, [
        'microformat',
      ]);
      sameShape(
        'channel/captaindisillusion.videos-old-shape.2026-01.json',
        await page(channels.oldShape, videos),
        browsePaths,
        ['microformat'],
      );
      sameShape('channel/UCbfnHqx.age-gate.2026-07.json', await page(channels.ageGated, videos), browsePaths);
      for (const [name, channelId] of [
        ['terminated-tos', channels.terminated],
        ['removed-guidelines', channels.removed],
        ['does-not-exist', 'UCnobody0000000000000001'],
      ] as const)
        sameShape(`channel/error.${name}.2026-07.json`, await page(channelId, videos), browsePaths, ['header']);
    });

    it('answer unknown lists with the recorded error message', async () => {
      const missing = await browse({ browseId: 'VLPL11111111111111111111111111111111' });
      assert.deepEqual(missing, recorded('playlist/PL1111.not-found.2026-07.json'));
      const bad = await browse({ browseId: 'DOESNT-EXIST' });
      assert.deepEqual(bad, recorded('channel/error.bad-id.2026-07.json'));
      const unviewable = await browse({ browseId: `VL${lists.unviewable}` }, mask);
      assert.deepEqual(unviewable, recorded('playlist/INVALID_ID.unviewable.2026-07.json'));
      const url = 'https://www.youtube.com/@nonExisting';
      const nobody = await ask(simulator, 'navigation/resolve_url', { url }, clients.web);
      assert.deepEqual(nobody.json, recorded('resolve-url/handle-not-existing.2026-07.json'));
      const old = { ...clients.android, clientVersion: '17.10.35' };
      assert.deepEqual(
        await player(samples.prose, old),
        recorded('constructed-errors/player.old-client-version.400.json'),
      );
    });
  });

  describe('simulated caption documents', { skip: recordingsMissing }, () => {
    const link = async (videoId: string, index: number): Promise<string> =>
      textAt(
        await player(videoId, clients.visionos),
        `captions.playerCaptionsTracklistRenderer.captionTracks.${index}.baseUrl`,
      );

    it('have the events of recorded automatic captions', async () => {
      const { json } = await follow(simulator, await link(samples.onlyAutomatic, 0), { fmt: 'json3' });
      const paths = [
        'tStartMs',
        'dDurationMs',
        'id',
        'wpWinPosId',
        'wsWinStyleId',
        'wWinId',
        'aAppend',
        'segs.*.utf8',
        'segs.*.tOffsetMs',
        'segs.*.acAsrConf',
      ];
      sameShape(
        'timedtext/ko.asr.json3.json',
        json,
        paths.map((path) => `events.*.${path}`),
      );
    });

    it('escape text and break lines exactly as the constructed documents do', async () => {
      const edges = await link(samples.edgeCases, 0);
      const srv1 = (await follow(simulator, edges)).text;
      const upTo = (document: string, end: string) => document.slice(0, document.indexOf(end));
      const end1 = '<text start="18"';
      assert.equal(upTo(srv1, end1), upTo(recording('timedtext-constructed/edge.srv1.xml'), end1));
      const srv3 = (await follow(simulator, edges, { fmt: 'srv3' })).text;
      const end3 = '<p t="18000"';
      assert.equal(upTo(srv3, end3), upTo(recording('timedtext-constructed/edge.srv3.xml'), end3));
      const { json } = await follow(simulator, edges, { fmt: 'json3' });
      assert.deepEqual(
        listAt(json, 'events').slice(0, 15),
        listAt(recorded('timedtext-constructed/edge.json3.json'), 'events').slice(0, 15),
      );
      const empty = await follow(simulator, await link(samples.emptyTrack, 0), { fmt: 'json3' });
      assert.equal(empty.text, recording('timedtext-constructed/json3-empty.json').trim());
    });
  });
});
