import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startEdge } from '#test/support/http.ts';
import { longestTurnMs, unread } from '#test/support/unread-socket.ts';

describe('pipelined requests', () => {
  for (const [what, request, count] of [
    ['liveness', 'GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n', 20_000],
    ['requests without a host', 'GET /x HTTP/1.1\r\n\r\n', 20_000],
    ['empty lines', '\r\n\r\n', 200_000],
    [
      'a body of empty lines',
      `POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 800000\r\n\r\n${'\r\n\r\n'.repeat(200_000)}`,
      1,
    ],
  ] as const) {
    // Time of the processor in this thread: other programs of the machine do not count.
    // S92: thousands of requests, or of chunks, at once on one connection
    it(`let liveness answer others within 100 ms on 40 connections: ${what}`, async () => {
      await using edge = await startEdge({ onAnswered: () => undefined });
      const bytes = request.repeat(count);
      const attackers = Array.from({ length: 40 }, () => unread(edge.port, bytes));
      for (const { socket } of attackers) socket.resume();
      const waitedMs: number[] = [];
      for (let turn = 0; turn < 40; turn += 1) {
        const before = process.threadCpuUsage();
        assert.equal((await edge.get('/api/health', {})).status, 200);
        const { user, system } = process.threadCpuUsage(before);
        waitedMs.push((user + system) / 1_000);
      }
      for (const attacker of attackers) attacker[Symbol.dispose]();
      // A tenth of them may have held a garbage collection.
      const p90 = waitedMs.toSorted((a, b) => a - b)[36] ?? 0;
      assert.ok(p90 < 100, `${p90} ms`);
    });
  }

  for (const [what, chunks] of [
    ['empty lines', `10000\r\n${'\r\n\r\n'.repeat(0x4000)}\r\n`.repeat(4)],
    ['one byte in each chunk', '1\r\n \r\n'.repeat(40_000)],
  ] as const) {
    // S92: thousands of requests, or of chunks, at once on one connection
    it(`share the event loop with a chunked body: ${what}`, async () => {
      await using edge = await startEdge({ onAnswered: () => undefined });
      const head = 'POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
      const attackers = Array.from({ length: 40 }, () => unread(edge.port, head + chunks));
      const longest = await longestTurnMs(80);
      for (const attacker of attackers) attacker[Symbol.dispose]();
      assert.ok(longest < 60, `${longest} ms`);
    });
  }
});
