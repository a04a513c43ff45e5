import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Simulator, startSimulator } from './main.ts';
import { samples } from './samples.ts';
import { type AskingClient, ask, at, clients, follow, listAt, numberAt, textAt } from './simulator-client.ts';

let simulator: Simulator;

const player = (videoId: string, client: AskingClient = clients.android, path = 'player') =>
  ask(simulator, path, { videoId }, client);

const tracksOf = (answer: unknown): readonly unknown[] =>
  listAt(answer, 'captions.playerCaptionsTracklistRenderer.captionTracks');

describe('the player of the simulator', () => {
  before(async () => {
    simulator = await startSimulator();
  });
  after(() => simulator[Symbol.asyncDispose]());

  describe('the simulated player', () => {
    it('gives each app signed links on the real host, with the format of that client', async () => {
      const android = tracksOf((await player(samples.prose)).json);
      const visionos = tracksOf((await player(samples.prose, clients.visionos)).json);
      assert.deepEqual(
        android.map((track) => [at(track, 'vssId'), at(track, 'kind'), at(track, 'name.runs.0.text')]),
        [
          ['.en', undefined, 'English'],
          ['a.en', 'asr', 'English (auto-generated)'],
        ],
      );
      assert.match(textAt(android, '0.baseUrl'), /^https:\/\/www\.youtube\.com\/api\/timedtext\?v=lighthouse1&/);
      assert.match(textAt(android, '0.baseUrl'), /&lang=en&fmt=srv3$/);
      assert.match(textAt(visionos, '1.baseUrl'), /&kind=asr&lang=en$/);
    });

    it('wraps the same answer in playerResponse for the reel, and answers nothing for an unknown id', async () => {
      const reel = 'reel/reel_item_watch?$fields=playerResponse';
      const known = await ask(simulator, reel, { playerRequest: { videoId: samples.prose } });
      assert.deepEqual(Object.keys(Object(known.json)), ['playerResponse']);
      assert.equal(at(known.json, 'playerResponse.videoDetails.videoId'), samples.prose);
      const unknown = await ask(simulator, reel, { playerRequest: { videoId: 'nobodyknows' } });
      assert.equal(unknown.text, '{}');
    });

    it('returns only the fields of the field mask', async () => {
      const answer = await ask(simulator, 'player?$fields=playabilityStatus,videoDetails.thumbnail.thumbnails', {
        videoId: samples.prose,
      });
      assert.deepEqual(Object.keys(Object(answer.json)).sort(), ['playabilityStatus', 'videoDetails']);
      assert.deepEqual(Object.keys(Object(at(answer.json, 'videoDetails'))), ['thumbnail']);
    });

    it('gives each sample video the playability status of the platform', async () => {
      const expected: Record<string, [string, RegExp | undefined]> = {
        [samples.botCheck]: ['LOGIN_REQUIRED', /not a bot/],
        [samples.private]: ['LOGIN_REQUIRED', /private/],
        [samples.deleted]: ['ERROR', /unavailable/],
        [samples.ageRestricted]: ['LOGIN_REQUIRED', /inappropriate/],
        [samples.membersOnly]: ['UNPLAYABLE', /members/],
        [samples.regionBlocked]: ['UNPLAYABLE', /country/],
        [samples.premium]: ['UNPLAYABLE', /Music Premium/],
        [samples.purchase]: ['UNPLAYABLE', /payment/],
        [samples.removed]: ['ERROR', /removed by the uploader/],
        [samples.terminated]: ['UNPLAYABLE', /terminated/],
        [samples.copyright]: ['UNPLAYABLE', /copyright/],
        [samples.processing]: ['UNPLAYABLE', /processing this video/],
        [samples.tryLater]: ['UNPLAYABLE', /try again later/],
        [samples.upcoming]: ['LIVE_STREAM_OFFLINE', /will begin/],
        [samples.live]: ['OK', undefined],
        [samples.noCaptions]: ['OK', undefined],
      };
      for (const [videoId, [status, reason]] of Object.entries(expected)) {
        const { json } = await player(videoId);
        assert.equal(at(json, 'playabilityStatus.status'), status, videoId);
        if (reason) assert.match(textAt(json, 'playabilityStatus.reason'), reason, videoId);
        assert.equal(at(json, 'captions'), undefined, videoId);
      }
    });

    it('treats its clients differently, as the platform does', async () => {
      const web = (await player(samples.prose, clients.web)).json;
      assert.equal(
        at(web, 'playabilityStatus.errorScreen.playerErrorMessageRenderer.subreason.runs.0.text'),
        'The page needs to be reloaded.',
      );
      assert.equal(at(web, 'microformat.playerMicroformatRenderer.ownerChannelName'), 'Harbour Notes');
      const retired = await player(samples.prose, { ...clients.android, clientVersion: '17.10.35' });
      assert.equal(retired.status, 400);
      assert.equal(at(retired.json, 'error.status'), 'FAILED_PRECONDITION');
      const wrong = (await player(samples.wrongVideoOnAndroid)).json;
      assert.notEqual(at(wrong, 'videoDetails.videoId'), samples.wrongVideoOnAndroid);
      const refused = (await player(samples.refusedOnVisionos, clients.visionos)).json;
      assert.equal(at(refused, 'playabilityStatus.reason'), 'This video is not available');
      assert.equal(at(refused, 'videoDetails.videoId'), samples.refusedOnVisionos);
    });
  });

  describe('simulated captions', () => {
    const linkTo = async (videoId: string, vssId: string, client: AskingClient = clients.android) => {
      const tracks = tracksOf((await player(videoId, client)).json);
      return textAt(
        tracks.find((track) => at(track, 'vssId') === vssId),
        'baseUrl',
      );
    };

    it('come in the first format parameter of the link', async () => {
      const link = await linkTo(samples.edgeCases, '.en');
      assert.match((await follow(simulator, link)).text, /<timedtext format="3">/);
      assert.match((await follow(simulator, `${link}&fmt=json3`)).text, /<timedtext format="3">/);
      const json3 = await follow(simulator, link, { fmt: 'json3' });
      assert.equal(at(json3.json, 'wireMagic'), 'pb3');
      const srv1 = (await follow(simulator, link, { fmt: null })).text;
      assert.match(srv1, /It&amp;#39;s &amp;quot;5 &amp;lt; 6&amp;quot; &amp;amp; AT&amp;amp;T/);
    });

    it('have timed words, appended line feeds and overlapping lines if they are automatic', async () => {
      const link = await linkTo(samples.onlyAutomatic, 'a.en');
      const events = listAt((await follow(simulator, link, { fmt: 'json3' })).json, 'events');
      const spoken = events.filter((event) => at(event, 'segs') && !at(event, 'aAppend'));
      assert.ok(events.some((event) => at(event, 'aAppend') === 1 && at(event, 'segs.0.utf8') === '\n'));
      assert.ok(spoken.some((event) => numberAt(event, 'segs.1.tOffsetMs') > 0));
      const endMs = numberAt(spoken, '1.tStartMs') + numberAt(spoken, '1.dDurationMs');
      assert.ok(endMs > numberAt(spoken, '2.tStartMs'));
    });

    it('are refused if a signed parameter was changed, but not if the format was', async () => {
      const link = await linkTo(samples.prose, '.en');
      for (const changes of [{ v: samples.regional }, { expire: '9999999999' }, { signature: 'A.B' }])
        assert.equal((await follow(simulator, link, changes)).status, 404);
      assert.equal((await follow(simulator, link, { fmt: 'vtt', pot: 'x', c: 'WEB' })).status, 200);
    });

    it('are empty without a proof-of-origin token where the link requires one', async () => {
      const link = await linkTo(samples.tokenGateEverywhere, '.en');
      const without = await follow(simulator, link);
      assert.deepEqual([without.status, without.text], [200, '']);
      assert.notEqual((await follow(simulator, link, { pot: 'token' })).text, '');
      const open = await linkTo(samples.tokenGateOnAndroid, '.en', clients.visionos);
      assert.notEqual((await follow(simulator, open)).text, '');
    });

    it('keep event times in translation and spread the words evenly', async () => {
      const link = await linkTo(samples.onlyAutomatic, 'a.en');
      const startsOf = async (changes: Record<string, string>) => {
        const { json } = await follow(simulator, link, { fmt: 'json3', ...changes });
        return listAt(json, 'events').map((event) => at(event, 'tStartMs'));
      };
      assert.deepEqual(await startsOf({ tlang: 'zh-Hans' }), await startsOf({}));
    });

    it('have thousands of lines in the long sample video', async () => {
      const link = await linkTo(samples.long, '.en');
      const { json } = await follow(simulator, link, { fmt: 'json3' });
      assert.equal(listAt(json, 'events').length, 1566);
    });
  });
});
