import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startSimulator } from '#test/simulator/main.ts';
import { samples } from '#test/simulator/samples.ts';
import { clientOf, testSecret } from '#test/support/app.ts';
import { testDatabase } from '#test/support/database.ts';
import { operate } from '#test/support/operator.ts';
import { startProgram } from '#test/support/program.ts';

const [sockets, taken] = [10_000, 9_000];
/** So many are opened at once: the machine keeps some thousands that nobody has accepted yet. */
const wave = 1_000;

/** How each of many connections stands. */
type Caller = { readonly socket: Socket; status: string | null; isClosed: boolean };

const opened = async (port: number): Promise<Caller[]> => {
  const callers: Caller[] = [];
  while (callers.length < sockets) {
    const some = Array.from({ length: wave }, () => {
      const socket = connect({ port, host: '127.0.0.1' });
      const caller: Caller = { socket, status: null, isClosed: false };
      socket.on('data', (chunk) => {
        caller.status ??= /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1] ?? 'nonsense';
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        caller.isClosed = true;
      });
      socket.write('GET /v1/usage HTTP/1.1\r\n');
      return caller;
    });
    callers.push(...some);
    await until(() => some.every(({ socket, isClosed }) => isClosed || !socket.connecting));
  }
  return callers;
};

const until = async (isSo: () => boolean, withinMs = 60_000): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!isSo()) {
    assert.ok(performance.now() < deadline, 'it did not become so in time');
    await pause(20);
  }
};

describe('ten thousand connections at once', () => {
  it('are bounded and answered 401, 429 or 503 within 256 MB of heap, and then others are served', async () => {
    await using database = await testDatabase();
    await using simulator = await startSimulator();
    const environment = {
      DATABASE_URL: database.url,
      SECRET_KEY: testSecret,
      PLATFORM_ORIGIN: simulator.origin,
    };
    await using server = startProgram(['api'], {
      ...environment,
      NODE_OPTIONS: '--max-old-space-size=256',
      HTTP_MAX_CONNECTIONS: String(taken),
      HTTP_MAX_IN_FLIGHT: '200',
      HTTP_HEADERS_TIMEOUT: '20s',
      HTTP_REQUEST_TIMEOUT: '20s',
    });
    const url = await server.ready;
    const created = await operate(
      environment,
      ...[
        'account',
        'create',
        '--email',
        'a@example.com',
        '--password',
        'a long passphrase',
        '--json',
      ],
    );
    const { api_key: key } = JSON.parse(created.stdout);

    const callers = await opened(Number(new URL(url).port));
    const isOpen = ({ isClosed }: Caller): boolean => !isClosed;
    await until(() => callers.filter(isOpen).length <= taken);
    const held = callers.filter(isOpen);
    assert.equal(held.length, taken, 'one above the bound is closed, those below are kept');
    for (const { socket } of held) socket.write('Host: here\r\nConnection: close\r\n\r\n');
    await until(() => callers.every(({ isClosed }) => isClosed));
    const statuses = new Set(callers.map(({ status }) => status ?? 'closed'));
    for (const status of statuses)
      assert.ok(['closed', '401', '429', '503'].includes(status), status);
    assert.ok(statuses.has('429'), 'whoever comes too often is told so');
    assert.equal(callers.filter(({ status }) => status === null).length, sockets - taken);

    const { get } = clientOf(url);
    assert.equal((await get('/api/health')).status, 200);
    const answer = await get(`/v1/transcripts/${samples.prose}`, { key });
    assert.equal(answer.status, 200, await answer.text());
  });
});
