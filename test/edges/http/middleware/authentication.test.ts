import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorOf, holder, key, say, startEdge } from '#test/support/http.ts';

const path = '/v1/ledger/e1';

describe('the key of a request', () => {
  it('is taken from Authorization, in any case of the scheme, and from X-API-Key', async () => {
    const secrets: string[] = [];
    await using edge = await startEdge({
      queries: {
        findKeyHolder: async (secret) => {
          secrets.push(secret);
          return holder;
        },
      },
    });
    await edge.get(path, { Authorization: `Bearer ${key}` });
    await edge.get(path, { Authorization: `bearer   ${key}` });
    await edge.get(path, { 'X-API-Key': key });
    assert.deepEqual(secrets, [key, key, key]);
  });

  for (const [what, headers] of [
    ['no key', {}],
    ['an empty Bearer', { Authorization: 'Bearer ' }],
    ['another scheme', { Authorization: `Basic ${key}` }],
    ['a key without scheme', { Authorization: key }],
    ['two keys in one header', { Authorization: `Bearer ${key} ${key}` }],
    // S4: one character more, another case, lookalike characters
    ['letters outside ASCII', { Authorization: 'Bearer k\u00e9y' }],
    ['a key of 10 kB', { Authorization: `Bearer ${'a'.repeat(10_000)}` }],
    ['an unknown key', { Authorization: 'Bearer unknown' }],
    ['a good key with one character more', { Authorization: `Bearer ${key}x` }],
    ['a good key with its case flipped', { Authorization: `Bearer ${key.toUpperCase()}` }],
    // S5: a key in the query or in a cookie
    ['a cookie with the key', { Cookie: `session=${key}; api_key=${key}` }],
    // S6: two headers, the first malformed
    ['a malformed Authorization before a good X-API-Key', { Authorization: 'x', 'X-API-Key': key }],
    ['an empty Authorization before a good X-API-Key', { Authorization: '', 'X-API-Key': key }],
  ] as const) {
    // S1: no key, an empty one, another scheme, one with a line break
    it(`is not found in ${what}: 401 with the headers of every response`, async () => {
      await using edge = await startEdge();
      const answer = await edge.get(path, headers);
      assert.equal(answer.status, 401);
      const { code, request_id } = await errorOf(answer);
      assert.equal(code, 'INVALID_API_KEY');
      assert.equal(request_id, answer.headers.get('x-request-id'));
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/);
      assert.equal(answer.headers.get('x-ratelimit-limit'), '60');
      assert.equal(answer.headers.has('x-credits-charged'), false);
      assert.equal(edge.failures.length, 0);
    });
  }

  // S5: a key in the query or in a cookie
  it('is never read from the query, nor written to the log', async () => {
    await using edge = await startEdge();
    const answer = await edge.get(`${path}?api_key=${key}&access_token=${key}`, {});
    assert.equal(answer.status, 401);
    await answer.text();
    await edge.get('/api/health', {});
    assert.equal(JSON.stringify(edge.answered).includes(key), false);
  });

  // S1: no key, an empty one, another scheme, one with a line break
  it('cannot contain a line break', async () => {
    await using edge = await startEdge();
    const told = await say(
      edge.port,
      `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\n\rX: y\r\n\r\n`,
    );
    assert.match(told, /^HTTP\/1\.1 40[01] /);
  });

  it('is checked before the body is read', async () => {
    await using edge = await startEdge();
    const told = await say(
      edge.port,
      'POST /v1/transcripts HTTP/1.1\r\nHost: a\r\nContent-Type: text/xml\r\nContent-Length: 999999\r\n\r\n',
    );
    assert.match(told, /^HTTP\/1\.1 401 /);
  });

  it('allows only the operations of its scopes, and all operations without scopes', async () => {
    await using edge = await startEdge({
      queries: { findKeyHolder: async (secret) => ({ ...holder, scopes: secret === key ? [] : ['jobs'] }) },
    });
    assert.equal((await edge.get(path)).status, 404);
    const answer = await edge.get(path, { 'X-API-Key': 'narrow' });
    assert.equal(answer.status, 403);
    assert.deepEqual((await errorOf(answer)).details, { required: 'usage' });
  });
});
