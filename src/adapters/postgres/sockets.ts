import { Socket } from 'node:net';

/** Creates the socket of a connection to Postgres. */
export type Sockets = () => Socket;

/**
 * Sockets that are destroyed when `signal` aborts: pending queries fail at once, and so does every later
 * connection attempt.
 */
export const socketsUntil =
  (signal: AbortSignal): Sockets =>
  () => {
    const socket = new Socket();
    const close = (): void => void socket.destroy();
    // Destroying it before it has connected would have no effect: the client connects it afterwards.
    if (signal.aborted) setImmediate(close);
    signal.addEventListener('abort', close, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', close));
    return socket;
  };
