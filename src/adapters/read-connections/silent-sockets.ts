import { connect, type Socket } from 'node:net';
import { elapsedMs } from '../../kernel/clock.ts';

/** Where a server is, in the words of the client `postgres`. `path`: of a Unix socket. */
type Place = {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string;
};

/** How much had come and gone when the wait of a socket began; `isAsked`: by something that was sent since anything came. */
type Wait = {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly isAsked: boolean;
  readonly sinceMs: number;
};

/**
 * Sockets to a server that are closed once nothing has come on them for `silentMs`: a server that vanished without a word
 * is waited for by the system for a quarter of an hour. What is sent begins the wait anew once only, so that who goes on
 * asking does not prolong the wait of who asked first. Idle ones are closed too: nothing tells them from ones that wait.
 */
export const silentSockets = (silentMs: number): ((place: Place) => Socket) => {
  const waits = new Map<Socket, Wait>();
  let timer: NodeJS.Timeout | null = null;

  const look = (): void => {
    const nowMs = elapsedMs();
    for (const [socket, wait] of waits) {
      const { bytesRead, bytesWritten } = socket;
      const isHeard = bytesRead > wait.bytesRead;
      const isAsked = !wait.isAsked && bytesWritten > wait.bytesWritten;
      if (socket.destroyed) waits.delete(socket);
      else if (isHeard || isAsked) {
        waits.set(socket, { bytesRead, bytesWritten, isAsked: !isHeard, sinceMs: nowMs });
      } else if (nowMs - wait.sinceMs > silentMs) close(socket);
    }
    if (waits.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };

  return ({ host: [host = 'localhost'], port: [port = 5432], path }) => {
    const socket = path ? connect(path) : connect(port, host);
    waits.set(socket, { bytesRead: 0, bytesWritten: 0, isAsked: false, sinceMs: elapsedMs() });
    timer ??= setInterval(look, Math.min(1_000, silentMs / 4)).unref();
    // The client asks the socket for the name that a certificate is to bear.
    return Object.assign(socket, { host });
  };
};

/** Says at once that it is closed, not in a later turn of the event loop: what the client sent until then would be lost. */
const close = (socket: Socket): void => {
  socket.destroy();
  socket.emit('close', false);
};
