import type { Duplex } from 'node:stream';

/** Who is still sending is listened to for so long, and for so much: more than lies in the buffers on the way. */
const lingerMs = 2_000;
const lingerBytes = 16 * 1024 * 1024;

const lingering = new WeakSet<Duplex>();

/** Whether the last words on this socket are said, and what comes is thrown away. */
export const isLingering = (socket: Duplex): boolean => lingering.has(socket);

/**
 * Ends our side of a connection with these words and throws away what its caller goes on sending, within bounds: a
 * socket that is closed with bytes unread is reset, and a caller who is reset may never read what it was told. Nothing
 * of that reaches the parser: it would be done and charged behind the answer that said no.
 */
export const linger = (socket: Duplex, lastWords = ''): void => {
  if (lingering.has(socket)) return;
  lingering.add(socket);
  const stop = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(stop));
  // Node takes its own listener off a socket of CONNECT: a reset would end the process.
  socket.on('error', () => socket.destroy());

  let bytes = 0;
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > lingerBytes) socket.destroy();
  });
  socket.end(lastWords);
  socket.resume();
};

/** Makes the end of a connection, whenever it comes, one that its caller may send into. */
export const lingerAtEnd = (socket: (Duplex & { destroySoon?: () => void }) | null): void => {
  if (socket !== null) socket.destroySoon = () => linger(socket);
};
