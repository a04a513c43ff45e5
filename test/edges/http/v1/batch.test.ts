import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Commands } from '#src/commands.ts';
import { errorOf, startEdge, transcript, videoId } from '#test/support/http.ts';

const reading = () => {
  const inputs: Parameters<Commands['readBatch']>[1][] = [];
  const readBatch: Commands['readBatch'] = async (_, input) => {
    inputs.push(input);
    return {
      creditsCharged: 1,
      eventId: 'evt_9',
      items: [
        {
          reference: videoId,
          videoId,
          status: 'complete',
          transcript,
          text: input.format === 'json' ? null : `as ${input.format}`,
          creditsCharged: 1,
          chargeId: 'chg_1',
        },
        {
          reference: 'nonsense',
          videoId: null,
          status: 'failed',
          code: 'INVALID_VIDEO_ID',
          message: 'Not a video.',
          details: { reason: 'malformed', retryable: false },
          creditsCharged: 0,
          chargeId: null,
        },
      ],
    };
  };
  return { inputs, commands: { readBatch } };
};

describe('POST /v1/transcripts', () => {
  it('returns one result per id, each with its own status and charge', async () => {
    const { commands, inputs } = reading();
    await using edge = await startEdge({ commands });
    const answer = await edge.post('/v1/transcripts', { ids: [videoId, 'nonsense'], lang: 'en' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('x-credits-charged'), '1');
    assert.equal(answer.headers.get('x-credits-event'), 'evt_9');
    const body = (await answer.json()) as { results: Record<string, unknown>[] };
    assert.deepEqual(
      { ...body, results: body.results.map(({ transcript: _, ...rest }) => rest) },
      {
        requested: 2,
        succeeded: 1,
        failed: 1,
        credits_charged: 1,
        results: [
          {
            id: videoId,
            video_id: videoId,
            status: 'complete',
            text: null,
            error_code: null,
            error_message: null,
            error_details: null,
            credits_charged: 1,
            charge_id: 'chg_1',
          },
          {
            id: 'nonsense',
            video_id: null,
            status: 'failed',
            text: null,
            error_code: 'INVALID_VIDEO_ID',
            error_message: 'Not a video.',
            error_details: { reason: 'malformed', retryable: false },
            credits_charged: 0,
            charge_id: null,
          },
        ],
      },
    );
    assert.deepEqual(inputs, [
      { references: [videoId, 'nonsense'], language: 'en', format: 'json', timestamps: false, clean: false },
    ]);
  });

  it('returns each transcript in the format of the request too', async () => {
    const { commands, inputs } = reading();
    await using edge = await startEdge({ commands });
    const wanted = { ids: [videoId, 'nonsense'], format: 'md', timestamps: true };
    const answer = await edge.post('/v1/transcripts', wanted);
    const { results } = (await answer.json()) as { results: { text: string | null }[] };
    assert.deepEqual(
      results.map(({ text }) => text),
      ['as markdown', null],
    );
    assert.equal(inputs[0]?.timestamps, true);
  });

  it('ignores fields it does not know, whatever they claim', async () => {
    const { commands, inputs } = reading();
    await using edge = await startEdge({ commands });
    const body = `{"ids":["a"],"credits_charged":0,"account_id":"acc_2","__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}`;
    const answer = await edge.post('/v1/transcripts', body);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('x-credits-charged'), '1');
    assert.deepEqual(Object.keys(inputs[0] ?? {}), ['references', 'language', 'format', 'timestamps', 'clean']);
    assert.equal(Reflect.get({}, 'isAdmin'), undefined);
  });

  it('treats an empty text as one wrong item, not as a wrong batch', async () => {
    const { commands, inputs } = reading();
    await using edge = await startEdge({ commands });
    const answer = await edge.post('/v1/transcripts', { ids: [videoId, ''] });
    assert.equal(answer.status, 200);
    assert.deepEqual(inputs[0]?.references, [videoId, '']);
  });

  it('says that a text is not a list, and nothing about its length', async () => {
    const { commands } = reading();
    await using edge = await startEdge({ commands });
    const answer = await edge.post('/v1/transcripts', { ids: 'a'.repeat(51) });
    assert.deepEqual((await errorOf(answer)).details, {
      fields: [{ path: 'ids', code: 'invalid_type', message: 'must be a list' }],
    });
  });

  for (const [what, body, message] of [
    ['no ids', {}, 'ids is not valid: it must be given'],
    ['an empty list', { ids: [] }, 'ids is not valid: must have at least 1 entry'],
    ['51 ids', { ids: Array.from({ length: 51 }, () => videoId) }, 'ids is not valid: must have at most 50 entries'],
    ['ids of another type', { ids: { '0': 'a' } }, 'ids is not valid: must be a list'],
    ['a number for an id', { ids: [1] }, 'ids.0 is not valid: must be a text'],
    ['an id of 10 kB', { ids: ['a'.repeat(10_000)] }, 'ids.0 is not valid: must have at most 2048 characters'],
    ['clean as a string', { ids: ['a'], clean: 'true' }, 'clean is not valid: must be true or false'],
    [
      'a language that is none',
      { ids: ['a'], lang: '../' },
      'lang is not valid: must be a language code such as en or pt-BR',
    ],
    ['a list as the body', [], 'body is not valid: must be a JSON object'],
    ['null as the body', 'null', 'body is not valid: must be a JSON object'],
  ] as const) {
    // S50: too many ids, deep JSON, JSON with a duplicate name
    it(`refuses ${what}, says what it takes and charges nothing`, async () => {
      const { commands, inputs } = reading();
      await using edge = await startEdge({ commands });
      const answer = await edge.post('/v1/transcripts', body);
      assert.equal(answer.status, 400);
      const error = await errorOf(answer);
      assert.deepEqual([error.code, error.message], ['INVALID_REQUEST', message]);
      assert.equal(answer.headers.get('x-credits-charged'), '0');
      assert.equal(inputs.length, 0);
      assert.deepEqual(
        edge.failures.map(({ operation, code }) => [operation, code]),
        [['batch', 'INVALID_REQUEST']],
      );
    });
  }
});
