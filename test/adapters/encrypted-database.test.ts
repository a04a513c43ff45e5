import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TLSSocket } from 'node:tls';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { readConnections } from '#src/adapters/postgres/read-connections.ts';
import { certificateFor } from '#test/support/certificates.ts';
import { testDatabase } from '#test/support/database.ts';

const day = 24 * 60 * 60 * 1_000;

/** A Postgres that takes encrypted connections, as far as its clients see: the server of `url` is behind it. */
const encrypted = async (url: string) => {
  const from = new Date(Date.now() - day);
  const { cert, key } = await certificateFor('localhost', from, new Date(Date.now() + day));
  const upstream = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    // The request for encryption has eight bytes, and nothing else is sent before its answer.
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, cert, key });
      const behind = connect(Number(upstream.port), upstream.hostname);
      sockets.add(behind);
      secure.on('error', () => behind.destroy());
      behind.on('error', () => secure.destroy());
      secure.pipe(behind).pipe(secure);
    });
  });
  server.listen(0);
  await once(server, 'listening');
  const folder = await mkdtemp(join(tmpdir(), 'steno-tls-'));
  const authority = join(folder, 'authority.pem');
  await writeFile(authority, cert);
  const address = new URL(url);
  address.hostname = 'localhost';
  address.port = String((server.address() as AddressInfo).port);
  return {
    url: (parameters: string) => `${address.href}?${parameters}`,
    authority,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
};

/** What each driver of the program says of a URL: 1, or why it does not connect. */
const answersAt = async (url: string): Promise<readonly unknown[]> => {
  const pool = postgresPool({ url, applicationName: 'steno test' });
  const log = pool
    .query<{ one: number }>('SELECT 1 AS one')
    .then(({ rows }) => rows[0]?.one, reason)
    .finally(() => pool.end());
  const reads = readConnections({ url, timeoutMs: 1_000 }).then(async (sql) => {
    const [row] = await sql<{ one: number }[]>`SELECT 1 AS one`;
    await sql.end();
    return row?.one;
  }, reason);
  return Promise.all([log, reads]);
};

const reason = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : error);

describe('an encrypted database', { concurrency: true }, () => {
  const stack = new AsyncDisposableStack();
  let database: Awaited<ReturnType<typeof encrypted>>;

  before(async () => {
    const { url } = stack.use(await testDatabase());
    database = stack.use(await encrypted(url));
  });
  after(() => stack.disposeAsync());

  it('is reached by both drivers without verification of its certificate', async () => {
    assert.deepEqual(await answersAt(database.url('sslmode=no-verify')), [1, 1]);
  });

  it('is reached by both drivers if its certificate authority is configured', async () => {
    const parameters = new URLSearchParams({ sslrootcert: database.authority });
    parameters.set('sslmode', 'verify-full');
    assert.deepEqual(await answersAt(database.url(String(parameters))), [1, 1]);
  });

  it('is refused by both drivers if no configured authority signed its certificate', async () => {
    const unknown = 'DEPTH_ZERO_SELF_SIGNED_CERT';
    assert.deepEqual(await answersAt(database.url('sslmode=verify-full')), [unknown, unknown]);
  });
});
