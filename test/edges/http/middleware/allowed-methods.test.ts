import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openApiText } from '#src/edges/http/routes.ts';
import { bearer, errorOf, say, startEdge } from '#test/support/http.ts';

type Reference = {
  paths: Record<
    string,
    Record<string, { parameters: { name: string; in: string }[]; responses: Record<string, { headers?: object }> }>
  >;
};

const paths = [
  ['/v1/transcripts/x', 'GET, OPTIONS'],
  ['/v1/transcripts/x/raw', 'GET, OPTIONS'],
  ['/v1/transcripts/x/languages', 'GET, OPTIONS'],
  ['/v1/transcripts', 'POST, OPTIONS'],
  ['/v1/playlists/x', 'GET, OPTIONS'],
  ['/v1/usage', 'GET, HEAD, OPTIONS'],
  ['/v1/ledger', 'GET, HEAD, OPTIONS'],
  ['/v1/ledger/e1', 'GET, HEAD, OPTIONS'],
  ['/api/health', 'GET, HEAD, OPTIONS'],
  ['/api/status', 'GET, HEAD, OPTIONS'],
  ['/openapi.json', 'GET, HEAD, OPTIONS'],
] as const;

describe('a method that a path does not know', () => {
  for (const [path, allow] of paths) {
    it(`is 405 at ${path}, and Allow names ${allow}`, async () => {
      await using edge = await startEdge();
      for (const method of ['PUT', 'DELETE', 'PATCH']) {
        const answer = await fetch(edge.url + path, { method, headers: bearer });
        assert.equal(answer.status, 405);
        assert.equal(answer.headers.get('allow'), allow);
        assert.equal((await errorOf(answer)).code, 'METHOD_NOT_ALLOWED');
      }
      const trace = await say(edge.port, `TRACE ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      assert.match(trace, /^HTTP\/1\.1 405 /);
      assert.equal(edge.failures.length, 0);
    });
  }

  // S54: other methods
  it('is 405 at every path, and OPTIONS is 204', async () => {
    const limitsPerMinute = { ip: 500, public: 500, session: 500, visitor: 500 };
    await using edge = await startEdge({ settings: { limitsPerMinute } });
    const { paths: described } = JSON.parse(openApiText()) as {
      paths: Record<string, Record<string, { security?: readonly object[] }>>;
    };
    for (const [path, operations] of Object.entries(described)) {
      const known = Object.keys(operations).map((method) => method.toUpperCase());
      const hasNoHead = /^\/v1\/(transcripts|videos|playlists|channels|library\/search)/.test(path);
      const wanted = [...known, 'OPTIONS', ...(known.includes('GET') && !hasNoHead ? ['HEAD'] : [])];
      const url = edge.url + path.replaceAll(/\{\w+\}/g, 'x');
      for (const [method, status] of [
        ['PROPFIND', 405],
        ['OPTIONS', 204],
      ] as const) {
        const answer = await fetch(url, { method });
        assert.equal(answer.status, status, `${method} ${path}`);
        assert.deepEqual((answer.headers.get('allow') ?? '').split(', ').sort(), wanted.sort());
      }
    }
  });

  it('is detected before the key is checked', async () => {
    await using edge = await startEdge();
    assert.equal((await fetch(`${edge.url}/v1/usage`, { method: 'PUT' })).status, 405);
  });

  it('is HEAD where the platform would have to be asked for its headers', async () => {
    await using edge = await startEdge();
    const answer = await fetch(`${edge.url}/v1/transcripts/x`, { method: 'HEAD', headers: bearer });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get('allow'), 'GET, OPTIONS');
  });

  it('is not HEAD where the service answers by itself: the headers of the GET, and no charge', async () => {
    await using edge = await startEdge({ queries: { ledger: async () => ({ entries: [], nextBefore: null }) } });
    const url = `${edge.url}/v1/ledger`;
    const head = await fetch(url, { method: 'HEAD', headers: bearer });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('x-credits-charged'), '0');
    assert.equal(await head.text(), '');
    const get = await fetch(url, { headers: bearer });
    for (const name of ['content-type', 'content-length', 'cache-control']) {
      assert.equal(head.headers.get(name), get.headers.get(name));
    }
  });

  // S55: a method in a header
  it('cannot be overridden by a header', async () => {
    await using edge = await startEdge();
    const answer = await edge.get('/v1/ledger/e1', { ...bearer, 'X-HTTP-Method-Override': 'DELETE' });
    assert.equal(answer.status, 404);
    assert.equal((await errorOf(answer)).code, 'NOT_FOUND');
  });
});

describe('OPTIONS', () => {
  it('lets scripts of other origins call /v1, without a key and uncounted', async () => {
    await using edge = await startEdge();
    for (let at = 0; at < 65; at += 1) {
      const answer = await fetch(`${edge.url}/v1/transcripts`, {
        method: 'OPTIONS',
        headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' },
      });
      assert.equal(answer.status, 204);
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
      assert.equal(answer.headers.get('access-control-allow-methods'), 'POST, OPTIONS');
      assert.match(answer.headers.get('access-control-allow-headers') ?? '', /Idempotency-Key/);
    }
  });

  it('lets such scripts resume a stream of events where it ended', async () => {
    await using edge = await startEdge();
    const answer = await fetch(`${edge.url}/v1/jobs/x/events`, { method: 'OPTIONS' });
    assert.match(answer.headers.get('access-control-allow-headers') ?? '', /Last-Event-ID/);
  });

  it('lets such scripts read and send every header that the reference has under /v1', async () => {
    await using edge = await startEdge();
    const answer = await edge.get('/v1/jobs', bearer);
    const exposed = answer.headers.get('access-control-expose-headers')?.split(', ') ?? [];
    for (const [path, operations] of Object.entries((JSON.parse(openApiText()) as Reference).paths)) {
      if (!path.startsWith('/v1/')) continue;
      const options = await fetch(`${edge.url}${path.replaceAll(/[{}]/g, '')}`, { method: 'OPTIONS' });
      const allowed = options.headers.get('access-control-allow-headers')?.split(', ') ?? [];
      for (const { parameters, responses } of Object.values(operations)) {
        const sent = parameters.flatMap((one) => (one.in === 'header' ? [one.name] : []));
        assert.deepEqual(new Set(sent).difference(new Set(allowed)), new Set(), path);
        const read = Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers));
        assert.deepEqual(new Set(read).difference(new Set(exposed)), new Set(), path);
      }
    }
  });

  it('of the server itself (`*`) names all methods', async () => {
    await using edge = await startEdge();
    const answer = await say(edge.port, 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.match(answer, /^HTTP\/1\.1 204 /);
    const allow = /\r\nAllow: ([A-Z, ]+)\r\n/.exec(answer)?.[1] ?? '';
    assert.deepEqual(allow.split(', ').sort(), ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST']);
    assert.doesNotMatch(answer, /access-control-allow-origin/i);
  });

  it('names the methods elsewhere and opens nothing', async () => {
    await using edge = await startEdge();
    const answer = await fetch(`${edge.url}/api/health`, { method: 'OPTIONS' });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS');
    assert.equal(answer.headers.has('access-control-allow-origin'), false);
  });
});

describe('an unknown path', () => {
  const paths = ['/v1', '/v1/', '/v1/nothing', '/V1/usage', '/v1/transcripts/x/other', '/x'];
  // What operators do is done on the command line: no port has it, with a key or without.
  const ofOperators = ['/admin', '/api/admin/replay', '/api/operator/grant', '/v1/admin/accounts'];
  for (const path of [...paths, ...ofOperators]) {
    // S82: requests for what only operators do
    it(`is 404 in the Error shape: ${path}`, async () => {
      await using edge = await startEdge();
      const answer = await edge.get(path);
      assert.equal(answer.status, 404);
      assert.equal((await errorOf(answer)).code, 'NOT_FOUND');
      assert.equal(edge.failures.length, 0);
    });
  }
});
