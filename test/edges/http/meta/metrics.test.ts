import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import { describe, it, mock } from 'node:test';
import { mayRead } from '#src/edges/http/meta/metrics.ts';
import { createMetricsServer } from '#src/edges/http/metrics-server.ts';
import { startEdge } from '#test/support/http.ts';
import { planted } from '#test/support/leaks.ts';

const token = planted('metrics-token-4vWq8sKx2LpR7tYb');
const access = { token, read: async () => 'up 1\n' };

const startServer = async () => {
  const server = createMetricsServer(access);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** What a proxy on this machine passes on: its peer is loopback, its caller is not. */
const passedOn = { 'X-Forwarded-For': '203.0.113.7' };
const bearing = (text: string) => ({ Authorization: `Bearer ${text}` });

describe('GET /metrics', () => {
  for (const [where, start] of [
    ['beside the API', () => startEdge({ metrics: access })],
    ['of a worker', startServer],
  ] as const) {
    // S89: `/metrics` behind a proxy, with a wrong token or none
    it(`${where} is served to this machine, and to callers with the token`, async () => {
      await using server = await start();
      for (const [headers, status] of [
        [{}, 200],
        [{ ...passedOn, ...bearing(token) }, 200],
        [passedOn, 403],
        [{ Via: '1.1 cache', ...bearing(`${token}0`) }, 403],
        [{ Forwarded: 'for=127.0.0.1', ...bearing('') }, 403],
        [{ 'X-Real-IP': '127.0.0.1', Authorization: `Basic ${token}` }, 403],
      ] as const) {
        const answer = await fetch(`${server.url}/metrics`, { headers });
        const text = await answer.text();
        assert.equal(answer.status, status, JSON.stringify(headers));
        assert.equal(text === 'up 1\n', status === 200, text);
        assert.equal(answer.headers.get('Cache-Control'), 'no-store');
      }
      const { headers } = await fetch(`${server.url}/metrics?x=1`);
      assert.match(headers.get('Content-Type') ?? '', /^text\/plain; version=0\.0\.4/);
    });
  }

  // S89: `/metrics` from another machine, with forged headers
  it('is refused to other machines without the token, whatever address they claim', () => {
    const mayReadFrom = (remoteAddress: string, headers: Record<string, string> = {}) => {
      const socket = { remoteAddress } as Socket;
      return mayRead(access, { socket, headers });
    };
    for (const peer of ['203.0.113.7', '10.0.0.5', '::ffff:192.168.1.9', '2001:db8::1', '']) {
      assert.equal(mayReadFrom(peer), false, peer);
      for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via', 'host', 'origin']) {
        assert.equal(mayReadFrom(peer, { [name]: '127.0.0.1' }), false, `${peer}, ${name}`);
      }
      assert.equal(mayReadFrom(peer, { authorization: `Bearer ${token}` }), true);
    }
  });

  // S89: guessing the token of `/metrics` by its timing
  it('compares a token as digests of one length, in constant time', () => {
    const compared: number[] = [];
    const { timingSafeEqual } = crypto;
    mock.method(crypto, 'timingSafeEqual', (given: Buffer, wanted: Buffer) => {
      compared.push(given.length, wanted.length);
      return timingSafeEqual(given, wanted);
    });
    syncBuiltinESMExports();
    const socket = { remoteAddress: '203.0.113.7' } as Socket;
    const given = [token, `${token}0`, token.slice(0, -1), 'x', token.toUpperCase()];
    const taken = given.map((text) => mayRead(access, { socket, headers: { authorization: `Bearer ${text}` } }));
    mock.reset();
    syncBuiltinESMExports();
    assert.deepEqual(taken, [true, false, false, false, false]);
    assert.deepEqual(compared, Array(2 * given.length).fill(32));
  });

  // S89: `/metrics` behind a proxy, with a wrong token or none
  it('is refused to forwarded requests if no token is set', async () => {
    await using edge = await startEdge({ metrics: { ...access, token: null } });
    for (const headers of [passedOn, { ...passedOn, ...bearing('null') }]) {
      assert.equal((await fetch(`${edge.url}/metrics`, { headers })).status, 403);
    }
  });

  it('is the only path of a worker', async () => {
    await using worker = await startServer();
    assert.equal((await fetch(`${worker.url}/api/health`)).status, 404);
    assert.equal((await fetch(`${worker.url}/metrics`, { method: 'POST' })).status, 404);
  });
});
