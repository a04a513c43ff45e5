import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LogUnavailableError } from '#src/eventlog/unavailable-error.ts';
import { bearer, errorOf, readReceipt, say, startEdge, transcript } from '#test/support/http.ts';

const everywhere = [
  '/v1/transcripts/x',
  '/v1/usage?days=0',
  '/v1/nothing',
  '/nothing',
  '/api/health',
  '/api/status',
  '/openapi.json',
];

describe('every response', () => {
  for (const path of everywhere) {
    // S76: security headers on every answer
    it(`of ${path} carries id, limits and the security headers, and no X-Powered-By`, async () => {
      await using edge = await startEdge();
      const { headers } = await edge.get(path);
      assert.match(headers.get('x-request-id') ?? '', /^req_[0-9a-f]{32}$/);
      for (const name of ['limit', 'remaining', 'reset']) {
        assert.match(headers.get(`x-ratelimit-${name}`) ?? '', /^\d+$/);
      }
      assert.match(headers.get('ratelimit') ?? '', /^"(key|ip|public)";r=\d+;t=\d+$/);
      assert.match(headers.get('ratelimit-policy') ?? '', /^"(key|ip|public)";q=\d+;w=60$/);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.has('x-powered-by'), false);
      assert.equal(headers.has('strict-transport-security'), false);
      assert.equal(headers.has('etag'), false);
    });
  }

  it('says https only where the service is reached by it', async () => {
    await using https = await startEdge({ settings: { publicUrl: 'https://steno.example' } });
    assert.match((await https.get('/nothing')).headers.get('strict-transport-security') ?? '', /max-age=\d+/);
    await using behind = await startEdge({ settings: { trustedProxies: ['127.0.0.0/8'] } });
    const forwarded = { 'X-Forwarded-Proto': 'https' };
    assert.ok((await behind.get('/nothing', forwarded)).headers.has('strict-transport-security'));
    await using direct = await startEdge();
    assert.equal((await direct.get('/nothing', forwarded)).headers.has('strict-transport-security'), false);
  });

  it('has the id that its caller gave', async () => {
    await using edge = await startEdge();
    const answer = await edge.get('/v1/nothing', { 'X-Request-ID': 'My.request-1_a' });
    assert.equal(answer.headers.get('x-request-id'), 'My.request-1_a');
    assert.equal((await errorOf(answer)).request_id, 'My.request-1_a');
  });

  for (const claimed of ['a'.repeat(65), '<script>', 'a b', 'é', ' ']) {
    // S74: `X-Request-ID` of a caller
    it(`gets a new request id instead of ${JSON.stringify(claimed)}`, async () => {
      await using edge = await startEdge();
      const answer = await edge.get('/v1/nothing', { 'X-Request-ID': claimed });
      assert.match(answer.headers.get('x-request-id') ?? '', /^req_[0-9a-f]{32}$/);
    });
  }

  it('may be read by scripts of any origin under /v1, and nowhere else', async () => {
    await using edge = await startEdge();
    const open = await edge.get('/v1/usage', { Origin: 'https://a.example' });
    assert.equal(open.status, 401);
    assert.equal(open.headers.get('access-control-allow-origin'), '*');
    assert.equal(open.headers.has('access-control-allow-credentials'), false);
    assert.match(open.headers.get('access-control-expose-headers') ?? '', /X-Credits-Charged/);
    const closed = await edge.get('/api/health', { Origin: 'https://a.example' });
    assert.equal(closed.headers.has('access-control-allow-origin'), false);
  });
});

