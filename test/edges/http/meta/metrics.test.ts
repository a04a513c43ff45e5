import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
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
    it(`${where} is for this machine itself, and for callers with the token`, async () => {
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
