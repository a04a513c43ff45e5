import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { bearer, readReceipt, startEdge, transcript } from '#test/support/http.ts';
import { longestTurnMs, unread } from '#test/support/unread-socket.ts';

const statusesOf = (told: string) => [...told.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

const ask = (path: string, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\n${more}\r\n`;

/** Until the connection is closed. */
const never = /(?!)/;

describe('pipelined requests', () => {
  it('are read one after the other, so that an idle connection holds one place in flight', async () => {
    const cues = Array.from({ length: 32 }, (_, at) => ({ text: 'x'.repeat(1024 * 1024), startMs: at, endMs: at + 1 }));
    const reading = Promise.withResolvers<void>();
    await using edge = await startEdge({
      settings: { maxInFlight: 5 },
      commands: {
        readTranscript: async () => {
          reading.resolve();
          return { transcript: { ...transcript, cues }, text: null, ...readReceipt };
        },
      },
    });
    using idle = unread(edge.port, ask('/v1/transcripts/x') + 'GET /x HTTP/1.1\r\n\r\n'.repeat(2_550));
    await reading.promise;
    await nextTurn();
    for (let turn = 0; turn < 20; turn += 1) {
      assert.equal((await edge.get('/openapi.json', {})).status, 200);
    }
    assert.equal(idle.socket.destroyed, false);
  });

  it('are all answered in order, wherever their bytes are divided', async () => {
    await using edge = await startEdge({
      commands: { readTranscript: async () => ({ transcript, text: null, ...readReceipt }) },
    });
    const body = '{"video_ids":"\r\n\r\n"}';
    const post =
      `POST /v1/transcripts HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\n` +
      'Content-Type: application/json\r\n';
    const chunks = `${post}Transfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    const all =
      ask('/v1/transcripts/x') +
      `${post}Content-Length: ${body.length}\r\n\r\n${body}` +
      `\r\n\r\n${chunks}` +
      ask('/nothing') +
      ask('/api/health') +
      ask('/v1/transcripts/x', 'Connection: upgrade\r\nUpgrade: h2c\r\n');
    for (const size of [1, 3, 7, 64, all.length]) {
      const socket = connect({ port: edge.port, host: '127.0.0.1', noDelay: true });
      let told = '';
      socket.on('data', (chunk: Buffer) => {
        told += chunk.toString('latin1');
      });
      const closed = once(socket, 'close');
      for (let at = 0; at < all.length; at += size) {
        socket.write(all.slice(at, at + size));
        await nextTurn();
      }
      await closed;
      assert.deepEqual(statusesOf(told), ['200', '400', '400', '404', '200', '200'], `${size}`);
    }
  });

  it('do not time out if the response before them takes longer than a request may take to arrive', async () => {
    const read = { transcript, text: null, ...readReceipt };
    for (const next of [
      ask('/api/health', `X-Long: ${'a'.repeat(3_000)}\r\n`),
      `${ask('/v1/transcripts', 'Content-Length: 9000\r\n').replace('GET', 'POST')}${' '.repeat(9_000)}`,
    ]) {
      await using edge = await startEdge({
        settings: { headersTimeoutMs: 50, requestTimeoutMs: 50 },
        commands: {
          readTranscript: async () => {
            await pause(300);
            return read;
          },
        },
      });
      using sent = unread(edge.port, ask('/v1/transcripts/x') + next + ask('/nothing'));
      const told = await sent.read(/(?:HTTP[\s\S]*?){3}/);
      assert.deepEqual(statusesOf(told), ['200', next.startsWith('GET') ? '200' : '415', '404']);
    }
  });

  it('are not begun after the first of them when its caller leaves', async () => {
    const begun = Promise.withResolvers<void>();
    let reads = 0;
    await using edge = await startEdge({
      commands: {
        readTranscript: async ({ signal }) => {
          reads += 1;
          begun.resolve();
          if (!signal.aborted) await once(signal, 'abort').catch(() => undefined);
          throw signal.reason;
        },
      },
      settings: { timeLimitMs: 200, headersTimeoutMs: 100 },
    });
    using left = unread(edge.port, ask('/v1/transcripts/x').repeat(20));
    await begun.promise;
    left.socket.resetAndDestroy();
    while (edge.answered.length === 0) await pause(5);
    while ((await edge.connections()) > 0) await pause(5);
    assert.equal(reads, 1);
  });

  for (const [what, first, status] of [
    ['its caller closes the connection', ask('/v1/transcripts/x', 'Connection: close\r\n'), '200'],
    ['it asks for an upgrade', ask('/v1/transcripts/x', 'Upgrade: h2c\r\n'), '200'],
    ['it is no HTTP', 'hello\r\n\r\n', '400'],
    [
      'its body is no HTTP',
      `${ask('/v1/transcripts', 'Transfer-Encoding: chunked\r\n').replace('GET', 'POST')}zz\r\n`,
      '400',
    ],
    ['it is a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', '405'],
  ] as const) {
    // S91: requests pipelined behind one whose answer closes the connection
    it(`are not begun, nor charged, behind a request whose response closes the connection: ${what}`, async () => {
      let reads = 0;
      await using edge = await startEdge({
        commands: {
          readTranscript: async () => {
            reads += 1;
            await pause(20);
            return { transcript, text: null, ...readReceipt };
          },
        },
      });
      const before = ask('/v1/transcripts/x');
      using sent = unread(edge.port, before + first + before.repeat(3));
      assert.deepEqual(statusesOf(await sent.read(never)), ['200', status]);
      assert.equal(reads, status === '200' ? 2 : 1);
    });
  }

  // S92: thousands of requests, or of chunks, at once on one connection
  for (const [what, bytes] of [
    ['requests', 'GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20_000)],
    [
      'chunks of one byte',
      `POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(40_000)}`,
    ],
  ] as const) {
    it(`share the event loop with others: ${what}`, async () => {
      await using edge = await startEdge({ onAnswered: () => undefined });
      const attackers = Array.from({ length: 10 }, () => unread(edge.port, bytes));
      const longest = await longestTurnMs(20);
      for (const attacker of attackers) attacker[Symbol.dispose]();
      assert.ok(longest < 60, `${longest} ms`);
    });
  }
});
