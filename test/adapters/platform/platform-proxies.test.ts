import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type EgressReport, egressReports } from '#src/adapters/platform/egress-reports.ts';
import { platformHttp } from '#src/adapters/platform/platform-http.ts';
import { PlatformFault, type PlatformRequest } from '#src/extraction/platform.ts';

/** A certificate for the names of the platform, and its key; nothing outside this process trusts it. */
const pem = readFileSync(resolve(import.meta.dirname, '../../support/tls/platform.pem'), 'utf8');
const tls = { cert: pem, key: pem };

type ProxyRequest = { readonly host: string | undefined; readonly path: string | undefined };
type Tunnel = { readonly target: string | undefined; readonly credentials: string | null };

/** What a proxy does with a tunnel: opens it, refuses it, or takes the connection and says nothing. */
type Manner = 'open' | 'refuse' | 'silent';

const listening = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

describe('proxies to the platform', () => {
  const seen: ProxyRequest[] = [];
  const told: EgressReport[] = [];
  const avoided: string[] = [];
  const ends: (() => void)[] = [];
  let platformPort = 0;
  const keep = (server: Server) => {
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => sockets.add(socket));
    ends.push(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return server;
  };

  before(async () => {
    setDefaultCACertificates([...getCACertificates('default'), pem]);
    const platform = createSecureServer(tls, ({ headers, url }, response) => {
      seen.push({ host: headers.host, path: url });
      assert.equal(headers['proxy-authorization'], undefined);
      response.end('captions');
    });
    platformPort = await listening(keep(platform));
  });
  after(() => {
    for (const end of ends) end();
  });
  beforeEach(() => {
    seen.length = 0;
    told.length = 0;
    avoided.length = 0;
  });

  /** A proxy of its own port; whatever host is asked for, its tunnels end at our platform. */
  const proxyOf = async (manner: Manner, secured: 'http' | 'https' = 'http') => {
    const tunnels: Tunnel[] = [];
    const server = secured === 'https' ? createSecureServer(tls) : createServer();
    server.on('connect', (request, socket: Socket) => {
      const header = request.headers['proxy-authorization'] ?? null;
      const credentials = header === null ? null : Buffer.from(header.slice('Basic '.length), 'base64').toString();
      tunnels.push({ target: request.url, credentials });
      socket.on('error', () => socket.destroy());
      if (manner === 'silent') return;
      if (manner === 'refuse') {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      const onward = connect(platformPort, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
    });
    const port = await listening(keep(server));
    return { tunnels, address: (who = '') => `${secured}://${who}127.0.0.1:${port}` };
  };
  const platformBehind = (...proxies: string[]) => {
    const platform = platformHttp({
      origin: null,
      proxies,
      onEgress: (report) => told.push(report),
      onAvoided: (why) => avoided.push(why),
    });
    ends.unshift(() => void platform.close());
    return platform;
  };
  const wanted: PlatformRequest = {
    method: 'GET',
    url: 'https://www.youtube.com/api/timedtext?v=dQw4w9WgXcQ&sparams=ip,v',
    headers: { 'user-agent': 'test' },
    body: null,
    maxBytes: 1_000,
  };
  const options = (timeoutMs = 3_000) => ({ signal: new AbortController().signal, timeoutMs });
  const isFault = (kind: string) => (error: unknown) => error instanceof PlatformFault && error.kind === kind;

  for (const secured of ['http', 'https'] as const)
    it(`carry a request through a tunnel of ${secured}, with their credentials and kept open`, async () => {
      const proxy = await proxyOf('open', secured);
      const platform = platformBehind(proxy.address('us%20er:p%40ss@'));
      for (let count = 0; count < 3; count += 1) {
        const answer = await platform.request(wanted, options());
        assert.deepEqual([answer.status, answer.body], [200, 'captions']);
      }
      assert.ok(proxy.tunnels.length <= 2);
      for (const tunnel of proxy.tunnels)
        assert.deepEqual(tunnel, { target: 'www.youtube.com:443', credentials: 'us er:p@ss' });
      const path = '/api/timedtext?v=dQw4w9WgXcQ&sparams=ip,v';
      assert.deepEqual(new Set(seen.map(({ host }) => host)), new Set(['www.youtube.com']));
      assert.deepEqual(new Set(seen.map((each) => each.path)), new Set([path]));
    });

  it('replace one that is unreachable and one that the platform refuses, which are not used for a while', async () => {
    const refusing = await proxyOf('refuse');
    const open = await proxyOf('open');
    const gone = 'http://127.0.0.1:1';
    const platform = platformBehind(gone, refusing.address('known:wrong@'), open.address());
    for (let count = 0; count < 6; count += 1)
      assert.equal((await platform.request(wanted, options())).egress, 'proxy-3');
    assert.equal(refusing.tunnels.length, 1);
    assert.deepEqual(
      told.toSorted((one, other) => one.egress.localeCompare(other.egress)),
      [
        ...[['proxy-1', gone, 'ECONNREFUSED'] as const],
        ...[['proxy-2', refusing.address(), 'the proxy answered 407'] as const],
      ].map(([egress, address, reason]) => ({
        ...{ egress, proxy: new URL(address).host, why: 'connection', reason },
        leftAloneMs: 30_000,
      })),
    );
    assert.doesNotMatch(JSON.stringify(told), /known|wrong/);
    for (const { credentials } of open.tunnels) assert.equal(credentials, null);
  });

  it('are not used by the next request if they took too long', async () => {
    const silent = await proxyOf('silent');
    const open = await proxyOf('open');
    const platform = platformBehind(open.address(), silent.address());
    const startedAt = performance.now();
    await assert.rejects(platform.request(wanted, options(150)), isFault('timeout'));
    assert.ok(performance.now() - startedAt < 2_000, 'its time ends while it is connecting');
    for (let count = 0; count < 4; count += 1)
      assert.equal((await platform.request(wanted, options())).egress, 'proxy-1');
    assert.equal(silent.tunnels.length, 1);
  });

  it('are tried once each before a request fails', async () => {
    const refusing = [await proxyOf('refuse'), await proxyOf('refuse')];
    const platform = platformBehind(...refusing.map((proxy) => proxy.address()));
    await assert.rejects(platform.request(wanted, options()), isFault('connection'));
    assert.deepEqual(
      refusing.map(({ tunnels }) => tunnels.length),
      [1, 1],
    );
  });

  it('are reported when the platform blocks them, and when they answer again', async () => {
    const open = await proxyOf('open');
    const platform = platformBehind(open.address('us%20er:p%40ss@'));
    // Each time counts, also within the minute in which it is told of once.
    platform.penalize('proxy-1', 1);
    platform.penalize('proxy-1', 1);
    assert.deepEqual(avoided, ['blocked', 'blocked']);
    for (let count = 0; count < 3; count += 1) await platform.request(wanted, options());
    const { host: proxy } = new URL(open.address());
    assert.deepEqual(told, [
      { egress: 'proxy-1', proxy, why: 'blocked', reason: null, leftAloneMs: 1 },
      { egress: 'proxy-1', proxy, why: null, reason: null, leftAloneMs: 0 },
    ]);
  });
});

describe('the log lines of an egress', () => {
  it('are at most one a minute for each, however often it fails and recovers', () => {
    let now = 0;
    const lines: string[] = [];
    const proxies = new Map([['proxy-1', 'http://token@proxy.example:3128']]);
    const tell = ({ egress, proxy, why }: EgressReport) => lines.push(`${egress} ${proxy} ${why}`);
    const reports = egressReports(proxies, tell, () => now);
    for (; now < 120_000; now += 1_000) {
      reports.broke('proxy-1', 'timeout', 10_000, new Error('http://token@proxy.example'));
      reports.broke('direct', 'connection', 30_000);
      if (now === 30_000) for (let count = 0; count < 5; count += 1) reports.answered('proxy-1');
    }
    assert.deepEqual(lines, [
      'proxy-1 proxy.example:3128 timeout',
      'direct null connection',
      'proxy-1 proxy.example:3128 null',
      'proxy-1 proxy.example:3128 timeout',
      'direct null connection',
    ]);
  });
});
