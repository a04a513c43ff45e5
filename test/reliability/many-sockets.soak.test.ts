import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startSimulator } from '#test/simulator/main.ts';
import { samples } from '#test/simulator/samples.ts';
import { clientOf, testSecret } from '#test/support/app.ts';
import { testDatabase } from '#test/support/database.ts';
import { startProgram } from '#test/support/program.ts';
import { operate } from '#test/support/run-operator.ts';

const [sockets, taken, inFlight] = [10_000, 9_000, 200];
/** So many are opened at once: the machine keeps some thousands that nobody has accepted yet. */
const wave = 1_000;

/** How each of many connections stands. Every tenth brings no key; the others call a tool of /mcp. */
type Caller = { readonly socket: Socket; readonly isAnonymous: boolean; status: string | null; isClosed: boolean };

/** The first lines of a request, which stays unfinished. */
const begun = (isAnonymous: boolean): string => (isAnonymous ? 'GET /v1/usage HTTP/1.1\r\n' : 'POST /mcp HTTP/1.1\r\n');

/** The rest of a call of a tool. */
const rest = (key: string, videoId: string): string => {
  const params = { name: 'get_transcript', arguments: { video_id: videoId } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const lines = [
    ...['Host: 127.0.0.1', 'Connection: close', `Authorization: Bearer ${key}`],
    ...['Content-Type: application/json', `Content-Length: ${body.length}`, '', body],
  ];
  return lines.join('\r\n');
};

const opened = async (port: number): Promise<Caller[]> => {
  const callers: Caller[] = [];
  while (callers.length < sockets) {
    const some = Array.from({ length: wave }, (_, index) => {
      const socket = connect({ port, host: '127.0.0.1' });
      const isAnonymous = index % 10 === 0;
      const caller: Caller = { socket, isAnonymous, status: null, isClosed: false };
      socket.on('data', (chunk) => {
        caller.status ??= /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1] ?? 'nonsense';
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        caller.isClosed = true;
      });
      socket.write(begun(isAnonymous));
      return caller;
    });
    callers.push(...some);
    await until(() => some.every(({ socket, isClosed }) => isClosed || !socket.connecting));
  }
  return callers;
};

const until = async (isSo: () => boolean, timeoutMs = 60_000): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  while (!isSo()) {
    assert.ok(performance.now() < deadline, 'it did not become so in time');
    await pause(20);
  }
};

describe('ten thousand connections at once', () => {
  // S83: 10,000 open calls of a tool
  it('are bounded, even as open calls of /mcp, and answered 401, 429 or 503 within 256 MB; others are served', async () => {
    await using database = await testDatabase();
    await using simulator = await startSimulator();
    const environment = { DATABASE_URL: database.url, SECRET_KEY: testSecret, PLATFORM_ORIGIN: simulator.origin };
    await using server = startProgram(['api'], {
      ...environment,
      NODE_OPTIONS: '--max-old-space-size=256',
      HTTP_MAX_CONNECTIONS: String(taken),
      HTTP_MAX_IN_FLIGHT: String(inFlight),
      HTTP_HEADERS_TIMEOUT: '120s',
      HTTP_REQUEST_TIMEOUT: '120s',
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
        '--plan',
        'enterprise',
        '--json',
      ],
    );
    const { api_key: key } = JSON.parse(created.stdout);

    const callers = await opened(Number(new URL(url).port));
    const isOpen = ({ isClosed }: Caller): boolean => !isClosed;
    await until(() => callers.filter(isOpen).length <= taken);
    const held = callers.filter(isOpen);
    assert.equal(held.length, taken, 'one above the bound is closed, those below are kept');
    const [anonymous, calls] = [
      held.filter(({ isAnonymous }) => isAnonymous),
      held.filter(({ isAnonymous }) => !isAnonymous),
    ];
    for (const { socket } of anonymous) socket.write('Host: here\r\nConnection: close\r\n\r\n');
    await until(() => anonymous.every(({ isClosed }) => isClosed));
    const refused = new Set(anonymous.map(({ status }) => String(status)));
    for (const status of refused) assert.ok(['401', '429', '503'].includes(status), status);
    assert.ok(refused.has('429'), 'whoever comes too often is told so');

    const { get } = clientOf(url);
    simulator.plan({ videoId: samples.slow, times: 'always', does: { kind: 'silence' } });
    for (const { socket } of calls) socket.write(rest(key, samples.slow));
    await until(() => calls.filter(isOpen).length <= inFlight);
    const underWay = calls.filter(isOpen);
    const busy = calls.filter(({ status }) => String(status) === '503');
    // On a machine that is slow enough, calls that were let in have timed out by now.
    assert.ok(busy.length >= calls.length - 2 * inFlight, `${busy.length} of ${calls.length}`);
    assert.equal((await get('/api/health')).status, 200);
    for (const { socket } of underWay) socket.destroy();
    const answer = await get(`/v1/transcripts/${samples.prose}`, { key });
    assert.equal(answer.status, 200, await answer.text());
  });
});
