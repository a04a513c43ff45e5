import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { platformHttp } from '#src/adapters/platform/platform-http.ts';
import { PlatformFault, type PlatformRequest } from '#src/extraction/platform.ts';

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

const serverOf = async (answer: Answering) => {
  const server: Server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

const wanted = (over: Partial<PlatformRequest> = {}): PlatformRequest => ({
  method: 'GET',
  url: 'https://www.youtube.com/api/timedtext?v=dQw4w9WgXcQ&sparams=ip,v&$fields=a(b)&name=%C3%A4',
  headers: { 'user-agent': 'test' },
  body: null,
  maxBytes: 1_000_000,
  ...over,
});
const options = (timeoutMs = 2_000, signal = new AbortController().signal) => ({ signal, timeoutMs });
const isFault = (kind: string) => (error: unknown) => error instanceof PlatformFault && error.kind === kind;

const withPlatform = async (
  answer: Answering,
  body: (platform: ReturnType<typeof platformHttp>, origin: string) => Promise<void>,
) => {
  await using server = await serverOf(answer);
  const platform = platformHttp({ origin: server.origin, proxies: [] });
  try {
    await body(platform, server.origin);
  } finally {
    await platform.close();
  }
};

describe('the platform over HTTP', () => {
  it('sends every request to the configured origin with path and query unchanged, and names the original host', () =>
    withPlatform(
      (request, response) => {
        response.end(`${request.url}\n${request.headers['x-forwarded-host']}\n${request.method}`);
      },
      async (platform) => {
        const { body, status, egress } = await platform.request(wanted(), options());
        assert.deepEqual(body.split('\n'), [
          '/api/timedtext?v=dQw4w9WgXcQ&sparams=ip,v&$fields=a(b)&name=%C3%A4',
          'www.youtube.com',
          'GET',
        ]);
        assert.deepEqual([status, egress, platform.mode], [200, 'direct', 'fixture']);
      },
    ));

  for (const [encoding, encode] of [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)
    it(`reads ${encoding}`, () =>
      withPlatform(
        (_, response) => {
          response.setHeader('content-encoding', encoding).end(encode(Buffer.from('{"ä":1}')));
        },
        async (platform) => {
          assert.equal((await platform.request(wanted(), options())).body, '{"ä":1}');
        },
      ));

  it('cuts off a body of 50 MB', () =>
    withPlatform(
      (_, response) => {
        const chunk = Buffer.alloc(1_000_000, 'a');
        let left = 50;
        const push = () => {
          while (left > 0 && !response.destroyed) {
            left -= 1;
            if (!response.write(chunk)) return response.once('drain', push);
          }
          return response.end();
        };
        push();
      },
      async (platform) => {
        await assert.rejects(platform.request(wanted(), options()), isFault('too_large'));
      },
    ));

  it('cuts off a small body that unpacks to a large one', () =>
    withPlatform(
      (_, response) => {
        response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(20_000_000)));
      },
      async (platform) => {
        await assert.rejects(platform.request(wanted(), options()), isFault('too_large'));
      },
    ));

  it('times out before the response and within it', () =>
    withPlatform(
      (request, response) => {
        if (request.url?.includes('slow')) response.write('a');
      },
      async (platform) => {
        await assert.rejects(platform.request(wanted(), options(40)), isFault('timeout'));
        const slow = wanted({ url: 'https://www.youtube.com/slow' });
        await assert.rejects(platform.request(slow, options(40)), isFault('timeout'));
      },
    ));

  it('ends with the reason of an aborted call, and closes the connection', async () => {
    const closed = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    await withPlatform(
      (request) => {
        request.on('close', () => closed.resolve());
        arrived.resolve();
      },
      async (platform) => {
        const caller = new AbortController();
        const work = platform.request(wanted(), options(5_000, caller.signal));
        const reason = new Error('gone');
        await arrived.promise;
        caller.abort(reason);
        await assert.rejects(work, reason);
        await closed.promise;
      },
    );
  });

  it('tells a reset, a truncated body and a refused connection apart', async () => {
    await withPlatform(
      (request, response) => {
        if (request.url?.includes('cut')) {
          response.setHeader('content-length', '100').write('a');
          setImmediate(() => response.destroy());
        } else request.socket.destroy();
      },
      async (platform) => {
        await assert.rejects(platform.request(wanted(), options()), isFault('connection'));
        const cut = wanted({ url: 'https://www.youtube.com/cut' });
        await assert.rejects(platform.request(cut, options()), isFault('connection'));
      },
    );
    const nobody = platformHttp({ origin: 'http://127.0.0.1:1', proxies: [] });
    await assert.rejects(nobody.request(wanted(), options()), isFault('unreachable'));
    await nobody.close();
    const nowhere = platformHttp({ origin: 'https://nowhere.invalid', proxies: [] });
    await assert.rejects(nowhere.request(wanted(), options()), isFault('unreachable'));
    await nowhere.close();
  });

  it('does not follow redirects and passes on how long to wait', () =>
    withPlatform(
      (request, response) => {
        if (request.url?.includes('ever')) {
          response.setHeader('retry-after', '99999999').writeHead(429).end();
        } else if (request.url?.includes('date')) {
          response.setHeader('date', 'Sat, 01 Aug 2026 12:00:00 GMT');
          response.setHeader('retry-after', 'Sat, 01 Aug 2026 12:01:30 GMT').writeHead(429).end();
        } else response.writeHead(302, { location: 'https://www.google.com/sorry/', 'retry-after': '7' }).end();
      },
      async (platform) => {
        const found = await platform.request(wanted(), options());
        assert.deepEqual([found.status, found.location, found.retryAfterS], [302, 'https://www.google.com/sorry/', 7]);
        const dated = await platform.request(wanted({ url: 'https://www.youtube.com/date' }), options());
        assert.equal(dated.retryAfterS, 90);
        const ever = wanted({ url: 'https://www.youtube.com/ever' });
        assert.equal((await platform.request(ever, options())).retryAfterS, 30 * 24 * 3_600);
      },
    ));

  it('keeps its connections open', async () => {
    const sockets = new Set<unknown>();
    await withPlatform(
      (request, response) => {
        sockets.add(request.socket);
        response.end('ok');
      },
      async (platform) => {
        for (let count = 0; count < 10; count += 1) await platform.request(wanted(), options());
        assert.ok(sockets.size <= 2);
      },
    );
  });

  it('uses proxies in turn and avoids one that the platform blocks', async () => {
    const used: string[] = [];
    const proxy = (name: string) =>
      serverOf((request, response) => {
        used.push(name);
        response.end(`${name} ${request.url}`);
      });
    await using one = await proxy('one');
    await using two = await proxy('two');
    await using origin = await serverOf((_, response) => response.end('nobody'));
    const platform = platformHttp({ origin: origin.origin, proxies: [one.origin, two.origin] });
    const first = await platform.request(wanted(), options());
    await platform.request(wanted(), options());
    assert.deepEqual(new Set(used), new Set(['one', 'two']));
    assert.equal(platform.penalize(first.egress, 60_000), true);
    for (let count = 0; count < 4; count += 1)
      assert.notEqual((await platform.request(wanted(), options())).egress, first.egress);
    const other = first.egress === 'proxy-1' ? 'proxy-2' : 'proxy-1';
    assert.equal(platform.penalize(other, 120_000), false);
    assert.equal((await platform.request(wanted(), options())).egress, first.egress);
    await platform.close();
  });

  it('refuses when too many requests wait already', async () => {
    await using server = await serverOf(() => {});
    const limits = { concurrency: 1, requestsPerSecond: null, burst: 1, queue: 1 };
    const platform = platformHttp({ origin: server.origin, proxies: [], limits });
    const caller = new AbortController();
    const waiting = [1, 2].map(() => platform.request(wanted(), options(5_000, caller.signal)));
    await assert.rejects(platform.request(wanted(), options()), isFault('busy'));
    caller.abort();
    await Promise.allSettled(waiting);
    await platform.close();
  });

  it('refuses an origin without TLS outside the loopback, and a proxy of an unknown kind', () => {
    for (const origin of ['http://example.com', 'ftp://127.0.0.1', 'nonsense', 'http://127.0.0.1.evil.io'])
      assert.throws(() => platformHttp({ origin, proxies: [] }), /origin of the platform/);
    assert.throws(() => platformHttp({ origin: null, proxies: ['socks5://x'] }), /proxy/);
    const modes = [
      platformHttp({ origin: null, proxies: [] }).mode,
      platformHttp({ origin: null, proxies: ['http://127.0.0.1:3128'] }).mode,
      platformHttp({ origin: 'https://example.com', proxies: [] }).mode,
    ];
    assert.deepEqual(modes, ['direct', 'proxy', 'fixture']);
  });
});
