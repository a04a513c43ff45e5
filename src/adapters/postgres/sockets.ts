import { Socket } from 'node:net';

/** What a connection to Postgres goes over. */
export type Sockets = () => Socket;

/**
 * Sockets that are closed at once when `signal` aborts: whoever waits for an answer over one of them is told that it is
 * lost, and whoever asks for another later is told so too.
 */
export const socketsUntil =
  (signal: AbortSignal): Sockets =>
  () => {
    const socket = new Socket();
    const close = (): void => void socket.destroy();
    // Before it is connected it cannot be closed: that would be undone.
    if (signal.aborted) setImmediate(close);
    signal.addEventListener('abort', close, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', close));
    return socket;
  };
