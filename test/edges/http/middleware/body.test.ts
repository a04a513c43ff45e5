import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { bearer, errorOf, type StartedEdge, say, startEdge } from '#test/support/http.ts';

const commands = { readBatch: async () => ({ creditsCharged: 0, eventId: null, items: [] }) };
const good = JSON.stringify({ ids: ['a'] });
const json = { 'Content-Type': 'application/json' };

const post = (edge: StartedEdge, body: Buffer | string, headers: Record<string, string> = json) =>
  fetch(`${edge.url}/v1/transcripts`, {
    method: 'POST',
    headers: { ...bearer, ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });

const padded = (bytes: number): string => good + ' '.repeat(bytes - good.length);

describe('the body of a request', () => {
  for (const [what, body, headers] of [
    ['plain JSON', good, json],
    ['JSON that names its charset', good, { 'Content-Type': 'application/json; charset=UTF-8' }],
    ['exactly 256 KiB', padded(262_144), json],
    ['gzip', gzipSync(good), { ...json, 'Content-Encoding': 'gzip' }],
    ['deflate', deflateSync(good), { ...json, 'Content-Encoding': 'deflate' }],
    ['br', brotliCompressSync(good), { ...json, 'Content-Encoding': 'br' }],
    ['64 levels', `{"ids":["a"],"x":${'['.repeat(63)}${']'.repeat(63)}}`, json],
    ['a character outside the first plane', '{"ids":["a"],"x":"\\ud83d\\ude00"}', json],
    ['the same name in two objects', '{"ids":["a"],"x":[{"y":1},{"y":{"y":","}}]}', json],
  ] as const) {
    it(`is read: ${what}`, async () => {
      await using edge = await startEdge({ commands });
      assert.equal((await post(edge, body, headers)).status, 200);
    });
  }

  for (const [what, body, headers, status] of [
    ['one byte too many', padded(262_145), json, 413],
    ['a megabyte', padded(1_000_000), json, 413],
    ['a gzip bomb', gzipSync(Buffer.alloc(50_000_000, 32)), { ...json, 'Content-Encoding': 'gzip' }, 413],
    ['broken gzip', 'nonsense', { ...json, 'Content-Encoding': 'gzip' }, 400],
    ['an unknown packing', good, { ...json, 'Content-Encoding': 'zip' }, 415],
    ['text/xml', good, { 'Content-Type': 'text/xml' }, 415],
    ['a form', 'ids=a', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
    ['another charset', good, { 'Content-Type': 'application/json; charset=utf-16' }, 415],
    ['nothing', '', json, 400],
    ['half of it', '{"ids":["a"', json, 400],
    ['Infinity', '{"ids":["a"],"x":Infinity}', json, 400],
    ['a comment', '{"ids":["a"]} // x', json, 400],
    ['UTF-16', Buffer.from(good, 'utf16le'), json, 400],
    ['a byte order mark', `\ufeff${good}`, json, 400],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), json, 400],
    ['half a character', '{"ids":["a"],"x":"\\ud83d"}', json, 400],
    ['a name given twice', '{"ids":["a"],"ids":["b"]}', json, 400],
    ['a name given twice, written differently', '{"ids":["a"],"\\u0069ds":["b"]}', json, 400],
    ['10,000 levels', `{"ids":["a"],"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, json, 400],
    ['100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000), json, 400],
  ] as const) {
    // S50: too many ids, deep JSON, JSON with a duplicate name
    // S51: bodies that are too large, compressed or endless
    // S52: malformed JSON
    it(`is refused with ${status}: ${what}`, async () => {
      await using edge = await startEdge({ commands });
      const answer = await post(edge, body, headers);
      assert.equal(answer.status, status);
      await errorOf(answer);
      assert.equal(answer.headers.get('x-credits-charged'), '0');
      assert.equal((await edge.get('/api/health', {})).status, 200);
    });
  }

  for (const [bytes, status] of [
    [262_144, 200],
    [262_145, 413],
  ] as const) {
    // S51: bodies that are too large, compressed or endless
    it(`is limited to 256 KiB without a Content-Length: ${bytes} bytes are ${status}`, async () => {
      await using edge = await startEdge({ commands });
      const body = padded(bytes);
      const told = await say(
        edge.port,
        `POST /v1/transcripts HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
        3_000,
      );
      assert.match(told, new RegExp(`^HTTP/1\\.1 ${status} `));
    });
  }

  // S53: other media types, or none
  it('is refused without a media type', async () => {
    await using edge = await startEdge({ commands });
    const told = await say(
      edge.port,
      `POST /v1/transcripts HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\nContent-Length: ${good.length}\r\n\r\n${good}`,
    );
    assert.match(told, /^HTTP\/1\.1 415 /);
  });

  it('is refused by its Content-Length, also with Expect: 100-continue', async () => {
    await using edge = await startEdge({ commands });
    const told = await say(
      edge.port,
      `POST /v1/transcripts HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\nContent-Type: application/json\r\nContent-Length: 262145\r\n\r\n`,
      3_000,
    );
    assert.match(told, /^HTTP\/1\.1 413 /);
    assert.match(told, /\r\nConnection: close\r\n/);
  });

  // S51: bodies that are too large, compressed or endless
  it('is cut off if it does not end, and its socket is closed', async () => {
    await using edge = await startEdge({ commands });
    const sent = request(`${edge.url}/v1/transcripts`, {
      method: 'POST',
      headers: { ...bearer, ...json, 'Transfer-Encoding': 'chunked' },
    });
    sent.on('error', () => undefined);
    const pour = setInterval(() => sent.write(' '.repeat(64_000)), 1);
    const [answer] = await once(sent, 'response');
    clearInterval(pour);
    assert.equal(answer.statusCode, 413);
    assert.equal(answer.headers.connection, 'close');
    answer.resume();
    await once(answer, 'close');
  });

  it('is incomplete when its sender closes: nothing is done', async () => {
    const { promise: read, resolve } = Promise.withResolvers<void>();
    await using edge = await startEdge({
      commands: {
        readBatch: async () => {
          resolve();
          return { creditsCharged: 0, eventId: null, items: [] };
        },
      },
    });
    await say(
      edge.port,
      `POST /v1/transcripts HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: ${bearer.Authorization}\r\nContent-Length: 500\r\n\r\n${good}`,
      50,
    );
    await edge.get('/api/health', {});
    assert.equal(await Promise.race([read.then(() => 'read'), 'not read']), 'not read');
  });
});
