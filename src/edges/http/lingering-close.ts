import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { discardInput } from './pipelining.ts';

/** How long input is read after the last answer, and how much: more than the buffers on the way hold. */
const lingerMs = 2_000;
const lingerBytes = 16 * 1024 * 1024;

/**
 * Sends the last bytes of a connection, and discards what its caller goes on sending, within bounds. A socket that is
 * closed with bytes unread is reset, and a caller whose connection is reset may never read its answer.
 */
export const lingeringClose = (socket: Duplex, lastBytes = ''): void => {
  discardInput(socket);
  const stop = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(stop));
  // Node takes its own listener off a socket of CONNECT: a reset would end the process.
  socket.on('error', () => socket.destroy());
  socket.end(lastBytes);
  socket.resume();
};

/** Discards the rest of a request that is already answered; settles when it is over, or its bounds are reached. */
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
