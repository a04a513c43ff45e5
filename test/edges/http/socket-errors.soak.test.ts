import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inPieces, sendStream } from '#src/edges/http/middleware/response.ts';
import { bearer, readReceipt, startEdge, transcript } from '#test/support/http.ts';

/** A caller that never closes its side of the connection. */
const stubborn = (port: number) => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  let told = '';
  socket.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  return { socket, told: () => told };
};

/** A server that answers everything with these pieces, until `arm` calls what it is given. */
const streaming = async (
  pieces: (signal: AbortSignal) => AsyncIterable<string>,
  arm: (response: ServerResponse, abort: () => void) => unknown,
) => {
  const server = createServer((_, response) => {
    const abort = new AbortController();
    arm(response, () => abort.abort());
    const answer = inPieces(pieces, { contentType: 'text/plain' });
    void sendStream(response, { headers: {} }, answer, pieces, abort.signal);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

describe('a socket that is refused', () => {
  it('may be reset by a caller who asked for CONNECT: the others are served', async () => {
    await using edge = await startEdge();
    for (let turn = 0; turn < 20; turn += 1) {
      const socket = connect(edge.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', () => socket.resetAndDestroy());
      await once(socket, 'close');
    }
    await pause(50);
    assert.equal((await edge.get('/api/health')).status, 200);
  });

  for (const [what, bytes] of [
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['nonsense', 'hello\r\n\r\n'],
    ['a request that did not arrive in time', 'GET / HTTP/1.1\r\nHo'],
  ] as const) {
    it(`is closed by the server although the client keeps it open: ${what}`, async () => {
      await using edge = await startEdge({ settings: { headersTimeoutMs: 100, requestTimeoutMs: 200 } });
      const { socket, told } = stubborn(edge.port);
      socket.write(bytes);
      await once(socket, 'end');
      while ((await edge.connections()) > 0) await pause(20);
      assert.match(told(), /^HTTP\/1\.1 4\d\d /);
      socket.destroy();
    });
  }

  it('ignores the rest of a request that was already answered with 408', async () => {
    let asked = 0;
    await using edge = await startEdge({
      settings: { headersTimeoutMs: 100, requestTimeoutMs: 200 },
      queries: {
        findKeyHolder: async () => {
          asked += 1;
          return null;
        },
      },
    });
    const { socket, told } = stubborn(edge.port);
    socket.write('GET /v1/usage HTTP/1.1\r\nHost: a\r\nX-API-Key: k');
    await once(socket, 'end');
    socket.write('\r\n\r\n');
    await pause(50);
    assert.equal((await edge.get('/api/health')).status, 200);
    assert.match(told(), /^HTTP\/1\.1 408 /);
    assert.equal(asked, 0);
    socket.destroy();
  });
});

/** Sends a request and goes on sending, whatever comes back; what it was told, or how its connection broke, once it stops. */
const told = async (port: number, head: string, kibibytes: number): Promise<string> => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).pause();
  const broken = Promise.withResolvers<string>();
  socket.on('error', ({ message }) => broken.resolve(message));
  const chunks: Buffer[] = [];
  const sendAll = async (): Promise<string> => {
    socket.write(head);
    const piece = Buffer.alloc(64 * 1024, 'a');
    for (let sent = 0; sent < kibibytes; sent += 64) {
      if (!socket.write(piece)) await once(socket, 'drain');
      await pause(1);
    }
    socket.end();
    for await (const chunk of socket) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const heard = await Promise.race([sendAll(), broken.promise]);
  socket.destroy();
  return heard;
};

describe('a client that is refused and keeps sending', () => {
  const post = 'POST /v1/transcripts HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
  const key = `Authorization: ${bearer.Authorization}\r\n`;
  const long = 'Content-Length: 99999999\r\n';
  for (const [what, head, status] of [
    ['nonsense', 'hello\r\n\r\n', 400],
    ['headers without an end', `${post}X: `, 431],
    ['the body of an unknown method', `FOO /v1/usage HTTP/1.1\r\n${long}\r\n`, 405],
    ['into a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
    ['what is no chunk', `${post}${key}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    ['a body that is too large', `${post}${key}${long}\r\n`, 413],
    ['the body of a last request', `${post}${long}Connection: close\r\n\r\n`, 401],
  ] as const) {
    it(`can read the response before its connection is closed: ${what}`, async () => {
      await using edge = await startEdge();
      const heard = await told(edge.port, head, 6_144);
      assert.match(heard, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.match(heard, /"request_id":"req_[0-9a-f]{32}"/);
      assert.equal(heard.match(/HTTP\/1\.1 /g)?.length, 1, 'it is answered once');
    });
  }

  it('is disconnected if it does not stop', async () => {
    await using edge = await startEdge();
    const heard = await told(edge.port, 'hello\r\n\r\n', 64 * 1024);
    assert.match(heard, /ECONNRESET|EPIPE/);
  });
});

const statusesOf = (heard: string) => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

describe('a valid request followed by bytes that are not HTTP', () => {
  const ask = `GET /v1/transcripts/x HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\n\r\n`;
  const read = { transcript, text: null, ...readReceipt };
  for (const [what, bytes, statuses] of [
    ['nonsense', `${ask}hello\r\n\r\n`, ['200', '400']],
    ['a tunnel', `${ask}CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n`, ['200', '405']],
    ['too many headers', `${ask}GET / HTTP/1.1\r\nX: ${'a'.repeat(20_000)}`, ['200', '431']],
    ['nonsense behind another', `${ask}${ask}hello\r\n\r\n`, ['200', '200', '400']],
  ] as const) {
    it(`is answered first, with the result of its charge: ${what}`, async () => {
      await using edge = await startEdge({
        commands: {
          readTranscript: async () => {
            await pause(30);
            return read;
          },
        },
      });
      const { socket, told: heard } = stubborn(edge.port);
      socket.write(bytes);
      await once(socket, 'end');
      assert.deepEqual(statusesOf(heard()), statuses);
      assert.match(heard(), /X-Credits-Charged: 1/);
      socket.destroy();
    });
  }

  it('gets the result of its charge, also if the invalid bytes are never read', async () => {
    const reading = Promise.withResolvers<void>();
    await using edge = await startEdge({
      commands: {
        readTranscript: async () => {
          reading.resolve();
          await pause(30);
          return read;
        },
      },
    });
    const { socket, told: heard } = stubborn(edge.port);
    socket.write(ask.replace('Host: a', 'Host: a\r\nTransfer-Encoding: chunked'));
    await reading.promise;
    socket.write('zz\r\n');
    await once(socket, 'end');
    assert.deepEqual(statusesOf(heard()), ['200']);
    assert.match(heard(), /X-Credits-Charged: 1/);
    socket.destroy();
  });

  it('is not answered with the methods of the invalid one', async () => {
    await using edge = await startEdge({ commands: { readTranscript: async () => read } });
    const { socket, told: heard } = stubborn(edge.port);
    socket.write(`${ask}FOO /v1/jobs HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(socket, 'end');
    assert.deepEqual(statusesOf(heard()), ['200', '405']);
    assert.match(heard(), /Allow: POST, GET, HEAD, OPTIONS/);
    socket.destroy();
  });

  it('is answered once if it was answered before its body arrived, which never did', async () => {
    await using edge = await startEdge();
    const { socket, told: heard } = stubborn(edge.port);
    socket.write('POST /v1/transcripts HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{');
    while (heard() === '') await pause(5);
    socket.end();
    await once(socket, 'close');
    assert.deepEqual(statusesOf(heard()), ['401']);
  });
});

describe('a client that closes its side of the connection', () => {
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\n\r\n`;

  it('counts as gone: its work is aborted, and no response is sent', async () => {
    const ended = Promise.withResolvers<void>();
    await using edge = await startEdge({
      commands: {
        readTranscript: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              ended.resolve();
              reject(signal.reason);
            });
          }),
      },
    });
    const { socket, told: heard } = stubborn(edge.port);
    socket.end(ask('/v1/transcripts/x'));
    await ended.promise;
    await once(socket, 'end');
    assert.equal(heard(), '');
    while (edge.answered.length === 0) await pause(5);
    assert.equal(edge.answered[0]?.isAborted, true);
    assert.equal(edge.faults.length, 0);
  });
});

describe('a client that sends Expect: 100-continue', () => {
  const ask = (path: string, more = '') =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\n${more}\r\n`;
  const read = { transcript, text: null, ...readReceipt };

  it('gets 100 Continue in order, after the previous response and before its own', async () => {
    await using edge = await startEdge({
      commands: {
        readTranscript: async (_, { reference }) => {
          if (reference === 'slow') await pause(50);
          return read;
        },
      },
    });
    const expecting = 'Expect: 100-continue\r\nContent-Length: 3\r\n';
    const { socket, told: heard } = stubborn(edge.port);
    const posting = ask('/v1/transcripts', expecting).replace('GET', 'POST');
    socket.write(ask('/v1/transcripts/slow') + posting);
    while (statusesOf(heard()).length < 2) await pause(5);
    socket.write('{"a');
    while (statusesOf(heard()).length < 3) await pause(5);
    assert.deepEqual(statusesOf(heard()), ['200', '100', '415']);
    socket.destroy();
  });
});

describe('a client that does not read', () => {
  const asking = `GET /v1/transcripts/x HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\n\r\n`;

  for (const [what, bytes] of [
    ['', ''],
    [', and has asked for a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
    [', and goes on sending', 'hello\r\n\r\n'],
    [', and has asked for more and a tunnel', `${asking}CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n`],
    [', and has asked for more', `${asking}hello\r\n\r\n`],
    [
      ', and has asked for a tunnel behind what expects something',
      `${asking.replace('Host: a', 'Host: a\r\nExpect: more')}CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n`,
    ],
  ] as const) {
    it(`is disconnected, which frees its slot of the concurrent requests${what}`, { timeout: 20_000 }, async () => {
      const cues = Array.from({ length: 32 }, (_, at) => ({
        text: 'x'.repeat(1024 * 1024),
        startMs: at,
        endMs: at + 1,
      }));
      const read = { transcript: { ...transcript, cues }, text: null, ...readReceipt };
      await using edge = await startEdge({
        settings: { timeLimitMs: 400, headersTimeoutMs: 200, requestTimeoutMs: 200, maxInFlight: 1 },
        commands: { readTranscript: async () => read },
      });
      const { socket } = stubborn(edge.port);
      socket.pause().write(asking + bytes);
      while (edge.answered.length === 0) {
        await pause(20);
        if (bytes.startsWith('hello')) socket.write('x');
      }
      assert.equal(edge.answered[0]?.isAborted, true);
      assert.equal((await edge.get('/v1/ledger/x')).status, 404);
      socket.destroy();
    });
  }

  it('gets the end of a document whose timeout passed before all of it was sent', async () => {
    async function* pieces(signal: AbortSignal): AsyncIterable<string> {
      yield '[1';
      while (!signal.aborted) await pause(5);
      yield ']';
    }
    await using server = await streaming(pieces, (_, abort) => setTimeout(abort, 50));
    const answer = await fetch(`http://127.0.0.1:${server.port}/`);
    assert.equal(await answer.text(), '[1]');
  });

  for (const leaves of [true, false]) {
    it(`ends what is streamed to it${leaves ? ' when it leaves' : ' when its time is up'}`, async () => {
      const ended = Promise.withResolvers<void>();
      async function* pieces(): AsyncIterable<string> {
        try {
          for (;;) yield 'x'.repeat(64 * 1024);
        } finally {
          ended.resolve();
        }
      }
      await using server = await streaming(pieces, (response, abort) =>
        leaves ? response.on('close', abort) : setTimeout(abort, 100),
      );
      const { socket } = stubborn(server.port);
      socket.pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      if (leaves) setTimeout(() => socket.destroy(), 300);
      await ended.promise;
      socket.destroy();
    });
  }
});
