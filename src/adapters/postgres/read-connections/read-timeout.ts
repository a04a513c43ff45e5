import { connect, type Socket } from 'node:net';
import { elapsedMs } from '../../../kernel/clock.ts';

/** The address of a server as the client `postgres` passes it. `path`: of a Unix socket. */
type ServerAddress = { readonly host: readonly string[]; readonly port: readonly number[]; readonly path?: string };

/** State of a socket when its timeout began. `isAsked`: the timeout was restarted by sent bytes already. */
type Wait = {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly isAsked: boolean;
  readonly sinceMs: number;
};

/**
 * Sockets that are closed after `silentMs` without data from the server: the system itself waits a quarter of an hour for
 * a server that vanished. Only the first bytes sent after data arrived restart the timeout, so that further queries do
 * not prolong the wait of the first one. Idle connections are closed too, because they look the same.
 */
export const socketsWithReadTimeout = (silentMs: number): ((address: ServerAddress) => Socket) => {
  const waits = new Map<Socket, Wait>();
  let timer: NodeJS.Timeout | null = null;

  const checkTimeouts = (): void => {
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
    timer ??= setInterval(checkTimeouts, Math.min(1_000, silentMs / 4)).unref();
    // The client reads the host name for the certificate check from the socket.
    return Object.assign(socket, { host });
  };
};

/** Emits `close` synchronously: the client would lose statements that it sends before a later event. */
const close = (socket: Socket): void => {
  socket.destroy();
  socket.emit('close', false);
};
