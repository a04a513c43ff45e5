import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEngine } from '#src/extraction/engine.ts';
import { PlatformFault } from '#src/extraction/platform.ts';
import type { EngineSettings } from '#src/extraction/settings.ts';
import { Refusal, type RefusalCode } from '#src/kernel/refusal.ts';
import { memoryTranscriptCache } from '#test/support/memory-transcript-cache.ts';
import {
  captionBody,
  manualClock,
  type PlatformCall,
  playerBody,
  type ScriptedAnswer,
  scriptedPlatform,
  unplayableBody,
} from '#test/support/platform.ts';

const id = 'dQw4w9WgXcQ';
const patient = () => ({ signal: new AbortController().signal });
const captions = (...tracks: readonly string[]) => {
  const used = tracks.length === 0 ? ['.en'] : tracks;
  return ({ endpoint }: PlatformCall): ScriptedAnswer => ({
    body: endpoint === 'timedtext' ? captionBody('one', 'two') : playerBody(id, used),
  });
};
const set = (
  answer: (asked: PlatformCall) => ScriptedAnswer,
  settings: Partial<EngineSettings> = {},
  options: Parameters<typeof scriptedPlatform>[1] = {},
) => {
  const platform = scriptedPlatform(answer, options);
  const time = manualClock();
  const cache = memoryTranscriptCache();
  const make = () =>
    createEngine({ platform, cache, clock: time.clock, random: () => 0.5, settings: { backoffMs: 1, ...settings } });
  return { platform, time, cache, make, engine: make() };
};
const refusal = async (work: Promise<unknown>): Promise<Refusal> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Refusal, `expected a refusal, got ${String(error)}`);
  return error;
};
const isRefused = async (work: Promise<unknown>, code: RefusalCode, reason: string) => {
  const error = await refusal(work);
  assert.deepEqual([error.code, error.details?.['reason']], [code, reason]);
  return error;
};
const by = (answers: Readonly<Record<string, ScriptedAnswer>>) => (asked: PlatformCall) =>
  answers[asked.client ?? asked.endpoint] ?? { status: 500 };

describe('a first reading', () => {
  it('takes two requests, neither of them a page, and returns everything that is known', async () => {
    const { engine, platform } = set(captions('.en', 'a.en', '.de'));
    const found = await engine.extract({ videoId: id, language: 'de' }, patient());
    assert.deepEqual(
      platform.asked.map(({ endpoint, client }) => [endpoint, client]),
      [
        ['reel/reel_item_watch', 'ANDROID'],
        ['timedtext', null],
      ],
    );
    assert.deepEqual(
      found.segments.map(({ text, startMs, endMs }) => [text, startMs, endMs]),
      [
        ['one', 0, 1000],
        ['two', 1000, 2000],
      ],
    );
    assert.equal(found.track.id, '.de');
    assert.equal(found.matchedBy, 'exact');
    assert.equal(found.video.durationS, 61);
    assert.equal(found.tracks.length, 3);
    assert.equal(found.isCacheHit, false);
    assert.equal(found.fetchedAt, '2026-08-01T12:00:00.000Z');
    assert.match(found.contentSha256, /^[0-9a-f]{64}$/);
  });

  it('asks for json3 once, with the signed query as it was', async () => {
    const { engine, platform } = set(captions());
    await engine.extract({ videoId: id, language: null }, patient());
    assert.equal(
      platform.asked[1]?.url,
      `https://www.youtube.com/api/timedtext?v=${id}&sparams=ip,v&signature=AB.CD&lang=en&fmt=json3`,
    );
  });

  it('asks in English and without a visitor of its own', async () => {
    const { engine, platform } = set(captions());
    await engine.extract({ videoId: id, language: null }, patient());
    const [first] = platform.asked;
    assert.match(first?.body ?? '', /"hl":"en"/);
    assert.doesNotMatch(first?.body ?? '', /visitorData/);
  });

  for (const [name, baseUrl] of [
    ['of another host', `https://evil.example/api/timedtext?v=${id}`],
    ['that only looks right', `https://youtube.com.evil.io/api/timedtext?v=${id}`],
    ['without TLS', `http://www.youtube.com/api/timedtext?v=${id}`],
    ['with credentials', `https://a:b@www.youtube.com/api/timedtext?v=${id}`],
    ['inside the network', 'http://169.254.169.254/latest'],
  ] as const)
    it(`never follows a caption address ${name}`, async () => {
      const { engine, platform } = set(() => ({ body: playerBody(id, [{ id: '.en', baseUrl }]) }));
      await isRefused(engine.extract({ videoId: id, language: null }, patient()), 'PLATFORM_CHANGED', 'shape');
      assert.ok(platform.asked.every(({ endpoint }) => endpoint !== 'timedtext'));
    });
});

