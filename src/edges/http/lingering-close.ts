import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { connectionOf } from './pipelining.ts';

/** How long (ms) and how much input is discarded after the last response: more than socket buffers on the way hold. */
const lingerMs = 2_000;
const lingerBytes = 16 * 1024 * 1024;

/**
 * Sends the last bytes of a connection and discards further input, within bounds (lingering close). The kernel resets a
 * connection that is closed with unread input, and a client whose connection is reset may lose the response.
 */
export const lingeringClose = (socket: Duplex, lastBytes = ''): void => {
  connectionOf(socket).isClosing = true;
  socket.end(lastBytes);
  void discarded(socket, [[socket, 'close']]).then(() => socket.destroy());
};

/** Discards the rest of a request that is already answered; settles at its end or at the bounds. */
export const discardRest = (request: IncomingMessage): Promise<void> =>
  discarded(request, [
    [request, 'close'],
    [request.socket, 'end'],
  ]);

const discarded = async (input: Readable, ends: readonly (readonly [Readable, string])[]): Promise<void> => {
  const over = new AbortController();
  const { signal } = over;
  let bytes = 0;
  input.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > lingerBytes) over.abort();
  });
  input.resume();
  await Promise.race([
    ...ends.map(([stream, event]) => once(stream, event, { signal })),
    pause(lingerMs, undefined, { signal }),
  ]).catch(() => undefined);
  over.abort();
};