describe('a request target that names the server too', () => {
  const ask = (target: string) => `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\n\r\n`;

  it('is the same as without it, even with a link in its path', async () => {
    const asked: string[] = [];
    await using edge = await startEdge({
      commands: {
        readTranscript: async (_, { reference }) => {
          asked.push(reference);
          return { ...readReceipt, transcript, text: null };
        },
      },
    });
    const link = 'https://youtu.be/dQw4w9WgXcQ';
    const told = await say(edge.port, ask(`http://a.example:80/v1/transcripts/${link}?clean=true`));
    assert.match(told, /^HTTP\/1\.1 200 /);
    assert.match(told, /Access-Control-Allow-Origin: \*/);
    assert.deepEqual(asked, [link]);
  });

  it('is the start page, with the headers of every response, if it has no path', async () => {
    await using edge = await startEdge();
    for (const target of ['http://', 'http://[', 'http://?limit=1', 'ftp://a']) {
      const told = await say(edge.port, ask(target));
      assert.match(told, /^HTTP\/1\.1 200 /, target);
      assert.match(told, /X-Request-ID: req_/);
      assert.match(told, /X-RateLimit-Remaining: \d+/);
      assert.match(told, /<!doctype html>/);
    }
  });
});

describe('a fault', () => {
  it('is 500 with one fixed sentence, and goes to the log whole', async () => {
    const error = new Error('SELECT secret FROM keys failed at 10.0.0.1');
    await using edge = await startEdge({
      commands: {
        readTranscript: async () => {
          throw error;
        },
      },
    });
    const answer = await edge.get('/v1/transcripts/x');
    assert.equal(answer.status, 500);
    const { code, message, details } = await errorOf(answer);
    assert.equal(code, 'INTERNAL_ERROR');
    assert.equal(message.includes('SELECT'), false);
    assert.equal(details, null);
    assert.equal(edge.faults[0]?.error, error);
    assert.equal(edge.faults[0]?.requestId, answer.headers.get('x-request-id'));
    assert.equal(edge.failures[0]?.code, 'INTERNAL_ERROR');
  });

  it('is a header that cannot be written, and the response is complete without it', async () => {
    const unwritable = { ...transcript, language: 'en\r\nSet-Cookie: session=1' };
    await using edge = await startEdge({
      commands: { readTranscript: async () => ({ ...readReceipt, transcript: unwritable, text: null }) },
    });
    const answer = await edge.get('/v1/transcripts/x');
    assert.equal(`${answer.status} ${answer.statusText}`, '500 Internal Server Error');
    assert.equal((await errorOf(answer)).code, 'INTERNAL_ERROR');
    assert.equal(answer.headers.get('x-credits-charged'), '0');
    assert.equal(answer.headers.has('set-cookie'), false);
    assert.equal(edge.answered[0]?.creditsCharged, 0);
  });

  it('changes no response if counting the failure fails or hangs', async () => {
    for (const recordFailure of [
      async () => {
        throw new Error('no database');
      },
      () => new Promise<void>(() => undefined),
    ]) {
      await using edge = await startEdge({ commands: { recordFailure } });
      assert.equal((await edge.get('/v1/transcripts/x?format=pdf')).status, 400);
    }
  });
});