describe('a failed reading', () => {
  it('ends at the first client if the cause is the video', async () => {
    const { engine, platform } = set(() => ({ body: unplayableBody('LOGIN_REQUIRED', 'This video is private') }));
    const error = await isRefused(
      engine.extract({ videoId: id, language: null }, patient()),
      'VIDEO_UNAVAILABLE',
      'private',
    );
    assert.equal(platform.asked.length, 1);
    assert.deepEqual(error.details, {
      reason: 'private',
      retryable: false,
      platform: { status: 'LOGIN_REQUIRED', reason: 'This video is private', subreason: null },
    });
    assert.equal(error.retryAfterS, null);
  });

  it('goes on to the next client if the platform blocks this service', async () => {
    const { engine } = set(
      by({
        ANDROID: { body: unplayableBody('LOGIN_REQUIRED', 'Sign in to confirm you’re not a bot') },
        VISIONOS: { body: playerBody(id, ['.en']) },
        timedtext: { body: captionBody('one') },
      }),
    );
    const found = await engine.extract({ videoId: id, language: null }, patient());
    assert.equal(found.segments.length, 1);
  });

  it('needs two clients that agree for "no captions"', async () => {
    const { engine, platform } = set(() => ({ body: playerBody(id, []) }));
    const { details } = await isRefused(
      engine.extract({ videoId: id, language: null }, patient()),
      'TRANSCRIPT_NOT_AVAILABLE',
      'no_captions',
    );
    const told = { status: 'OK', reason: null, subreason: null };
    assert.deepEqual(details?.['platform'], told);
    assert.deepEqual(
      platform.asked.map(({ client }) => client),
      ['ANDROID', 'VISIONOS'],
    );
  });

  it('is not blamed on the video if only one client has no captions and the others are blocked', async () => {
    const blocked = { body: unplayableBody('LOGIN_REQUIRED', 'Sign in to confirm you’re not a bot') };
    const { engine } = set(by({ ANDROID: { body: playerBody(id, []) }, VISIONOS: blocked, IOS: blocked }));
    const error = await isRefused(
      engine.extract({ videoId: id, language: null }, patient()),
      'PLATFORM_BLOCKED',
      'bot_check',
    );
    assert.ok((error.retryAfterS ?? 0) > 0);
    assert.equal(error.details?.['retry_after_s'], error.retryAfterS);
  });

  it('has the message of the platform if no client plays the video', async () => {
    const body = unplayableBody('UNPLAYABLE', 'This video is not available');
    const { engine } = set(() => ({ body }));
    const { details } = await isRefused(
      engine.extract({ videoId: id, language: null }, patient()),
      'VIDEO_UNAVAILABLE',
      'unplayable',
    );
    assert.deepEqual(details?.['platform'], {
      status: 'UNPLAYABLE',
      reason: 'This video is not available',
      subreason: null,
    });
  });

  it('believes the client that has captions over the one that has none', async () => {
    const { engine } = set(
      by({
        ANDROID: { body: playerBody(id, []) },
        VISIONOS: { body: playerBody(id, ['.en']) },
        timedtext: { body: captionBody('one') },
      }),
    );
    assert.equal((await engine.extract({ videoId: id, language: null }, patient())).track.id, '.en');
  });

  it('reads a video that one client refuses and another does not', async () => {
    const refused = { body: unplayableBody('UNPLAYABLE', 'This video is not available', id) };
    const { engine } = set(
      by({
        ANDROID: refused,
        VISIONOS: refused,
        IOS: { body: playerBody(id, ['.en']) },
        timedtext: { body: captionBody('one') },
      }),
    );
    assert.equal((await engine.extract({ videoId: id, language: null }, patient())).segments.length, 1);
  });

  it('is blamed on the video if every client refuses it', async () => {
    const { engine } = set(() => ({ body: unplayableBody('UNPLAYABLE', 'This video is not available', id) }));
    await isRefused(engine.extract({ videoId: id, language: null }, patient()), 'VIDEO_UNAVAILABLE', 'unplayable');
  });

  it('has an unknown id confirmed by the player', async () => {
    const { engine, platform } = set(
      by({ ANDROID: { body: '{}' }, VISIONOS: { body: unplayableBody('ERROR', 'Video unavailable') } }),
    );
    await isRefused(
      engine.extract({ videoId: id, language: null }, patient()),
      'VIDEO_NOT_FOUND',
      'not_found_or_deleted',
    );
    assert.equal(platform.asked.length, 2);
  });

  it('has an unknown id confirmed by a second client if the text says nothing', async () => {
    const { engine, platform } = set(() => ({ body: unplayableBody('ERROR', 'Dieses Video ist nicht verfügbar') }));
    await isRefused(
      engine.extract({ videoId: id, language: null }, patient()),
      'VIDEO_NOT_FOUND',
      'not_found_or_deleted',
    );
    assert.deepEqual(
      platform.asked.map(({ client }) => client),
      ['ANDROID', 'VISIONOS'],
    );
  });

  it('never mistakes another video for the requested one', async () => {
    const { engine } = set(() => ({ body: playerBody('aQvGIIdgFDM', []) }));
    await isRefused(engine.extract({ videoId: id, language: null }, patient()), 'PLATFORM_BLOCKED', 'wrong_video');
  });

  it('reports the most severe of several reasons', async () => {
    const { engine } = set(
      by({
        ANDROID: { status: 400, body: '{"error":{"status":"FAILED_PRECONDITION"}}' },
        VISIONOS: new PlatformFault('timeout'),
        IOS: { body: unplayableBody('LOGIN_REQUIRED', 'Sign in to confirm you’re not a bot') },
      }),
    );
    await isRefused(engine.extract({ videoId: id, language: null }, patient()), 'PLATFORM_BLOCKED', 'bot_check');
  });

  it('stops at once when the platform asks to slow down and there is no other egress', async () => {
    const { engine, platform } = set(() => ({ status: 429, body: '<html>', retryAfterS: 120 }));
    const error = await isRefused(
      engine.extract({ videoId: id, language: null }, patient()),
      'PLATFORM_RATE_LIMITED',
      'rate_limited',
    );
    assert.equal(error.retryAfterS, 120);
    assert.equal(platform.asked.length, 1);
    assert.deepEqual(platform.penalized, ['direct']);
  });

  it('uses another egress when the platform asks to slow down', async () => {
    let calls = 0;
    const answer = captions();
    const { engine } = set(
      (asked) => {
        calls += 1;
        return calls === 1 ? { status: 429, body: '<html>' } : answer(asked);
      },
      {},
      { isOtherWay: true },
    );
    assert.equal((await engine.extract({ videoId: id, language: null }, patient())).segments.length, 2);
  });

  it('reports an unknown shape with its path', async () => {
    const { engine } = set(() => ({ body: '{"somethingNew":{}}' }));
    const error = await isRefused(
      engine.extract({ videoId: id, language: null }, patient()),
      'PLATFORM_CHANGED',
      'shape',
    );
    assert.equal(error.details?.['path'], 'playabilityStatus');
  });
});

