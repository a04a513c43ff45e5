import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A proxy in front of a database that can delay or stop statements. */
export type PostgresProxy = AsyncDisposable & {
  /** The database URL through the proxy. */
  readonly url: string;
  /** Delay of everything that clients send. */
  delayMs: number;
  /** How long everything that clients send on a new connection is held. */
  connectDelayMs: number;
  /** Holds everything that clients send until the returned function is called. */
  holdBack(): () => void;
  /** Number of chunks that clients have sent: about one for each statement. */
  readonly sent: number;
  /** Number of connections that clients have opened. */
  readonly asked: number;
  /** While false, connections are closed and new ones refused. */
  isThere: boolean;
  /** Whether new connections are refused while existing ones go on. */
  isFull: boolean;
  /**
   * Resolves when a client sends a statement with this text. The statement, and all that the connection sends later,
   * never reaches the database.
   */
  stopAt(statement: string): Promise<void>;
  /** Resolves when the statement with this text was executed; the connection breaks before the client gets the answer. */
  breakAfter(statement: string): Promise<void>;
};

type Trap = { readonly statement: string; readonly does: 'stop' | 'break'; readonly sprung: () => void };

/** A proxy of the Postgres protocol on loopback; it searches the bytes without parsing messages. */
export const postgresProxy = async (databaseUrl: string): Promise<PostgresProxy> => {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const traps: Trap[] = [];
  let delayMs = 0;
  let connectDelayMs = 0;
  let held: Promise<void> | null = null;
  let sent = 0;
  let asked = 0;
  let isThere = true;
  let isFull = false;

  const serve = (caller: Socket): void => {
    asked += 1;
    if (!isThere || isFull) {
      caller.destroy();
      return;
    }
    const server = connect(Number(target.port || 5432), target.hostname);
    let isStopped = false;
    const opening = connectDelayMs === 0 ? null : pause(connectDelayMs);
    let breaking: Trap | null = null;
    for (const socket of [caller, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        caller.destroy();
        server.destroy();
      });
    }
    caller.on('data', (chunk) => {
      sent += 1;
      const trap = traps.find(({ statement }) => chunk.includes(statement));
      if (trap !== undefined) {
        traps.splice(traps.indexOf(trap), 1);
        if (trap.does === 'break') breaking = trap;
        else {
          isStopped = true;
          trap.sprung();
        }
      }
      if (isStopped) return;
      const waiting = held ?? opening;
      if (waiting !== null) void waiting.then(() => server.write(chunk));
      else if (delayMs === 0) server.write(chunk);
      else setTimeout(() => server.write(chunk), delayMs);
    });
    server.on('data', (chunk) => {
      if (breaking === null) {
        caller.write(chunk);
        return;
      }
      breaking.sprung();
      caller.destroy();
    });
  };

  const listener = createServer(serve).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const trap = (statement: string, does: Trap['does']): Promise<void> =>
    new Promise((sprung) => {
      traps.push({ statement, does, sprung });
    });
  return {
    url: url.href,
    get delayMs() {
      return delayMs;
    },
    set delayMs(next) {
      delayMs = next;
    },
    get connectDelayMs() {
      return connectDelayMs;
    },
    set connectDelayMs(next) {
      connectDelayMs = next;
    },
    get sent() {
      return sent;
    },
    get asked() {
      return asked;
    },
    get isFull() {
      return isFull;
    },
    set isFull(next) {
      isFull = next;
    },
    get isThere() {
      return isThere;
    },
    set isThere(next) {
      isThere = next;
      if (!next) for (const socket of sockets) socket.destroy();
    },
    holdBack: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = null;
        resolve();
      };
    },
    stopAt: (statement) => trap(statement, 'stop'),
    breakAfter: (statement) => trap(statement, 'break'),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
};