describe('an unavailable database', () => {
  for (const [what, error] of [
    ['the log says so', new LogUnavailableError('appending', new Error('Connection terminated'))],
    ['its socket is refused', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['it shuts down', Object.assign(new Error('terminating connection'), { code: '57P01' })],
    ['it is the cause', new Error('x', { cause: Object.assign(new Error('y'), { code: '53300' }) })],
    ['no connection is free', new Error('timeout exceeded when trying to connect')],
  ] as const) {
    // S73: a database that is down
    it(`is 503 with Retry-After and without any text of the driver, when ${what}`, async () => {
      const fails = async () => {
        throw error;
      };
      await using edge = await startEdge({ queries: { findKeyHolder: fails, usage: fails } });
      const answer = await edge.get('/v1/usage');
      assert.equal(answer.status, 503);
      assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
      const { code, message } = await errorOf(answer);
      assert.equal(code, 'SERVICE_UNAVAILABLE');
      assert.equal(message.includes(error.message), false);
      assert.deepEqual(
        edge.faults.map(({ isOutage }) => isOutage),
        [true],
      );
    });
  }
});

describe('the bounds of the server', () => {
  it('refuse an address of more than 8 KiB', async () => {
    await using edge = await startEdge();
    const answer = await edge.get(`/v1/transcripts/${'a'.repeat(8_200)}`);
    assert.equal(answer.status, 400);
    assert.equal((await errorOf(answer)).code, 'INVALID_REQUEST');
  });

  it('answer 503 to work beyond the capacity of the process, but still answer liveness', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: free, resolve: finish } = Promise.withResolvers<void>();
    await using edge = await startEdge({
      settings: { maxInFlight: 1 },
      commands: {
        readTranscript: async () => {
          begin();
          await free;
          return { ...readReceipt, transcript, text: null };
        },
      },
    });
    const first = edge.get('/v1/transcripts/x');
    await begun;
    const second = await edge.get('/v1/transcripts/x');
    assert.equal(second.status, 503);
    assert.equal(second.headers.get('retry-after'), '1');
    assert.equal((await edge.get('/api/health', {})).status, 200);
    finish();
    assert.equal((await first).status, 200);
  });

  for (const [what, bytes] of [
    ['headers', 'GET /api/health HTTP/1.1\r\nHost: a\r\nX-Slow'],
    [
      'a body',
      `POST /v1/transcripts HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
    ],
  ] as const) {
    // S56: headers and bodies sent slowly
    it(`close a socket that sends ${what} slowly, and liveness answers meanwhile`, async () => {
      await using edge = await startEdge({ settings: { headersTimeoutMs: 100, requestTimeoutMs: 200 } });
      const slow = Promise.all(Array.from({ length: 50 }, () => say(edge.port, bytes, 5_000)));
      assert.equal((await edge.get('/api/health', {})).status, 200);
      for (const told of await slow) {
        assert.match(told, /^HTTP\/1\.1 408 /);
        assert.match(told, /"request_id":"req_/);
      }
    });
  }

  it('abort work at its timeout, with an error that says so', async () => {
    await using edge = await startEdge({
      settings: { timeLimitMs: 20 },
      commands: {
        readTranscript: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error('aborted')));
          }),
      },
    });
    const answer = await edge.get('/v1/transcripts/x');
    assert.equal(answer.status, 503);
    assert.equal((await errorOf(answer)).code, 'SERVICE_UNAVAILABLE');
    assert.equal(edge.faults.length, 0);
    assert.equal(edge.failures.length, 1);
  });
});

describe('a request that the HTTP parser refuses', () => {
  for (const [what, bytes, status] of [
    ['nonsense', 'hello\r\n\r\n', 400],
    ['two lengths', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    [
      'a length and chunks',
      'POST /v1/transcripts HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['headers of 20 kB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['no host', 'GET /api/health HTTP/1.1\r\n\r\n', 400],
    ['two hosts', 'GET /api/health HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', 400],
    [
      'two keys',
      `GET /v1/usage HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\nauthorization: Bearer x\r\n\r\n`,
      400,
    ],
    ['an unknown method', 'FOO /v1/usage HTTP/1.1\r\nHost: a\r\n\r\n', 405],
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
  ] as const) {
    // S51: a length and chunks at once, and other malformed HTTP
    it(`is told in the Error shape: ${what}`, async () => {
      await using edge = await startEdge();
      const told = await say(edge.port, bytes);
      assert.match(told, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.match(told, /\r\nX-Request-ID: req_/i);
      assert.match(told, /\r\nX-RateLimit-Remaining: \d+\r\n/i);
      assert.match(told, /\r\nX-Content-Type-Options: nosniff\r\n/i);
      const body = JSON.parse(told.slice(told.indexOf('\r\n\r\n') + 4));
      assert.deepEqual(Object.keys(body), ['error']);
    });
  }

  it('names the methods of the address for a method it does not know', async () => {
    await using edge = await startEdge();
    const told = await say(edge.port, 'FOO /v1/usage?x HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.match(told, /\r\nAllow: GET, HEAD, OPTIONS\r\n/);
  });

  for (const path of ['/v1/transcripts/%zz', '/v1/transcripts/%c3%28', '/%']) {
    it(`is told in the Error shape: ${path}`, async () => {
      await using edge = await startEdge();
      const told = await say(
        edge.port,
        `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\nConnection: close\r\n\r\n`,
      );
      assert.match(told, path === '/%' ? /^HTTP\/1\.1 40[04] / : /^HTTP\/1\.1 400 /);
      assert.match(told, /"request_id":"req_/);
    });
  }
});