describe('the client that is asked first', () => {
  const nothing = { body: '{}' };
  const unknown = { body: '{"playabilityStatus":{"status":"NEW"}}' };
  const readable = (videoId: string) => ({ body: playerBody(videoId, ['.en']) });
  const isPrivate = { body: unplayableBody('LOGIN_REQUIRED', 'This video is private') };
  /** Reads video after video, each answered by its clients as given, and tells who was asked for the last. */
  const askedAfter = async (
    videos: readonly ((videoId: string) => Readonly<Record<string, ScriptedAnswer>>)[],
  ): Promise<readonly (string | null)[]> => {
    const { engine, platform } = set(captions());
    let before = 0;
    for (const [index, answers] of videos.entries()) {
      const videoId = `video-${String(index).padStart(5, '0')}`;
      platform.answerWith(by({ timedtext: { body: captionBody('one') }, ...answers(videoId) }));
      before = platform.asked.length;
      await engine.extract({ videoId, language: null }, patient()).catch(() => null);
    }
    return platform.asked.slice(before).map(({ client }) => client);
  };
  const good = (videoId: string) => ({
    ANDROID: readable(videoId),
    VISIONOS: readable(videoId),
    IOS: readable(videoId),
  });
  const times = <Value>(count: number, value: Value): readonly Value[] => Array.from({ length: count }, () => value);

  it('changes after repeated contradictions by other clients', async () => {
    for (const answer of [nothing, unknown, { body: unplayableBody('UNPLAYABLE', '') }]) {
      const alone = (videoId: string) => ({ ANDROID: answer, VISIONOS: readable(videoId) });
      assert.deepEqual(await askedAfter([...times(2, alone), good]), ['ANDROID', null]);
      assert.deepEqual(await askedAfter([...times(3, alone), good]), ['VISIONOS', null]);
    }
    const empty = (videoId: string) => ({ ANDROID: { body: playerBody(videoId, []) }, VISIONOS: readable(videoId) });
    assert.deepEqual(await askedAfter([...times(3, empty), good]), ['VISIONOS', null]);
  });

  it('changes after repeated answers of unknown shape about videos that another client understands', async () => {
    const alone = () => ({ ANDROID: unknown, VISIONOS: isPrivate });
    assert.deepEqual(await askedAfter([...times(3, alone), good]), ['VISIONOS', null]);
  });

  it('stays the same if another client agrees', async () => {
    const gone = { body: unplayableBody('ERROR', 'Video unavailable') };
    const both = () => ({ ANDROID: nothing, VISIONOS: gone });
    assert.deepEqual(await askedAfter([...times(5, both), good]), ['ANDROID', null]);
  });

  it('stays the same while no other client succeeds', async () => {
    const none = () => ({ ANDROID: unknown, VISIONOS: unknown, IOS: unknown });
    const second = (videoId: string) => ({ ANDROID: nothing, VISIONOS: readable(videoId) });
    assert.deepEqual(await askedAfter([...times(5, none), second, good]), ['ANDROID', null]);
  });
});

