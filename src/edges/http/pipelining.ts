import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Connection = {
  /** The request that was parsed last. */
  request: IncomingMessage | null;
  response: ServerResponse | null;
  /** Its response is sent, or the connection is closed. */
  isAnswered: boolean;
  /** What is left of its body; null when the body comes in chunks. */
  bodyBytes: number | null;
  /** The last bytes of an unfinished head: the empty line that ends it may be divided between two reads. */
  tail: Buffer;
  /** Whether this connection has had its share of this turn of the event loop. */
  isTurnOver: boolean;
  /** Set while bytes of a later request wait for the answer: cuts a connection whose answers are not read. */
  deadline: NodeJS.Timeout | null;
  isDiscarding: boolean;
  discardedBytes: number;
};

const endOfHead = '\r\n\r\n';
const nothing = Buffer.alloc(0);
/** Calls of the parser for one connection before the others have their turn of the event loop. */
const maxPieces = 16;
/** So much of a chunked body is parsed by one call: each chunk costs the parser as much as a short request. */
const chunkedPieceBytes = 32;
/** Input of a closing connection is discarded up to this size, so that the client reads the response; then it is destroyed. */
const maxDiscardedBytes = 16 * 1024 * 1024;

const connections = new WeakMap<object, Connection>();

/**
 * Reads one request at a time from each connection. Node parses all of a read (64 KiB, some 3,000 requests) before
 * anything else runs, and keeps every one of them with its answer until those before it are sent. Here the parser is
 * given the bytes up to the end of one request; the rest goes back to the socket, which is paused until the answer is
 * out. So a connection has one request in flight, and nothing is begun behind a request that closes the connection. A
 * connection on which requests wait longer than `maxWaitMs` for one answer is cut: its caller sends and does not read.
 */
export const readOneRequestAtATime = (server: Server, maxWaitMs: number): void => {
  server.on('connection', (socket) => {
    const connection = newConnection();
    connections.set(socket, connection);
    // `http.Server` reads any stream by a `data` listener, which is called from here instead.
    const parsers = socket.listeners('data');
    socket.removeAllListeners('data');
    const parse = (piece: Buffer): void => {
      for (const parser of parsers) parser.call(socket, piece);
    };
    socket.on('data', (chunk: Buffer) => {
      if (connection.isDiscarding) discard(connection, socket, chunk);
      else feed(connection, socket, chunk, parse);
      if (isBusy(connection) && socket.isPaused()) {
        connection.deadline ??= setTimeout(() => socket.destroy(), maxWaitMs);
      }
    });
    socket.once('close', () => clearTimeout(connection.deadline ?? undefined));
  });
  server.prependListener('request', (request, response) => {
    const connection = connections.get(request.socket);
    if (connection !== undefined) begin(connection, request, response);
  });
};

/** The response in progress on a connection; null when it waits for a request. */
export const responseUnderWay = (socket: object): ServerResponse | null => {
  const connection = connections.get(socket);
  return connection === undefined || connection.isAnswered ? null : connection.response;
};

/** Whether input of this socket belongs to a request that is already answered. */
export const isAnsweredEarly = (socket: object): boolean => {
  const connection = connections.get(socket);
  return connection?.isAnswered === true && connection.request?.complete === false;
};

export const isDiscarding = (socket: object): boolean =>
  connections.get(socket)?.isDiscarding === true;

/** Discards further input. If it were parsed, a request behind a refusal would still be handled and charged. */
export const discardInput = (socket: object): void => {
  const connection = connections.get(socket);
  if (connection !== undefined) connection.isDiscarding = true;
};

const newConnection = (): Connection => ({
  request: null,
  response: null,
  isAnswered: false,
  bodyBytes: 0,
  tail: nothing,
  isTurnOver: false,
  deadline: null,
  isDiscarding: false,
  discardedBytes: 0,
});

const begin = (
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  connection.request = request;
  connection.response = response;
  connection.isAnswered = false;
  connection.bodyBytes = isChunked ? null : Number(request.headers['content-length'] ?? 0);
  response.once('close', () => {
    const { deadline } = connection;
    if (deadline === null) {
      connection.isAnswered = true;
      return;
    }
    clearTimeout(deadline);
    connection.deadline = null;
    // Other connections first: a client that sends far ahead must not hold the event loop.
    setImmediate(() => {
      connection.isAnswered = true;
      request.socket.resume();
    });
  });
};

const discard = (connection: Connection, socket: Socket, chunk: Buffer): void => {
  connection.discardedBytes += chunk.length;
  if (connection.discardedBytes > maxDiscardedBytes) socket.destroy();
};

const feed = (
  connection: Connection,
  socket: Socket,
  chunk: Buffer,
  parse: (piece: Buffer) => void,
): void => {
  let rest = chunk;
  for (let pieces = 0; pieces < maxPieces && rest.length > 0; pieces += 1) {
    if (connection.isTurnOver || isBusy(connection) || connection.isDiscarding) break;
    const piece = nextPiece(connection, rest);
    rest = rest.subarray(piece.length);
    parse(piece);
  }
  if (rest.length === 0 || connection.isDiscarding || socket.destroyed) return;
  socket.pause();
  socket.unshift(rest);
  if (isBusy(connection) || connection.isTurnOver) return;
  // A body reader resumes the socket in the same turn; parsing continues in the next turn only.
  connection.isTurnOver = true;
  setImmediate(() => {
    connection.isTurnOver = false;
    socket.resume();
  });
};

/** Whether the request is read to its end and waits for its answer. */
const isBusy = ({ request, isAnswered }: Connection): boolean =>
  request?.complete === true && !isAnswered;

/** The bytes up to the end of the body, or up to the next empty line: at most one request begins within them. */
const nextPiece = (connection: Connection, rest: Buffer): Buffer => {
  const { request, bodyBytes, tail } = connection;
  if (request?.complete === false && bodyBytes !== null && bodyBytes > 0) {
    const body = rest.subarray(0, bodyBytes);
    connection.bodyBytes = bodyBytes - body.length;
    return body;
  }
  const isChunked = request?.complete === false && bodyBytes === null;
  const within = isChunked ? rest.subarray(0, chunkedPieceBytes) : rest;
  const divided =
    tail.length === 0 ? -1 : Buffer.concat([tail, within.subarray(0, 3)]).indexOf(endOfHead);
  const at = divided === -1 ? within.indexOf(endOfHead) : divided - tail.length;
  const piece = at === -1 ? within : within.subarray(0, at + endOfHead.length);
  connection.tail = at === -1 ? Buffer.concat([tail, piece.subarray(-3)]).subarray(-3) : nothing;
  return piece;
};
