import { createServer, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase, takePlace } from './app/open-database.ts';
import type { Config } from './config.ts';
import type { Doors } from './edges/cli/doors.ts';
import type { Logger } from './kernel/logger.ts';

/** The running program. Disposing it says "not ready", drains, closes and frees everything, in that order. */
export type App = {
  /** Null: this role listens nowhere. */ readonly url: string | null;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Starts everything that the role of this process asks for. */
export const startApp = async (config: Config, { logger }: { logger: Logger }): Promise<App> => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(config, { logger }));
  stack.use(await takePlace(config, database, logger));

  const state = { isReady: true };
  const server = createServer((request, response) => {
    const isHealth = request.url === '/api/health';
    const status = isHealth || state.isReady ? 200 : 503;
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ status: status === 200 ? 'ok' : 'not_ready' }));
  });
  const url = await listen(server, config);
  stack.defer(async () => {
    state.isReady = false;
    await pause(config.shutdownDrainMs);
    server.closeIdleConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const parts = stack.move();
  return { url, [Symbol.asyncDispose]: () => parts.disposeAsync() };
};

/** Opens the doors without a server: what a command of an operator needs, beside a running server too. */
export const openDoors = async (config: Config, { logger }: { logger: Logger }): Promise<Doors> => {
  await using database = await openDatabase(config, { logger });
  throw new Error(`the doors are not wired to ${new URL(database.url).host}`);
};

const listen = (server: Server, { host, port }: Config): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const isTaken = 'code' in error && error.code === 'EADDRINUSE';
      reject(
        isTaken
          ? new Error(`PORT ${port} on ${host} is in use by another program; stop it or set PORT`)
          : error,
      );
    });
    server.listen(port, host, () => {
      const address = server.address();
      const real = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${real}`);
    });
  });