describe('missing captions', () => {
  const withCaptions = (timedtext: (asked: PlatformCall) => ScriptedAnswer) => (asked: PlatformCall) =>
    asked.endpoint === 'timedtext' ? timedtext(asked) : { body: playerBody(id, ['.en']) };

  for (const [name, answer, code, reason] of [
    ['empty', { body: '' }, 'PLATFORM_BLOCKED', 'token_required'],
    ['an HTML page', { body: '<!doctype html><html></html>' }, 'PLATFORM_CHANGED', 'shape'],
    ['cut', { body: captionBody('one', 'two').slice(0, 60) }, 'PLATFORM_CHANGED', 'shape'],
    ['garbled', { body: '\u0000\u0001garbage' }, 'PLATFORM_CHANGED', 'shape'],
    ['a 404', { status: 404, body: '<html>' }, 'PLATFORM_BLOCKED', 'link_refused'],
    ['a 403', { status: 403, body: '<html>' }, 'PLATFORM_BLOCKED', 'egress_refused'],
    ['a 503', { status: 503 }, 'PLATFORM_TIMEOUT', 'server_error'],
    ['too large', new PlatformFault('too_large'), 'PLATFORM_CHANGED', 'too_large'],
    ['late', new PlatformFault('timeout'), 'PLATFORM_TIMEOUT', 'timeout'],
    ['no route', new PlatformFault('unreachable'), 'PLATFORM_TIMEOUT', 'unreachable'],
    ['a reset', new PlatformFault('connection'), 'PLATFORM_TIMEOUT', 'connection'],
  ] as const)
    it(`that are ${name} are ${code}, and are requested again`, async () => {
      const { engine, platform } = set(withCaptions(() => answer));
      await isRefused(engine.extract({ videoId: id, language: null }, patient()), code, reason);
      platform.answerWith(captions());
      assert.equal((await engine.extract({ videoId: id, language: null }, patient())).segments.length, 2);
    });

  it('are not requested where a token is required, but from the next client', async () => {
    const gated = `https://www.youtube.com/api/timedtext?v=${id}&lang=en&exp=xpe`;
    const { engine, platform } = set(
      by({
        ANDROID: { body: playerBody(id, [{ id: '.en', baseUrl: gated }]) },
        VISIONOS: { body: playerBody(id, ['.en']) },
        timedtext: { body: captionBody('one') },
      }),
    );
    await engine.extract({ videoId: id, language: null }, patient());
    assert.deepEqual(
      platform.asked.map(({ client, endpoint }) => client ?? endpoint),
      ['ANDROID', 'VISIONOS', 'timedtext'],
    );
  });

  it('are requested with a proof of origin if there is one, made for that client and video', async () => {
    const gated = `https://www.youtube.com/api/timedtext?v=${id}&lang=en&exp=xpe&fmt=srv3`;
    const asked: unknown[] = [];
    const { platform, cache, time } = set(({ endpoint, url }) => {
      if (endpoint !== 'timedtext') return { body: playerBody(id, [{ id: '.en', baseUrl: gated }]) };
      return { body: url.includes('pot=') ? captionBody('one') : '' };
    });
    const engineWith = (token: string | null) =>
      createEngine({
        ...{ platform, cache, clock: time.clock, random: () => 0.5 },
        proofOf: async (wanted) => {
          asked.push(wanted);
          return token;
        },
      });
    const reading = () => ({ videoId: id, language: null });
    await isRefused(engineWith(null).extract(reading(), patient()), 'PLATFORM_BLOCKED', 'token_required');
    assert.deepEqual(
      asked.map((one) => (one as { clientName: string }).clientName),
      ['ANDROID', 'VISIONOS', 'IOS'],
    );
    asked.length = 0;
    const found = await engineWith('a+b/c=').extract(reading(), patient());
    assert.deepEqual(asked, [{ videoId: id, clientName: 'ANDROID' }]);
    assert.equal(found.segments[0]?.text, 'one');
    assert.equal(
      platform.asked.at(-1)?.url,
      `https://www.youtube.com/api/timedtext?v=${id}&lang=en&exp=xpe&pot=a%2Bb%2Fc%3D&potc=1&c=ANDROID&fmt=json3`,
    );
  });

  it('are read in another format when json3 is missing or cannot be read', async () => {
    const srv3 = '<timedtext format="3"><body><p t="5" d="10">one</p></body></timedtext>';
    for (const json3 of [{ body: '{"new":1}' }, { status: 404, body: '' }, { status: 400 }]) {
      const { engine, platform } = set(withCaptions(({ url }) => (url.endsWith('fmt=json3') ? json3 : { body: srv3 })));
      const found = await engine.extract({ videoId: id, language: null }, patient());
      assert.deepEqual(found.segments, [{ text: 'one', startMs: 5, durationMs: 10, endMs: 15 }]);
      assert.equal(platform.asked.length, 3);
    }
  });

  it('are read in the oldest format when the others are missing', async () => {
    const srv1 = '<transcript><text start="0.005" dur="0.01">one</text></transcript>';
    const { engine, platform } = set(
      withCaptions(({ url }) => (url.endsWith('fmt=srv1') ? { body: srv1 } : { status: 404, body: '' })),
    );
    const found = await engine.extract({ videoId: id, language: null }, patient());
    assert.deepEqual(found.segments, [{ text: 'one', startMs: 5, durationMs: 10, endMs: 15 }]);
    assert.equal(platform.asked.length, 4);
  });

  for (const [name, body] of [
    ['nothing', ''],
    ['a document without text', '{"wireMagic":"pb3"}'],
  ] as const)
    it(`that are ${name} while the video is live are expected after its end`, async () => {
      const { engine, platform } = set(({ endpoint }) => ({
        body: endpoint === 'timedtext' ? body : playerBody(id, ['a.en'], { isLive: true }),
      }));
      const { details } = await isRefused(
        engine.extract({ videoId: id, language: null }, patient()),
        'TRANSCRIPT_NOT_AVAILABLE',
        'live_now',
      );
      const told = { status: 'OK', reason: null, subreason: null };
      assert.deepEqual(details?.['platform'], told);
      assert.equal(platform.asked.length, 2);
      assert.equal(engine.health().consecutiveFailures, 0);
    });

  it('without any text are an empty track, for an hour', async () => {
    const { engine, platform, time } = set(withCaptions(() => ({ body: '{"wireMagic":"pb3"}' })));
    for (let time_ = 0; time_ < 2; time_ += 1)
      await isRefused(
        engine.extract({ videoId: id, language: 'en' }, patient()),
        'TRANSCRIPT_NOT_AVAILABLE',
        'empty_track',
      );
    assert.equal(platform.asked.length, 2);
    time.move(3_600_001);
    platform.answerWith(captions());
    assert.equal((await engine.extract({ videoId: id, language: 'en' }, patient())).segments.length, 2);
  });
});

