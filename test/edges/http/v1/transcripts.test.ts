import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Commands } from '#src/commands.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { errorOf, readReceipt, startEdge, transcript, videoId } from '#test/support/http.ts';

type Input = Parameters<Commands['readTranscript']>[1];

const reading = () => {
  const inputs: Input[] = [];
  const readTranscript: Commands['readTranscript'] = async (_, input) => {
    inputs.push(input);
    const text = input.format === 'json' ? null : `text in ${input.format}`;
    return { ...readReceipt, transcript, text };
  };
  return { inputs, commands: { readTranscript } };
};

describe('GET /v1/transcripts/{videoId}', () => {
  it('returns a transcript in JSON, with its charge', async () => {
    const { commands } = reading();
    await using edge = await startEdge({ commands });
    const answer = await edge.get(`/v1/transcripts/${videoId}`);

    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(answer.headers.get('x-transcript-language'), 'en-GB');
    assert.equal(answer.headers.get('x-transcript-source'), 'manual');
    assert.equal(answer.headers.get('x-credits-charged'), '1');
    assert.equal(answer.headers.get('x-credits-event'), 'evt_1');
    assert.equal(answer.headers.get('cache-control'), 'private, no-store');
    assert.deepEqual(await answer.json(), {
      video_id: videoId,
      title: 'A title',
      channel: 'A channel',
      channel_id: 'UC1',
      url: `https://www.youtube.com/watch?v=${videoId}`,
      duration: 12,
      language: 'en-GB',
      requested_language: 'en',
      source: 'manual',
      segment_count: 2,
      segments: [
        { text: 'first', start: 0, duration: 1.5 },
        { text: 'second', start: 1.5, duration: 1.734 },
      ],
    });
  });

  for (const [format, type, inside] of [
    ['txt', 'text/plain; charset=utf-8', 'txt'],
    ['srt', 'application/x-subrip; charset=utf-8', 'srt'],
    ['vtt', 'text/vtt; charset=utf-8', 'vtt'],
    ['markdown', 'text/markdown; charset=utf-8', 'markdown'],
    ['md', 'text/markdown; charset=utf-8', 'markdown'],
  ] as const) {
    it(`returns ${format} as ${type}`, async () => {
      const { commands, inputs } = reading();
      await using edge = await startEdge({ commands });
      const answer = await edge.get(`/v1/transcripts/${videoId}?format=${format}`);
      assert.equal(answer.headers.get('content-type'), type);
      assert.equal(await answer.text(), `text in ${inside}`);
      assert.equal(inputs[0]?.format, inside);
    });
  }

  for (const lang of ['en', 'pt-BR', 'zh-Hant-TW', 'es-419', 'en-eEY6OEpapPo', 'de-_aFG-b_c-D1', 'EN_gb']) {
    it(`accepts ${lang}, as it is listed among the languages of a video`, async () => {
      const { commands, inputs } = reading();
      await using edge = await startEdge({ commands });
      assert.equal((await edge.get(`/v1/transcripts/${videoId}?lang=${lang}`)).status, 200);
      assert.equal(inputs[0]?.language, lang);
    });
  }

  for (const lang of ['', 'x', '12', '-en', "en'--", 'en%00', 'en%20US', `en-${'a'.repeat(62)}`]) {
    it(`refuses ${JSON.stringify(lang.slice(0, 12))} as a language`, async () => {
      const { commands, inputs } = reading();
      await using edge = await startEdge({ commands });
      const answer = await edge.get(`/v1/transcripts/${videoId}?lang=${lang}`);
      assert.equal((await errorOf(answer)).code, 'INVALID_REQUEST');
      assert.deepEqual(inputs, []);
    });
  }

  it('passes on language, timestamps and clean, and lets body change nothing', async () => {
    const { commands, inputs } = reading();
    await using edge = await startEdge({ commands });
    await edge.get(`/v1/transcripts/${videoId}?lang=pt-BR&timestamps=true&clean=1&body=true&x=y`);
    assert.deepEqual(inputs, [
      { reference: videoId, language: 'pt-BR', format: 'json', timestamps: true, clean: true },
    ]);
  });

  const link = `https://www.youtube.com/watch?v=${videoId}`;
  for (const [path, reference, language] of [
    [encodeURIComponent(link), link, null],
    [`${encodeURIComponent(link)}?lang=de`, link, 'de'],
    [link, link, null],
    [`${link}&lang=de&list=PL1`, link, 'de'],
    [`${link}?lang=de`, link, 'de'],
    [`https://youtu.be/${videoId}?t=3?lang=de`, `https://youtu.be/${videoId}`, 'de'],
    [`https:/youtu.be/${videoId}?si=abc`, `https://youtu.be/${videoId}`, null],
    [`youtube.com/shorts/${videoId}`, `youtube.com/shorts/${videoId}`, null],
    [`https%3A//youtu.be/${videoId}`, `https://youtu.be/${videoId}`, null],
    ['%2e%2e%2fetc', '../etc', null],
  ] as const) {
    it(`reads ${path} as a reference`, async () => {
      const { commands, inputs } = reading();
      await using edge = await startEdge({ commands });
      const answer = await edge.get(`/v1/transcripts/${path}`);
      assert.equal(answer.status, 200);
      assert.equal(inputs[0]?.reference, reference);
      assert.equal(inputs[0]?.language, language);
    });
  }

  for (const query of [
    'format=pdf',
    'timestamps=maybe',
    'clean=',
    'body=yes',
    'lang=en&lang=de',
    'lang[]=de',
    "lang=' OR 1=1--",
    'lang=en;DROP',
    'lang=en-US;DROP',
    'lang=en-%22%3Cscript%3E',
    'lang=../',
    'lang=<script>',
    'lang=%zz',
    'lang=',
  ]) {
    // S47: languages that are SQL, paths or markup
    // S48: a parameter twice, or as a list
    it(`refuses ?${query} and charges nothing`, async () => {
      const { commands, inputs } = reading();
      await using edge = await startEdge({ commands });
      const answer = await edge.get(`/v1/transcripts/${videoId}?${query}`);
      assert.equal(answer.status, 400);
      const { code, details } = await errorOf(answer);
      assert.equal(code, 'INVALID_REQUEST');
      assert.ok(Array.isArray(details?.['fields']));
      assert.equal(answer.headers.get('x-credits-charged'), '0');
      assert.equal(inputs.length, 0);
      assert.equal(edge.failures[0]?.operation, 'transcript');
    });
  }

  it('ignores unknown parameters, even one in brackets with the name of an inherited member', async () => {
    await using edge = await startEdge(reading());
    const answer = await edge.get(`/v1/transcripts/${videoId}?nothing[]=1&constructor[]=1`);
    assert.equal(answer.status, 200);
  });

  it('names the parameter that it refuses, even one with the name of a body', async () => {
    await using edge = await startEdge(reading());
    const answer = await edge.get(`/v1/transcripts/${videoId}?body=yes`);
    assert.equal((await errorOf(answer)).message, 'body is not valid: must be true or false');
  });

  it('answers a refusal with its status, code and details, and counts it as failed', async () => {
    const details = { requested: 'fr', available: ['en', 'de'] };
    await using edge = await startEdge({
      commands: {
        readTranscript: async () => {
          throw new Refusal('LANGUAGE_NOT_AVAILABLE', 'No captions in "fr".', details);
        },
      },
    });
    const answer = await edge.get(`/v1/transcripts/${videoId}?lang=fr`);
    assert.equal(answer.status, 404);
    assert.deepEqual(await answer.json(), {
      error: {
        code: 'LANGUAGE_NOT_AVAILABLE',
        message: 'No captions in "fr".',
        request_id: answer.headers.get('x-request-id'),
        details,
      },
    });
    assert.equal(edge.failures.length, 1);
    assert.equal(edge.failures[0]?.code, 'LANGUAGE_NOT_AVAILABLE');
    assert.equal(edge.failures[0]?.call.accountId, 'acc_1');
  });

  for (const [code, status] of [
    ['INVALID_VIDEO_ID', 400],
    ['INSUFFICIENT_CREDITS', 402],
    ['VIDEO_NOT_FOUND', 404],
    ['VIDEO_UNAVAILABLE', 404],
    ['TRANSCRIPT_NOT_AVAILABLE', 404],
    ['PLATFORM_BLOCKED', 429],
    ['PLATFORM_RATE_LIMITED', 429],
    ['PLATFORM_CHANGED', 502],
    ['SERVICE_UNAVAILABLE', 503],
    ['PLATFORM_TIMEOUT', 504],
  ] as const) {
    it(`answers ${code} with ${status}`, async () => {
      await using edge = await startEdge({
        commands: {
          readTranscript: async () => {
            throw new Refusal(code, 'No.');
          },
        },
      });
      const answer = await edge.get(`/v1/transcripts/${videoId}`);
      assert.equal(answer.status, status);
      assert.equal(answer.headers.has('retry-after'), status === 429 || status === 503);
      assert.equal(answer.headers.get('x-credits-charged'), '0');
    });
  }

  it('treats two requests as two operations, although their caller gives them one request id', async () => {
    const keys: string[] = [];
    await using edge = await startEdge({
      commands: {
        readTranscript: async (call) => {
          keys.push(call.deduplicationKey);
          assert.equal(call.requestId, 'mine');
          return { ...readReceipt, transcript, text: null };
        },
      },
    });
    const headers = { Authorization: 'Bearer key-of-a-test', 'X-Request-ID': 'mine' };
    await edge.get(`/v1/transcripts/${videoId}`, headers);
    await edge.get(`/v1/transcripts/${videoId}`, headers);
    assert.equal(new Set(keys).size, 2);
  });

  it('aborts the work when its caller leaves', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
    await using edge = await startEdge({
      commands: {
        readTranscript: ({ signal }) => {
          begin();
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              abort();
              reject(new Error('aborted'));
            });
          });
        },
      },
    });
    const caller = new AbortController();
    const asked = fetch(`${edge.url}/v1/transcripts/${videoId}`, {
      headers: { Authorization: 'Bearer key-of-a-test' },
      signal: caller.signal,
    });
    await begun;
    caller.abort();
    await assert.rejects(asked);
    await aborted;
    assert.equal(edge.faults.length, 0);
    assert.equal(edge.failures.length, 0);
  });
});
