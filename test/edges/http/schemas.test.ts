import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { operations } from '#src/contract/operations.ts';
import { recognitionPrice } from '#src/contract/transcripts.ts';
import { endpoints } from '#src/edges/http/routes.ts';

/** The module that uses the text checks it and refuses it with its own message, before any lookup. */
const readByTheirModules = [
  'videoId',
  'playlistId',
  'channelId',
  'token of /feeds/:token',
  'id of /v1/ledger/:id',
  'id of /v1/ledger/:id/proof',
  'id of /api/account/ledger/:id',
];

describe('text that the database does not accept', () => {
  it('is refused in every id of a path before any query', () => {
    const lenient = endpoints.flatMap(({ method, path, params }) =>
      Object.entries(params?.shape ?? {})
        .filter(([, schema]) => (schema as z.ZodType).safeParse('a\0b').success)
        .map(([name]) => ({ name, path, where: `${method} ${path}` })),
    );
    const unknown = lenient.filter(
      ({ name, path }) => !readByTheirModules.includes(name) && !readByTheirModules.includes(`${name} of ${path}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('is refused in what a job or a webhook stores of its request', () => {
    const bodyOf = (id: string): z.ZodType => endpoints.find((endpoint) => endpoint.id === id)?.body ?? z.undefined();
    const of = (id: string, body: object) => bodyOf(id).safeParse(body).success;
    const url = 'https://example.org/hook';

    for (const name of ['ids', 'video_ids', 'urls']) {
      assert.ok(of('createJob', { [name]: ['abc'] }));
      assert.ok(!of('createJob', { [name]: ['a\0b'] }));
    }
    assert.ok(of('createWebhook', { url, description: 'mine' }));
    assert.ok(!of('createWebhook', { url, description: 'mi\0ne' }));
  });
});

describe('a time in a request', () => {
  const members = endpoints.flatMap(({ id, query, body }) =>
    [query, body].flatMap((part) =>
      part instanceof z.ZodObject ? Object.entries(part.shape).map(([name, schema]) => ({ id, name, schema })) : [],
    ),
  );
  const times = members.filter(
    ({ schema }) => schema.safeParse('2026-01-31T00:00:00Z').success && !schema.safeParse('none at all').success,
  );

  it('is read with any offset as the same time in UTC, and refused without one or outside the years 1 to 9999', () => {
    assert.ok(times.length > 5);
    for (const { id, name, schema } of times) {
      assert.equal(schema.safeParse('2026-01-31T00:30:00+01:00').data, '2026-01-30T23:30:00.000Z', `${id} ${name}`);
      for (const wrong of ['2026-01-31T00:00:00', '2026-01-31', '0000-12-31T00:00:00Z', '9999-12-31T23:59:59-01:00']) {
        assert.equal(schema.safeParse(wrong).error?.issues.length, 1, `${id} ${name}: ${wrong}`);
      }
    }
  });
});

describe('the description of an endpoint that can recognize speech', () => {
  it('says what that costs where it says what a transcript costs', () => {
    const ofTranscripts = endpoints.filter(
      (endpoint) =>
        !operations.some(({ name }) => 'operation' in endpoint && name === endpoint.operation) &&
        [endpoint.query, endpoint.body].some((part) => part instanceof z.ZodObject && 'asr' in part.shape),
    );
    const priced = ofTranscripts.flatMap(({ description = '' }) =>
      /\b1 credit\b/.test(description) ? description : [],
    );
    assert.ok(priced.length > 3);
    for (const text of priced) assert.match(text, new RegExp(`\\b${recognitionPrice} if speech was recognized`));
  });
});