describe('languages', () => {
  it('are never substituted, and the refusal lists the available ones', async () => {
    const { engine } = set(captions('.en', 'a.en', '.de'));
    const error = await isRefused(
      engine.extract({ videoId: id, language: 'fr' }, patient()),
      'LANGUAGE_NOT_AVAILABLE',
      'language_missing',
    );
    assert.deepEqual(error.details, {
      reason: 'language_missing',
      retryable: false,
      requested: 'fr',
      available: ['en', 'de'],
      tracks: [
        { language: 'en', kind: 'manual', name: 'en' },
        { language: 'en', kind: 'automatic', name: 'en' },
        { language: 'de', kind: 'manual', name: 'de' },
      ],
    });
  });

  it('that are missing are reported from the cache, and available ones are read from it', async () => {
    const { engine, platform } = set(captions('.en-GB'));
    await refusal(engine.extract({ videoId: id, language: 'fr' }, patient()));
    await refusal(engine.extract({ videoId: id, language: 'de' }, patient()));
    assert.equal(platform.asked.length, 1);
    const found = await engine.extract({ videoId: id, language: 'en' }, patient());
    assert.deepEqual([found.track.language, found.matchedBy, found.requestedLanguage], ['en-GB', 'region', 'en']);
  });
});

describe('a repeated reading', () => {
  it('returns the same frozen object without a request', async () => {
    const { engine, platform } = set(captions());
    const first = await engine.extract({ videoId: id, language: 'en' }, patient());
    const second = await engine.extract({ videoId: id, language: 'en' }, patient());
    const third = await engine.extract({ videoId: id, language: 'en' }, patient());
    assert.equal(platform.asked.length, 2);
    assert.equal(second.isCacheHit, true);
    assert.equal(third, second);
    assert.equal(second.segments, first.segments);
    assert.ok(Object.isFrozen(second) && Object.isFrozen(second.segments));
  });

  it('comes from the cache in another process', async () => {
    const { engine, make, platform } = set(captions());
    const first = await engine.extract({ videoId: id, language: null }, patient());
    const second = await make().extract({ videoId: id, language: null }, patient());
    assert.equal(platform.asked.length, 2);
    assert.equal(second.isCacheHit, true);
    assert.deepEqual(second.segments, first.segments);
    assert.equal(second.fetchedAt, first.fetchedAt);
  });

  it('asks the platform again once the transcript is a week old', async () => {
    const { engine, platform, time } = set(captions());
    await engine.extract({ videoId: id, language: null }, patient());
    time.move(7 * 24 * 3_600_000 - 1);
    await engine.extract({ videoId: id, language: null }, patient());
    assert.equal(platform.asked.length, 2);
    time.move(2);
    const again = await engine.extract({ videoId: id, language: null }, patient());
    assert.equal(platform.asked.length, 4);
    assert.equal(again.isCacheHit, false);
  });

  it('is read again after the end of a live video, even when its tracks have been listed since', async () => {
    let isLive = true;
    const { make, time } = set(({ endpoint }) => ({
      body:
        endpoint === 'timedtext' ? captionBody(isLive ? 'so far' : 'all of it') : playerBody(id, ['.en'], { isLive }),
    }));
    await make().extract({ videoId: id, language: null }, patient());
    isLive = false;
    time.move(300_000);
    const engine = make();
    await engine.listTracks(id, patient());
    const { segments } = await engine.extract({ videoId: id, language: null }, patient());
    assert.deepEqual(
      segments.map(({ text }) => text),
      ['all of it'],
    );
  });

  it('asks the platform again after five minutes while the video is live', async () => {
    const live = { isLive: true };
    const { engine, platform, time } = set(({ endpoint }) => ({
      body: endpoint === 'timedtext' ? captionBody('one') : playerBody(id, ['.en'], live),
    }));
    await engine.extract({ videoId: id, language: null }, patient());
    await engine.listTracks(id, patient());
    time.move(300_000 - 1);
    await engine.extract({ videoId: id, language: null }, patient());
    assert.equal(platform.asked.length, 2);
    time.move(1);
    await refusal(engine.extract({ videoId: id, language: 'fr' }, patient()));
    assert.equal(platform.asked.length, 3);
    time.move(300_000);
    await engine.listTracks(id, patient());
    assert.equal(platform.asked.length, 4);
    const again = await engine.extract({ videoId: id, language: null }, patient());
    assert.equal(again.isCacheHit, false);
    assert.equal(platform.asked.length, 6);
  });

  it('caches a failure of the video as long as its reason allows, and never a block', async () => {
    for (const [body, ms, code] of [
      [playerBody(id, []), 24 * 3_600_000, 'TRANSCRIPT_NOT_AVAILABLE'],
      [unplayableBody('ERROR', 'Video unavailable'), 3_600_000, 'VIDEO_NOT_FOUND'],
      [playerBody(id, [], { isLive: true }), 300_000, 'TRANSCRIPT_NOT_AVAILABLE'],
      [unplayableBody('LOGIN_REQUIRED', 'you’re not a bot'), 0, 'PLATFORM_BLOCKED'],
    ] as const) {
      const { engine, platform, time } = set(() => ({ body }));
      assert.equal((await refusal(engine.extract({ videoId: id, language: 'en' }, patient()))).code, code);
      const first = platform.asked.length;
      time.move(Math.max(0, ms - 1));
      await refusal(engine.extract({ videoId: id, language: 'de' }, patient()));
      assert.equal(platform.asked.length > first, ms === 0, code);
      time.move(2);
      await refusal(engine.extract({ videoId: id, language: null }, patient()));
      assert.ok(platform.asked.length > first, code);
    }
  });

  it('waits for an upcoming video until it starts', async () => {
    const start = Date.parse('2026-08-01T14:30:00Z') / 1000;
    const slate = { offlineSlate: { liveStreamOfflineSlateRenderer: { scheduledStartTime: String(start) } } };
    const body = JSON.stringify({
      playabilityStatus: { status: 'LIVE_STREAM_OFFLINE', liveStreamability: { liveStreamabilityRenderer: slate } },
      videoDetails: { videoId: id, isUpcoming: true },
    });
    const { engine, platform, time } = set(() => ({ body }));
    const error = await isRefused(
      engine.extract({ videoId: id, language: null }, patient()),
      'TRANSCRIPT_NOT_AVAILABLE',
      'upcoming',
    );
    assert.equal(error.details?.['scheduled_start'], '2026-08-01T14:30:00.000Z');
    time.move(2 * 3_600_000);
    await refusal(engine.extract({ videoId: id, language: null }, patient()));
    assert.equal(platform.asked.length, 1);
    time.move(31 * 60_000);
    await refusal(engine.extract({ videoId: id, language: null }, patient()));
    assert.equal(platform.asked.length, 2);
  });
});

