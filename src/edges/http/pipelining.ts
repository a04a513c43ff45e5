import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { elapsedMs } from '../../kernel/clock.ts';

/** The requests of a connection, in their order. */
type Connection = {
  /** The response that was begun last, and whether it is still to be sent. */
  begun: ServerResponse | null;
  isAnswering: boolean;
  readonly waiting: { readonly request: IncomingMessage | null; readonly begin: () => void }[];
  /** Set while something waits for an answer: cuts a connection whose caller sends and does not read. */
  deadline: NodeJS.Timeout | null;
  readonly maxWaitMs: number;
  /** Further input is discarded: the connection closes. */
  isClosing: boolean;
};

/** The parser takes so much at once, some 50 short requests, … */
const pieceBytes = 1024;
/** … and of one connection as many pieces as it can in this time before the others have their turn of the event loop. */
const sliceMs = 0.1;

const connections = new WeakMap<object, Connection>();

/** The state of a connection; a fault for a socket of another server. */
export const connectionOf = (socket: object): Connection => {
  const connection = connections.get(socket);
  if (connection === undefined) throw new Error('not a connection of this server');
  return connection;
};

/**
 * Limits how much of a connection's input is parsed at once. Node parses all of a read (64 KiB: some 3,000 requests, or
 * 10,000 chunks of a body) before anything else runs, and no option makes reads smaller. Here its parser, a `data` listener,
 * is called with pieces; the rest goes back to the socket, which is paused until all requests of a piece are answered.
 * A connection on which something waits longer than `maxWaitMs` for one answer is cut.
 */
export const readInPieces = (server: Server, maxWaitMs: number): void => {
  server.on('connection', (socket) => {
    const connection: Connection = {
      ...{ begun: null, isAnswering: false, waiting: [], isClosing: false },
      ...{ deadline: null, maxWaitMs },
    };
    connections.set(socket, connection);
    const parsers = socket.listeners('data');
    socket.removeAllListeners('data');
    let isSliceOver = false;
    const nextSlice = (): void => {
      isSliceOver = false;
      if (!isBusy(connection)) socket.resume();
    };
    socket.on('data', (chunk: Buffer) => {
      const startedMs = elapsedMs();
      let rest = chunk;
      while (rest.length > 0 && !isSliceOver && !isBusy(connection) && !isOver(socket, connection)) {
        for (const parser of parsers) parser.call(socket, rest.subarray(0, pieceBytes));
        rest = rest.subarray(pieceBytes);
        isSliceOver = elapsedMs() - startedMs > sliceMs;
        if (isSliceOver) setImmediate(nextSlice);
      }
      if (rest.length === 0 || isOver(socket, connection)) return;
      socket.pause();
      socket.unshift(rest);
      if (isBusy(connection)) limitWait(socket, connection);
    });
  });
};

/** Whether the next request has to wait. A request whose body is still read does not keep the input waiting. */
const isBusy = ({ begun, isAnswering, waiting }: Connection): boolean =>
  waiting.length > 0 || (isAnswering && begun?.req.complete === true);

const isOver = (socket: Duplex, connection: Connection): boolean => connection.isClosing || socket.destroyed;

/** Begins each request of a connection when the one before is answered, and none behind an answer that closes the connection. */
export const oneAtATime =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    const { socket } = request;
    const connection = connectionOf(socket);
    // Node loses what it has read behind a request to upgrade that it answers as any other.
    if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
    const begin = (): void => {
      connection.begun = response;
      connection.isAnswering = true;
      response.once('close', () => {
        // Other connections first: a client that sends far ahead must not hold the event loop.
        if (connection.deadline !== null) setImmediate(() => beginNext(socket, connection));
        else connection.isAnswering = false;
      });
      listener(request, response);
    };
    enqueue(socket, begin, request);
  };

/** Begins something when all requests before it are answered, unless the connection is closed by then. */
export const enqueue = (socket: Duplex, begin: () => void, request: IncomingMessage | null = null): void => {
  const connection = connectionOf(socket);
  connection.waiting.push({ request, begin });
  if (connection.isAnswering) limitWait(socket, connection);
  else beginNext(socket, connection);
};

const beginNext = (socket: Duplex, connection: Connection): void => {
  connection.isAnswering = false;
  clearTimeout(connection.deadline ?? undefined);
  connection.deadline = null;
  if (connection.isClosing || !socket.writable) return;
  connection.waiting.shift()?.begin();
  if (isBusy(connection)) limitWait(socket, connection);
  else socket.resume();
};

const limitWait = (socket: Duplex, connection: Connection): void => {
  connection.deadline ??= setTimeout(() => socket.destroy(), connection.maxWaitMs);
};
