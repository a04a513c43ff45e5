import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { operations } from '#src/contract/operations.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';

/*
 * Every INVALID_REQUEST has one shape, whether the parser, a schema, a route handler or a module refuses.
 */

type Field = { readonly path: string; readonly code: string; readonly message: string };
type ErrorBody = { readonly error: { readonly code: string; readonly details: { readonly fields: readonly Field[] } } };

/** The name of the member; written out, an object with it would look like a promise to the linter. */
const following = 'then';

let app: TestApp;
let key: string;

const get = (path: string, headers: Record<string, string> = {}) => app.get(path, { key, headers });
const post = (path: string, body: unknown) => app.post(path, body, { key });
/** A body as it is, under the headers of one in JSON. */
const sent = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${app.url}/v1/jobs`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    body,
  });

const asked: readonly (readonly [what: string, request: () => Promise<Response>, path: string, code: string])[] = [
  ['a parameter of another type', () => get('/v1/usage?days=none'), 'days', 'invalid_format'],
  ['a parameter twice', () => get('/v1/usage?days=1&days=2'), 'days', 'duplicated'],
  ['a broken address', () => get('/v1/transcripts/%E0%A4%A'), 'url', 'malformed'],
  ['an address too long', () => get(`/v1/usage?x=${'x'.repeat(8_200)}`), 'url', 'too_long'],
  ['a playlist that is none', () => get('/v1/playlists/no-such-thing!'), 'playlistId', 'malformed'],
  ['a channel that is none', () => get('/v1/channels/%20'), 'channelId', 'malformed'],
  [
    'a playlist to read that is none',
    () => post('/v1/playlists/no-such-thing!/transcripts', {}),
    'playlistId',
    'malformed',
  ],
  ['a member of another type', () => post('/v1/jobs', { ids: 'one' }), 'ids', 'invalid_type'],
  ['a body that is no object', () => post('/v1/jobs', []), 'body', 'invalid_type'],
  ['no body', () => sent(''), 'body', 'missing'],
  ['no JSON', () => sent('{'), 'body', 'malformed'],
  ['no UTF-8', () => sent(new Uint8Array([0x22, 0xff, 0x22])), 'body', 'malformed'],
  ['a name twice', () => sent('{"ids":[],"ids":[]}'), 'body', 'malformed'],
  ['no gzip', () => sent('{}', { 'Content-Encoding': 'gzip' }), 'body', 'malformed'],
  [
    'an idempotency key with a space',
    () => sent('{"ids":["lighthouse1"]}', { 'Idempotency-Key': 'a b' }),
    'Idempotency-Key',
    'malformed',
  ],
  [
    'too many playlists for a job',
    () =>
      post('/v1/jobs', {
        kind: 'playlist',
        ids: Array.from({ length: 60 }, (_, n) => `PL${String(n).padStart(32, '0')}`),
      }),
    'ids',
    'too_big',
  ],
  [
    'a webhook at a private address',
    () => post('/v1/webhooks', { url: 'https://127.0.0.1/hook' }),
    'url',
    'blocked_address',
  ],
  [
    'a job that tells a private address',
    () => post('/v1/jobs', { ids: ['lighthouse1'], webhook_url: 'https://127.0.0.1/hook' }),
    'webhook_url',
    'blocked_address',
  ],
];

const fieldsIn = (body: string): readonly Field[] => {
  const { error } = JSON.parse(body) as ErrorBody;
  assert.equal(error.code, 'INVALID_REQUEST', body);
  assert.ok(error.details.fields.length > 0, body);
  for (const { path, code, message } of error.details.fields) {
    assert.ok(path !== '' && code !== '' && message !== '', body);
  }
  return error.details.fields;
};

describe('an invalid request', () => {
  before(async () => {
    app = await startTestApp();
    ({ key } = await app.createAccount());
  });
  after(() => app[Symbol.asyncDispose]());

  for (const [what, request, path, code] of asked) {
    it(`is answered with the name of its invalid part: ${what}`, async () => {
      const answer = await request();
      const body = await answer.text();
      assert.equal(answer.status, 400, body);
      const [first] = fieldsIn(body);
      assert.deepEqual([first?.path, first?.code], [path, code], body);
    });
  }

  it('is answered in the same way if the HTTP parser refuses it before routing', async () => {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    socket.end('NONSENSE\r\n\r\n');
    const answer = await text(socket);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    const [first] = fieldsIn(answer.slice(answer.indexOf('{')));
    assert.deepEqual([first?.path, first?.code], ['request', 'malformed']);
  });

  it('names the operations there are for one that does not exist', async () => {
    const answer = await post('/v1/jobs', { ids: ['lighthouse1'], [following]: [{ operation: 'raw' }] });
    const { error } = (await answer.json()) as ErrorBody;
    const [field] = error.details.fields;
    assert.equal(field?.path, 'then.0.operation');
    const names = operations.map(({ name }) => name);
    assert.equal(field?.message, `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
  });
});