describe('equal concurrent readings', () => {
  it('are one reading', async () => {
    const { engine, platform } = set(captions());
    const all = await Promise.all(
      Array.from({ length: 50 }, () => engine.extract({ videoId: id, language: 'en' }, patient())),
    );
    assert.equal(platform.asked.length, 2);
    assert.ok(all.every((each) => each.segments === all[0]?.segments));
  });

  it('continue when one caller leaves, and are aborted when the last one has left', async () => {
    const answer = Promise.withResolvers<Partial<{ body: string }>>();
    const { engine, platform } = set(() => answer.promise);
    const [one, two] = [new AbortController(), new AbortController()];
    const first = engine.extract({ videoId: id, language: 'en' }, one);
    const second = engine.extract({ videoId: id, language: 'en' }, two);
    const reason = new Error('the caller is gone');
    one.abort(reason);
    await assert.rejects(first, reason);
    assert.equal(platform.asked[0]?.signal.aborted, false);
    two.abort(reason);
    await assert.rejects(second, reason);
    assert.equal(platform.asked[0]?.signal.aborted, true);
    platform.answerWith(captions());
    assert.equal((await engine.extract({ videoId: id, language: 'en' }, patient())).segments.length, 2);
  });
});

describe('an extraction', () => {
  it('ends at its deadline, whatever the platform does', async () => {
    const { engine, platform } = set(() => new Promise(() => {}), { deadlineMs: 400, requestTimeoutMs: 150 });
    await isRefused(engine.extract({ videoId: id, language: null }, patient()), 'PLATFORM_TIMEOUT', 'timeout');
    assert.ok(platform.asked.length <= 4);
  });

  it('retries transient failures, and only those', async () => {
    let calls = 0;
    const answer = captions();
    const { engine } = set((asked) => {
      calls += 1;
      return calls <= 3 ? { status: 503 } : answer(asked);
    });
    assert.equal((await engine.extract({ videoId: id, language: null }, patient())).segments.length, 2);
    assert.equal(calls, 5);
  });
});

