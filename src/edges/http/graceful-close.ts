import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { elapsedMs } from '../../kernel/clock.ts';
import { connectionOf } from './pipelining.ts';

/** How often connections are closed that have become idle by then. */
const idleSweepMs = 100;
/** How long connections are waited for that the kernel has taken and the process has not. */
const longestQueueMs = 1_000;
const shortTurnMs = 1;

/**
 * Stops listening; settles when every connection is closed: each after its current or next response, an idle one after
 * `idleMs`, and all of them after `limitMs`.
 */
export type GracefulClose = (within: { readonly idleMs: number; readonly limitMs: number }) => Promise<void>;

/** To be called before the server listens: only connections that it sees begin are closed gracefully. */
export const gracefulCloseOf = (server: Server): GracefulClose => {
  const sockets = new Set<Socket>();
  let isClosing = false;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.prependListener('request', (_, response) => {
    if (isClosing) response.setHeader('Connection', 'close');
  });
  return async ({ idleMs, limitMs }) => {
    const closed = once(server, 'close');
    await queueIsEmpty(server);
    isClosing = true;
    // Only stops listening. `http.Server.close` closes idle connections at once, also one on which a request is on its way.
    NetServer.prototype.close.call(server);
    for (const socket of sockets) {
      const { begun } = connectionOf(socket);
      if (begun?.headersSent === false) begun.setHeader('Connection', 'close');
    }
    const stoppedMs = elapsedMs();
    const closeIdle = (): void => {
      if (elapsedMs() - stoppedMs >= idleMs) server.closeIdleConnections();
    };
    closeIdle();
    // A response whose head was sent before leaves its connection open.
    const sweep = setInterval(closeIdle, idleSweepMs);
    const cut = setTimeout(() => server.closeAllConnections(), limitMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
  };
};

/**
 * Closing the listener resets the connections that wait in its queue, and with them requests that a proxy has sent already.
 * Node takes one connection from the queue in each turn of the event loop: after a short turn without one, none waits.
 */
const queueIsEmpty = async (server: Server): Promise<void> => {
  let isEmpty = false;
  const onConnection = (): void => {
    isEmpty = false;
  };
  server.on('connection', onConnection);
  const startedMs = elapsedMs();
  for (let turnMs = startedMs; !isEmpty && turnMs - startedMs < longestQueueMs; ) {
    turnMs = elapsedMs();
    isEmpty = true;
    await nextTurn();
    if (elapsedMs() - turnMs > shortTurnMs) isEmpty = false;
  }
  server.off('connection', onConnection);
};
