import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestAccount, type TestApp } from '#test/support/app.ts';
import { jsonIn, refusalIn, type TranscriptJson } from '#test/support/response-json.ts';
import { parseSrt } from '#test/transcripts/formats/parse-srt.ts';
import { parseVtt } from '#test/transcripts/formats/parse-vtt.ts';

let app: TestApp;
let account: TestAccount;

const get = (path: string) => app.get(`/v1/transcripts/${path}`, { key: account.key });
const textOf = async (path: string): Promise<string> => {
  const answer = await get(path);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return text;
};

describe('transcripts over HTTP', () => {
  before(async () => {
    app = await startTestApp();
    account = await app.createAccount({ plan: 'scale' });
  });
  after(() => app[Symbol.asyncDispose]());

  describe('GET /v1/transcripts/{videoId}', () => {
    it('returns a Transcript with every field, with its charge and its proof in the headers', async () => {
      const answer = await get(samples.regional);
      const { segments, ...about } = await jsonIn<TranscriptJson>(answer);
      assert.deepEqual(about, {
        video_id: samples.regional,
        title: 'The colour of tea',
        channel: 'Two Sugars',
        channel_id: 'UCtwosugars0000000000001',
        url: `https://www.youtube.com/watch?v=${samples.regional}`,
        duration: 40,
        language: 'en-GB',
        requested_language: null,
        source: 'manual',
        segment_count: 10,
      });
      assert.equal(segments.length, 10);
      assert.deepEqual(segments[0], { text: 'Right, put the kettle on, would you?', start: 0.4, duration: 2.25 });
      assert.equal(answer.headers.get('Content-Type'), 'application/json; charset=utf-8');
      assert.equal(answer.headers.get('X-Transcript-Language'), 'en-GB');
      assert.equal(answer.headers.get('X-Transcript-Source'), 'manual');
      assert.equal(answer.headers.get('X-Credits-Charged'), '1');
      assert.match(answer.headers.get('X-Credits-Event') ?? '', /^[0-9a-f-]{36}$/);
      assert.match(answer.headers.get('X-Request-ID') ?? '', /^req_[0-9a-f]{32}$/);
      assert.equal(answer.headers.get('X-RateLimit-Limit'), '1500');
      assert.match(answer.headers.get('X-RateLimit-Remaining') ?? '', /^\d+$/);
      assert.match(answer.headers.get('X-RateLimit-Reset') ?? '', /^\d{10}$/);
    });

    it('asks the platform at most twice for a first reading, and not at all for the next', async () => {
      const before = app.simulator.requests.length;
      await textOf(samples.namedTwice);
      assert.ok(app.simulator.requests.length - before <= 2);
      const asked = app.simulator.requests.length;
      for (const format of ['json', 'txt', 'srt', 'vtt', 'markdown']) {
        await textOf(`${samples.namedTwice}?format=${format}`);
      }
      assert.equal(app.simulator.requests.length, asked);
      assert.ok(app.simulator.requests.every(({ endpoint }) => endpoint !== 'page'));
    });

    it('returns the text as one line per caption, with times only on request', async () => {
      const answer = await get(`${samples.regional}?format=txt`);
      assert.equal(answer.headers.get('Content-Type'), 'text/plain; charset=utf-8');
      const lines = (await answer.text()).trimEnd().split('\n');
      assert.equal(lines.length, 10);
      assert.equal(lines[1], 'Today we settle the colour of a proper cup of tea.');
      const timed = await textOf(`${samples.regional}?format=txt&timestamps=true`);
      assert.equal(timed.split('\n')[4], '[00:13] Milk first, and the cup stays four degrees cooler.');
    });

    it('returns SRT and VTT that keep the timing of the JSON to the millisecond', async () => {
      const json = JSON.parse(await textOf(samples.prose)) as TranscriptJson;
      const times = json.segments.map(({ text, start, duration }) => [
        text,
        Math.round(start * 1000),
        Math.round((start + duration) * 1000),
      ]);
      const srt = await get(`${samples.prose}?format=srt`);
      assert.equal(srt.headers.get('Content-Type'), 'application/x-subrip; charset=utf-8');
      const vtt = await get(`${samples.prose}?format=vtt`);
      assert.equal(vtt.headers.get('Content-Type'), 'text/vtt; charset=utf-8');
      for (const cues of [parseSrt(await srt.text()), parseVtt(await vtt.text())]) {
        assert.deepEqual(
          cues.map(({ text, startMs, endMs }) => [text, startMs, endMs]),
          times,
        );
      }
    });

    it('returns Markdown under both of its names, in which markup characters stay text', async () => {
      const markdown = await get(`${samples.edgeCases}?format=markdown`);
      assert.equal(markdown.headers.get('Content-Type'), 'text/markdown; charset=utf-8');
      const text = await markdown.text();
      assert.equal(await textOf(`${samples.edgeCases}?format=md`), text);
      assert.match(text, /^# Edges &amp; &lt;corners&gt;/);
      assert.doesNotMatch(text, /<script|(?<!\\)\]\(javascript:/);
      assert.match(text, /\n\\- thank you \\\[Applause\\\] - for a &lt;b and c&gt; d\n/);
    });

    it('removes notes and cues in every format, and keeps what is sung and said', async () => {
      const json = JSON.parse(await textOf(`${samples.lyrics}?clean=true`)) as TranscriptJson;
      const texts = json.segments.map(({ text }) => text);
      assert.equal(json.segment_count, texts.length);
      assert.equal(texts[0], 'The boats are painted blue and white');
      assert.ok(texts.includes('Thank you! You are very kind.'));
      assert.ok(texts.every((text) => !/[♪♫]|\[|\(laughs\)/u.test(text)));
      for (const format of ['txt', 'srt', 'vtt', 'md']) {
        const cleaned = await textOf(`${samples.lyrics}?clean=true&format=${format}`);
        assert.doesNotMatch(cleaned, /[♪♫]|\[Music|\[Applause|\(laughs\)/u);
        assert.match(cleaned, /The boats are painted blue and white/);
      }
      assert.match(await textOf(`${samples.lyrics}?format=txt`), /♪ The boats/u);
    });

    it('adds timestamps to JSON, SRT, VTT and Markdown too if they are requested', async () => {
      const json = JSON.parse(await textOf(`${samples.regional}?timestamps=1`)) as TranscriptJson;
      assert.equal(json.segments[0]?.text, '[00:00] Right, put the kettle on, would you?');
      for (const format of ['srt', 'vtt', 'md']) {
        const timed = await textOf(`${samples.regional}?timestamps=true&format=${format}`);
        assert.match(timed, /00:13/);
      }
    });

    it('accepts body=true and answers in the given format', async () => {
      const plain = await textOf(`${samples.regional}?format=txt`);
      assert.equal(await textOf(`${samples.regional}?format=txt&body=true`), plain);
    });

    it('finds a language in any case and with its region, manual before automatic', async () => {
      const languages: readonly (readonly [string, string, string])[] = [
        [`${samples.manyLanguages}?lang=de`, 'de', 'manual'],
        [`${samples.manyLanguages}?lang=ZH-HANS`, 'zh-Hans', 'manual'],
        [`${samples.manyLanguages}?lang=en`, 'en', 'manual'],
        [`${samples.manyLanguages}?lang=ja`, 'ja', 'manual'],
        [`${samples.manyLanguages}?lang=ar`, 'ar', 'manual'],
        [`${samples.regional}?lang=en`, 'en-GB', 'manual'],
        [`${samples.onlyAutomatic}`, 'en', 'platform_auto'],
      ];
      for (const [path, language, source] of languages) {
        const answer = await get(path);
        const json = await jsonIn<TranscriptJson>(answer);
        assert.deepEqual([path, json.language, json.source], [path, language, source]);
        assert.equal(answer.headers.get('X-Transcript-Language'), language);
        assert.equal(json.requested_language, new URLSearchParams(path.split('?')[1]).get('lang'));
      }
    });

    it('never returns a language other than the requested one', async () => {
      for (const path of [`${samples.manyLanguages}?lang=fr`, `${samples.regional}?lang=en-US`]) {
        assert.deepEqual(await refusalIn(await get(path)), [404, 'LANGUAGE_NOT_AVAILABLE', '0']);
      }
      const answer = await get(`${samples.regional}?lang=fr`);
      const { error } = (await answer.json()) as { error: { details: object } };
      assert.deepEqual(error.details, { ...error.details, requested: 'fr', available: ['en-GB'] });
    });

    it('accepts links of every form instead of the id', async () => {
      const links = [
        `https://www.youtube.com/watch?v=${samples.regional}&t=30s`,
        `https://youtu.be/${samples.regional}`,
        `https://www.youtube.com/shorts/${samples.regional}`,
        `youtube.com/embed/${samples.regional}`,
      ];
      for (const link of links) {
        const json = await jsonIn<TranscriptJson>(await get(encodeURIComponent(link)));
        assert.equal(json.video_id, samples.regional, link);
      }
      const bare = await jsonIn<TranscriptJson>(await get(`https://youtu.be/${samples.regional}`));
      assert.equal(bare.video_id, samples.regional);
    });

    it('refuses unknown parameters, and charges nothing', async () => {
      const paths: readonly (readonly [string, string])[] = [
        ['format=pdf', 'INVALID_REQUEST'],
        ['timestamps=maybe', 'INVALID_REQUEST'],
        ['clean=yes', 'INVALID_REQUEST'],
        ['lang=en%27%20OR%201=1--', 'INVALID_REQUEST'],
        ['lang=..%2F', 'INVALID_REQUEST'],
        ['lang=en&lang=de', 'INVALID_REQUEST'],
      ];
      for (const [query, code] of paths) {
        assert.deepEqual(await refusalIn(await get(`${samples.regional}?${query}`)), [400, code, '0']);
      }
      for (const id of ['..%2F..%2Fetc', 'constructor', 'x%00yyyyyyyyy', '%F0%9F%98%80'.repeat(11)]) {
        assert.deepEqual(await refusalIn(await get(id)), [400, 'INVALID_VIDEO_ID', '0']);
      }
      for (const link of [
        'http://127.0.0.1/x',
        `https://evil.example/watch?v=${samples.regional}`,
        `//evil.example/${samples.regional}`,
        `https://youtube.com@evil.example/watch?v=${samples.regional}`,
        `https://www.youtube.com.evil.example/watch?v=${samples.regional}`,
      ]) {
        assert.deepEqual(await refusalIn(await get(encodeURIComponent(link))), [400, 'INVALID_VIDEO_ID', '0']);
      }
    });
  });

  describe('GET /v1/transcripts/{videoId}/raw', () => {
    it('returns the captions as the platform sent them, with every track and their source', async () => {
      const answer = await get(`${samples.lyrics}/raw`);
      const raw = await jsonIn<Record<string, unknown>>(answer);
      assert.deepEqual(Object.keys(raw).sort(), [
        'cache_hit',
        'content_sha256',
        'fetched_at',
        'metadata',
        'provider',
        'segments',
        'track',
        'tracks',
        'video_id',
      ]);
      assert.equal(raw['provider'], 'youtube');
      assert.deepEqual(raw['track'], { language: 'en', name: 'English', kind: 'manual', translatable: true });
      assert.match(String(raw['content_sha256']), /^[0-9a-f]{64}$/);
      assert.ok(JSON.stringify(raw['segments']).includes('♪ They wait below the hill ♪'));
      assert.equal(answer.headers.get('X-Credits-Charged'), '1');
      assert.equal(answer.headers.get('X-Transcript-Source'), 'manual');
    });

    it('returns the requested language, or none', async () => {
      const raw = await jsonIn<{ track: { language: string } }>(await get(`${samples.manyLanguages}/raw?lang=es`));
      assert.equal(raw.track.language, 'es');
      assert.deepEqual(await refusalIn(await get(`${samples.manyLanguages}/raw?lang=fr`)), [
        404,
        'LANGUAGE_NOT_AVAILABLE',
        '0',
      ]);
      assert.deepEqual(await refusalIn(await get(`${samples.deleted}/raw`)), [404, 'VIDEO_NOT_FOUND', '0']);
    });
  });

  describe('GET /v1/transcripts/{videoId}/languages', () => {
    it('lists the languages free of charge', async () => {
      const answer = await get(`${samples.manyLanguages}/languages`);
      assert.equal(answer.headers.get('X-Credits-Charged'), '0');
      const { tracks, ...listed } = await jsonIn<{ available: string[]; tracks: object[] }>(answer);
      assert.equal(tracks.length, 7);
      assert.deepEqual(
        { ...listed, available: [...listed.available].sort() },
        {
          video_id: samples.manyLanguages,
          available: ['ar', 'de', 'en', 'es', 'ja', 'zh-Hans'],
          default: 'en',
          has_captions: true,
        },
      );
    });

    it('says that a video without captions has none', async () => {
      assert.deepEqual(await jsonIn(await get(`${samples.noCaptions}/languages`)), {
        video_id: samples.noCaptions,
        available: [],
        default: null,
        has_captions: false,
        tracks: [],
      });
      assert.deepEqual(await refusalIn(await get(samples.noCaptions)), [404, 'TRANSCRIPT_NOT_AVAILABLE', '0']);
    });
  });

  describe('a video that cannot be read', () => {
    const states: readonly (readonly [string, number, string])[] = [
      [samples.deleted, 404, 'VIDEO_NOT_FOUND'],
      [samples.private, 404, 'VIDEO_UNAVAILABLE'],
      [samples.ageRestricted, 404, 'VIDEO_UNAVAILABLE'],
      [samples.membersOnly, 404, 'VIDEO_UNAVAILABLE'],
      [samples.regionBlocked, 404, 'VIDEO_UNAVAILABLE'],
      [samples.upcoming, 404, 'TRANSCRIPT_NOT_AVAILABLE'],
      [samples.live, 404, 'TRANSCRIPT_NOT_AVAILABLE'],
      [samples.emptyTrack, 404, 'TRANSCRIPT_NOT_AVAILABLE'],
      [samples.botCheck, 429, 'PLATFORM_BLOCKED'],
      [samples.tryLater, 429, 'PLATFORM_RATE_LIMITED'],
    ];
    for (const [videoId, status, code] of states) {
      it(`${videoId} is answered ${status} ${code}, and costs nothing`, async () => {
        const answer = await get(videoId);
        const retryAfter = answer.headers.get('Retry-After');
        assert.deepEqual(await refusalIn(answer), [status, code, '0']);
        assert.equal(retryAfter !== null, status === 429);
      });
    }
  });
});