describe('listing tracks', () => {
  it('takes one request and is cached', async () => {
    const { engine, platform } = set(captions('.en', 'a.en'));
    const listing = await engine.listTracks(id, patient());
    assert.deepEqual(
      listing.tracks.map(({ id: track, kind }) => [track, kind]),
      [
        ['.en', 'manual'],
        ['a.en', 'automatic'],
      ],
    );
    assert.equal(listing.defaultTrackId, '.en');
    assert.equal((await engine.listTracks(id, patient())).isCacheHit, true);
    assert.equal(platform.asked.length, 1);
  });

  it('is empty for a video that two clients report without captions', async () => {
    const { engine, platform } = set(() => ({ body: playerBody(id, []) }));
    assert.deepEqual((await engine.listTracks(id, patient())).tracks, []);
    assert.equal(platform.asked.length, 2);
    await isRefused(
      engine.extract({ videoId: id, language: null }, patient()),
      'TRANSCRIPT_NOT_AVAILABLE',
      'no_captions',
    );
    assert.equal(platform.asked.length, 2);
  });

  it('is refused like a reading', async () => {
    const { engine } = set(() => ({ body: unplayableBody('LOGIN_REQUIRED', 'This video is private') }));
    await isRefused(engine.listTracks(id, patient()), 'VIDEO_UNAVAILABLE', 'private');
  });
});

