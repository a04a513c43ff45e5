import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { bearer, readReceipt, startEdge, transcript } from '#test/support/http.ts';

const health = 'GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n';
const reading = `GET /v1/transcripts/x HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\n\r\n`;

/** A connection that stays open as long as the server lets it. */
const connection = async (port: number) => {
  const socket = connect(port, '127.0.0.1');
  let told = '';
  socket.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  await once(socket, 'connect');
  return {
    socket,
    closed: once(socket, 'close'),
    told: () => told,
    /** Sends a request and waits for the head of its answer, which it returns. */
    async ask(request: string): Promise<string> {
      told = '';
      socket.write(request);
      while (!told.includes('\r\n\r\n')) await once(socket, 'data');
      return told.split('\r\n\r\n', 1)[0] ?? '';
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
};

/** Waits until connections are refused. One that waits while the server stops listening is reset. */
const stopped = async (port: number): Promise<void> => {
  let code: unknown = null;
  while (code !== 'ECONNREFUSED') {
    const socket = connect(port, '127.0.0.1');
    code = await once(socket, 'connect').then(
      () => null,
      (error: NodeJS.ErrnoException) => error.code,
    );
    socket.destroy();
  }
};

const patient = { idleMs: 5_000, limitMs: 10_000 };

describe('a server that closes', () => {
  it('accepts no new connection, and still answers requests on an open one, which it then closes', async () => {
    await using edge = await startEdge();
    using kept = await connection(edge.port);
    assert.doesNotMatch(await kept.ask(health), /^connection: close/im);
    const closed = edge.close(patient);
    await stopped(edge.port);
    const head = await kept.ask(health);
    assert.match(head, /^HTTP\/1\.1 200 /);
    assert.match(head, /^connection: close$/im);
    await kept.closed;
    await closed;
  });

  it('sends the response in progress, after which the connection accepts no more requests', async () => {
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    await using edge = await startEdge({
      commands: {
        readTranscript: async () => {
          begun.resolve();
          await go.promise;
          return { transcript, text: null, ...readReceipt };
        },
      },
    });
    using kept = await connection(edge.port);
    const asked = kept.ask(reading);
    await begun.promise;
    const closed = edge.close({ ...patient, idleMs: 0 });
    await stopped(edge.port);
    go.resolve();
    const head = await asked;
    assert.match(head, /^HTTP\/1\.1 200 /);
    assert.match(head, /^connection: close$/im);
    await closed;
    assert.match(kept.told(), /A title/);
  });

  it('closes an idle connection after the time that a proxy has to do so', async () => {
    await using edge = await startEdge();
    using kept = await connection(edge.port);
    await kept.ask(health);
    const startedMs = performance.now();
    await edge.close({ idleMs: 300, limitMs: 600_000 });
    const tookMs = performance.now() - startedMs;
    assert.ok(tookMs >= 290, `${tookMs} ms`);
  });

  it('ends at once when no connection is open', async () => {
    await using edge = await startEdge();
    {
      using left = await connection(edge.port);
      await left.ask(health);
    }
    // A wait would outlast the time that a test has.
    await edge.close({ idleMs: 600_000, limitMs: 600_000 });
  });

  it('cuts a response that takes longer than the limit', async () => {
    const begun = Promise.withResolvers<void>();
    await using edge = await startEdge({
      commands: {
        readTranscript: () => {
          begun.resolve();
          return new Promise<never>(() => undefined);
        },
      },
    });
    using kept = await connection(edge.port);
    kept.socket.write(reading);
    await begun.promise;
    await edge.close({ idleMs: 0, limitMs: 200 });
    await kept.closed;
    assert.equal(kept.told(), '');
  });
});
