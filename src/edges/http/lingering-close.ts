import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { discardInput } from './pipelining.ts';

/** How long (ms) and how much input is discarded after the last response: more than socket buffers on the way hold. */
const lingerMs = 2_000;
const lingerBytes = 16 * 1024 * 1024;

/**
 * Sends the last bytes of a connection and discards further input, within bounds (lingering close). The kernel resets a
 * connection that is closed with unread input, and a client whose connection is reset may lose the response.
 */
export const lingeringClose = (socket: Duplex, lastBytes = ''): void => {
  discardInput(socket);
  const stop = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(stop));
  // Node removes its error listener from the socket of a CONNECT request: a reset would end the process.
  socket.on('error', () => socket.destroy());
  socket.end(lastBytes);
  socket.resume();
};

/** Discards the rest of a request that is already answered; settles at its end or at the bounds. */
export const discardRest = async (request: IncomingMessage): Promise<void> => {
  const over = new AbortController();
  const { signal } = over;
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > lingerBytes) over.abort();
  });
  request.resume();
  await Promise.race([
    once(request, 'close', { signal }),
    once(request.socket, 'end', { signal }),
    pause(lingerMs, undefined, { signal }),
  ]).catch(() => undefined);
  over.abort();
};