describe('health', () => {
  const notReloaded = unplayableBody('UNPLAYABLE', 'The page needs to be reloaded.');

  it('counts failures of the platform, not those of a video, and recovers', async () => {
    const { engine, platform, time } = set(() => ({ status: 403 }));
    for (let count = 1; count <= 3; count += 1) {
      time.move(1000);
      await refusal(engine.extract({ videoId: id, language: null }, patient()));
      assert.equal(engine.health().consecutiveFailures, count);
    }
    assert.equal(engine.health().lastFailureCode, 'PLATFORM_BLOCKED');
    assert.equal(engine.health().lastFailureAt, '2026-08-01T12:00:03.000Z');
    assert.equal(engine.health().failingSince, '2026-08-01T12:00:01.000Z');
    platform.answerWith(() => ({ body: unplayableBody('LOGIN_REQUIRED', 'This video is private') }));
    await refusal(engine.extract({ videoId: 'privatevide', language: null }, patient()));
    assert.equal(engine.health().consecutiveFailures, 3);
    platform.answerWith(captions());
    await engine.extract({ videoId: id, language: null }, patient());
    assert.equal(engine.health().consecutiveFailures, 0);
    assert.equal(engine.health().failingSince, null);
    assert.equal(engine.health().lastSuccessAt, '2026-08-01T12:00:03.000Z');
  });

  it('ignores aborted readings', async () => {
    const { engine } = set(() => new Promise(() => {}));
    const caller = new AbortController();
    const work = engine.extract({ videoId: id, language: null }, caller);
    caller.abort();
    await assert.rejects(work);
    assert.equal(engine.health().consecutiveFailures, 0);
  });

  // S79: the probe, a thousand times
  it('has a probe that callers share, and that any answer of the platform satisfies', async () => {
    const { engine, platform } = set(() => ({ body: unplayableBody('ERROR', 'Video unavailable') }));
    const [one, ...others] = await Promise.all(Array.from({ length: 1_000 }, () => engine.probe()));
    assert.ok(one !== undefined && others.every((two) => two === one));
    assert.equal(await engine.probe(), one);
    assert.equal(platform.asked.length, 1);
    assert.deepEqual([one.ok, one.status, one.reason], [true, 200, null]);
    assert.equal(engine.health().lastProbe, one);
  });

  it('reports the first answered probe as the last success, until an extraction succeeds', async () => {
    const { engine, platform, time } = set(() => new PlatformFault('timeout'), { probeSharedMs: 0, probeVideoId: id });
    await engine.probe();
    assert.equal(engine.health().lastSuccessAt, null);
    platform.answerWith(captions());
    const { checkedAt } = await engine.probe();
    assert.equal(engine.health().lastSuccessAt, checkedAt);
    time.move(1000);
    await engine.probe();
    assert.equal(engine.health().lastSuccessAt, checkedAt);
    await engine.extract({ videoId: id, language: null }, patient());
    assert.equal(engine.health().lastSuccessAt, '2026-08-01T12:00:01.000Z');
  });

  it('has a probe that fails at a block, a captcha and a silent platform', async () => {
    for (const [answer, status, reason] of [
      [{ status: 403 }, 403, 'egress_refused'],
      [{ status: 429, body: '<html><div class="g-recaptcha"></html>' }, 429, 'bot_check'],
      [{ body: '<!doctype html><html></html>' }, 200, 'shape'],
      [new PlatformFault('timeout'), 0, 'timeout'],
    ] as const) {
      const { engine } = set(() => answer);
      const probe = await engine.probe();
      assert.deepEqual([probe.ok, probe.status, probe.reason], [false, status, reason]);
    }
  });

  for (const [name, answer, status, reason] of [
    [
      'the client is retired',
      { status: 400, body: '{"error":{"status":"FAILED_PRECONDITION"}}' },
      ...([400, 'client_retired'] as const),
    ],
    ['the client is wanted to prove itself', { body: notReloaded }, 200, 'token_required'],
    ['the client is given another video', { body: playerBody(id, []) }, 200, 'wrong_video'],
    ['the answer has another shape', { body: '{"somethingNew":{}}' }, 200, 'shape'],
    ['there is no such address', { status: 404, body: 'not found' }, 404, 'shape'],
  ] as const)
    it(`has a probe that reports that ${name}, which is not a fault of the egress`, async () => {
      const { engine } = set(() => answer);
      const probe = await engine.probe();
      assert.deepEqual([probe.ok, probe.status, probe.reason], [true, status, reason]);
    });

  it('has a probe that fails if something other than the platform answers', async () => {
    for (const answer of [{ status: 302, location: 'http://portal.example/' }, { body: 'hello' }]) {
      const { engine } = set(() => answer);
      assert.equal((await engine.probe()).ok, false);
    }
  });

  it('accepts a probe that contains the status alone', async () => {
    const { engine } = set(() => ({ body: '{"playabilityStatus":{"status":"OK"}}' }));
    assert.equal((await engine.probe()).ok, true);
  });
});
