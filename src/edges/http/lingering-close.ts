import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Who is still sending is listened to for so long, and for so much: more than lies in the buffers on the way. */
const lingerMs = 2_000;
const lingerBytes = 16 * 1024 * 1024;

/** Sockets from which nothing more is taken. */
const deaf = new WeakSet<Duplex>();

/** By socket, the last request that was answered before all of it had come. */
const answeredEarly = new WeakMap<Duplex, ServerResponse['req']>();

export const isDiscarding = (socket: Duplex): boolean => deaf.has(socket);

/** Throws away what comes from now on. The parser would do it and charge it, behind the answer that said no. */
export const discardInput = (socket: Duplex): void => {
  if (deaf.has(socket)) return;
  deaf.add(socket);
  // Node takes its own listener off a socket of CONNECT: a reset would end the process.
  socket.on('error', () => socket.destroy());
  let bytes = 0;
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > lingerBytes) socket.destroy();
  });
  socket.resume();
};

/**
 * Ends our side of a connection with these words and, within bounds, throws away what its caller goes on sending: a
 * socket that is closed with bytes unread is reset, and a caller who is reset may never read what it was told.
 */
export const linger = (socket: Duplex, lastWords = ''): void => {
  discardInput(socket);
  const stop = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(stop));
  socket.end(lastWords);
};

/** To be told of each answer as it begins: the end of its connection, if it comes, is one that its caller may send into. */
export const lingerAfterEarlyAnswer = ({ req, socket }: ServerResponse): void => {
  if (req.complete || socket === null) return;
  answeredEarly.set(socket, req);
  socket.destroySoon = () => linger(socket);
};

/** Whether what comes on this socket belongs to a request that has its answer. */
export const isAnswered = (socket: Duplex): boolean =>
  answeredEarly.get(socket)?.complete === false;
