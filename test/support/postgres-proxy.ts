import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a database that can be made slow, or be stopped at a statement. */
export type PostgresProxy = AsyncDisposable & {
  /** The URL that leads through it. */
  readonly url: string;
  /** What callers send arrives so much later. */
  delayMs: number;
  /** What callers send from now on arrives when the returned function is called. */
  holdBack(): () => void;
  /** How often callers have sent something: about once for each statement. */
  readonly sent: number;
  /** How often a caller has asked for a connection. */
  readonly asked: number;
  /** Whether the database is there: while it is not, connections end and new ones are refused. */
  isThere: boolean;
  /** Whether it refuses more connections than it has. */
  isFull: boolean;
  /**
   * Resolves when a caller sends a statement with this text. It, and all that this connection sends later,
   * never arrives.
   */
  stopAt(statement: string): Promise<void>;
  /** Resolves when this text was sent, was done and is answered; then its connection breaks before the caller hears. */
  breakAfter(statement: string): Promise<void>;
};

type Trap = {
  readonly statement: string;
  readonly does: 'stop' | 'break';
  readonly sprung: () => void;
};

/** A proxy of the Postgres protocol on loopback; it looks at bytes and understands none of them. */
export const postgresProxy = async (databaseUrl: string): Promise<PostgresProxy> => {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const traps: Trap[] = [];
  let delayMs = 0;
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
      if (held !== null) void held.then(() => server.write(chunk));
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
