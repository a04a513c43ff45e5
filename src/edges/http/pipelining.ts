import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { elapsedMs } from '../../kernel/clock.ts';

/** The requests of a connection, in their order. */
type Line = {
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
const shareMs = 0.1;

const lines = new WeakMap<object, Line>();

export const lineOf = (socket: object): Line => {
  const line = lines.get(socket);
  if (line === undefined) throw new Error('not a connection of this server');
  return line;
};

/**
 * Limits how much of a connection's input is parsed at once. Node parses all of a read (64 KiB: some 3,000 requests, or
 * 10,000 chunks of a body) before anything else runs, and no option makes reads smaller. Here its parser, a `data` listener,
 * is called with pieces; the rest goes back to the socket, which is paused until all requests of a piece are answered.
 * A connection on which something waits longer than `maxWaitMs` for one answer is cut.
 */
export const readInPieces = (server: Server, maxWaitMs: number): void => {
  server.on('connection', (socket) => {
    const line: Line = {
      ...{ begun: null, isAnswering: false, waiting: [], isClosing: false },
      ...{ deadline: null, maxWaitMs },
    };
    lines.set(socket, line);
    const parsers = socket.listeners('data');
    socket.removeAllListeners('data');
    let isTurnOver = false;
    const nextTurn = (): void => {
      isTurnOver = false;
      if (!isBusy(line)) socket.resume();
    };
    socket.on('data', (chunk: Buffer) => {
      const startedMs = elapsedMs();
      let rest = chunk;
      while (rest.length > 0 && !isTurnOver && !isBusy(line) && !isOver(socket, line)) {
        for (const parser of parsers) parser.call(socket, rest.subarray(0, pieceBytes));
        rest = rest.subarray(pieceBytes);
        isTurnOver = elapsedMs() - startedMs > shareMs;
        if (isTurnOver) setImmediate(nextTurn);
      }
      if (rest.length === 0 || isOver(socket, line)) return;
      socket.pause();
      socket.unshift(rest);
      if (isBusy(line)) limitWait(socket, line);
    });
  });
};

/** Whether the next request has to wait. A request whose body is still read does not keep the input waiting. */
const isBusy = ({ begun, isAnswering, waiting }: Line): boolean =>
  waiting.length > 0 || (isAnswering && begun?.req.complete === true);

const isOver = (socket: Duplex, line: Line): boolean => line.isClosing || socket.destroyed;

/** Begins each request of a connection when the one before is answered, and none behind an answer that closes the connection. */
export const oneAtATime =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    const { socket } = request;
    const line = lineOf(socket);
    // Node loses what it has read behind a request to upgrade that it answers as any other.
    if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
    const begin = (): void => {
      line.begun = response;
      line.isAnswering = true;
      response.once('close', () => {
        // Other connections first: a client that sends far ahead must not hold the event loop.
        if (line.deadline !== null) setImmediate(() => beginNext(socket, line));
        else line.isAnswering = false;
      });
      listener(request, response);
    };
    inTurn(socket, begin, request);
  };

/** Begins something when all requests before it are answered, unless the connection is closed by then. */
export const inTurn = (
  socket: Duplex,
  begin: () => void,
  request: IncomingMessage | null = null,
): void => {
  const line = lineOf(socket);
  line.waiting.push({ request, begin });
  if (line.isAnswering) limitWait(socket, line);
  else beginNext(socket, line);
};

const beginNext = (socket: Duplex, line: Line): void => {
  line.isAnswering = false;
  clearTimeout(line.deadline ?? undefined);
  line.deadline = null;
  if (line.isClosing || !socket.writable) return;
  line.waiting.shift()?.begin();
  if (isBusy(line)) limitWait(socket, line);
  else socket.resume();
};

const limitWait = (socket: Duplex, line: Line): void => {
  line.deadline ??= setTimeout(() => socket.destroy(), line.maxWaitMs);
};
