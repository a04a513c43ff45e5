import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
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
