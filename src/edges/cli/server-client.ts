import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import type { Endpoint } from '../../contract/endpoint.ts';
import { boundedBody } from '../../kernel/bounded-body.ts';
import { newUuid, randomShare } from '../../kernel/ids.ts';
import { parseJson } from '../../kernel/parse-json.ts';
import { isTemporary, NetworkError, ServerError } from './server-error.ts';
import { type ServerEvent, serverEvents } from './server-text.ts';
import { remark, type Server, type Terminal } from './terminal.ts';

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type ServerRequest = {
  readonly method: Endpoint['method'];
  /** Below the address of the server, such as `/v1/usage`. */
  readonly path: string;
  /** Null and undefined members are omitted. */
  readonly query?: Query;
  readonly body?: object;
  /** Only returns the price (`X-Dry-Run`). */
  readonly isDryRun?: boolean;
  /** To what its cost is assigned (`X-Cost-Tag`); a body has its own member. */
  readonly costTag?: string | undefined;
  /**
   * Names what is done, so that a request that is sent again does it once. Every POST has a name, made here unless given;
   * a GET has one where it is charged (`isCharged`).
   */
  readonly idempotencyKey?: string;
  readonly isCharged?: boolean;
};

export type ServerAnswer<Answer> = {
  readonly headers: Headers;
  readonly body: Answer;
  /** As it was sent, with members that this release does not know. */
  readonly sent: unknown;
};

/** The API of a server, as the command line asks it. */
export type ServerClient = {
  /** Throws `ServerError` for an answer in the Error shape, `NetworkError` where none came, after repeats. */
  send<Answer>(request: ServerRequest, answer: z.ZodType<Answer>): Promise<ServerAnswer<Answer>>;
  /** A file, as its pieces come; it takes as long as it needs. Throws as `send`, without repeats. */
  download(request: ServerRequest, into: (pieces: AsyncIterable<Uint8Array>) => Promise<void>): Promise<void>;
  /** The server-sent events at a path after one id, until the stream ends; null where nothing follows (204). */
  follow(path: string, after: string): Promise<AsyncIterable<ServerEvent> | null>;
};

const attempts = 4;
/** A longer Retry-After is an error. */
const longestWaitMs = 60_000;
const firstBackoffMs = 250;
/** Timeout of a request. */
const timeLimitMs = 60_000;
/** A page of a hundred results of long videos. */
const maxBytes = 256 * 1024 * 1024;
/** Pauses of at least this length are announced. */
const noticeableMs = 1_000;

type Parts = Pick<Terminal, 'signal' | 'stderr' | 'isQuiet' | 'version'> & {
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
};

/** A client with retries: 429, 409 and 5xx after the Retry-After of the response, lost connections with backoff. */
export const serverClient = (server: Server, parts: Parts): ServerClient => {
  const wait = parts.wait ?? ((ms: number, signal) => pause(ms, undefined, { signal }));

  /** Maps the error of a failed request; throws the reason if the caller has aborted it. */
  const brokenBy = (error: unknown): NetworkError => {
    parts.signal.throwIfAborted();
    return new NetworkError(server.url, error);
  };

  const open = (request: ServerRequest, init: RequestInit & { headers?: Record<string, string> }): Promise<Response> =>
    fetch(addressOf(server, request), {
      ...{ method: request.method, redirect: 'manual', ...init },
      headers: {
        Authorization: `Bearer ${server.key}`,
        'User-Agent': `steno/${parts.version}`,
        ...(request.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(request.isDryRun === true ? { 'X-Dry-Run': '1' } : {}),
        ...(request.costTag === undefined ? {} : { 'X-Cost-Tag': request.costTag }),
        ...init.headers,
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    });

  const once = async (request: ServerRequest, headers: Record<string, string>): Promise<RawAnswer> => {
    const signal = AbortSignal.any([parts.signal, AbortSignal.timeout(timeLimitMs)]);
    try {
      return await rawOf(await open(request, { signal, headers }));
    } catch (error) {
      throw brokenBy(error);
    }
  };

  return {
    async send(request, answer) {
      const isNamed = request.method === 'POST' || request.isCharged === true;
      const named = isNamed ? { 'Idempotency-Key': request.idempotencyKey ?? newUuid() } : {};
      for (let attempt = 1; ; attempt += 1) {
        try {
          const received = await once(request, named);
          const body = bodyOf(server, received);
          return { headers: received.headers, body: validated(server, answer, body), sent: body };
        } catch (error) {
          const waitMs = waitAfter(error, attempt);
          if (waitMs === null) throw error;
          if (waitMs >= noticeableMs) {
            const why = error instanceof ServerError ? error.code : 'no answer';
            remark(parts, `${why}: retrying in ${Math.ceil(waitMs / 1_000)} s`);
          }
          await wait(waitMs, parts.signal);
        }
      }
    },

    async download(request, into) {
      const response = await open(request, { signal: parts.signal }).catch((error: unknown) => {
        throw brokenBy(error);
      });
      if (response.status !== 200 || response.body === null) {
        bodyOf(server, await rawOf(response));
        throw notSteno(server);
      }
      await into(unlessBroken(response.body, brokenBy));
    },

    async follow(path, after) {
      const signal = AbortSignal.any([parts.signal, AbortSignal.timeout(timeLimitMs)]);
      const headers = { 'Last-Event-ID': after };
      try {
        const response = await open({ method: 'GET', path }, { signal, headers, redirect: 'follow' });
        if (response.status === 204) return null;
        if (response.status !== 200) bodyOf(server, await rawOf(response));
        return unlessBroken(serverEvents(response), brokenBy);
      } catch (error) {
        if (error instanceof ServerError) throw error;
        throw brokenBy(error);
      }
    },
  };
};

type RawAnswer = { readonly status: number; readonly headers: Headers; readonly text: string };

const addressOf = ({ url }: Server, { path, query = {} }: ServerRequest): string => {
  const wanted = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(wanted.map(([name, value]) => [name, String(value)]));
  return `${url}${path}${search.size === 0 ? '' : `?${search}`}`;
};

const rawOf = async ({ status, headers, body }: Response): Promise<RawAnswer> => {
  const tooLarge = () => new Error(`a response exceeds ${maxBytes} bytes`);
  const bytes = body === null ? '' : await boundedBody(body, maxBytes, tooLarge);
  return { status, headers, text: bytes.toString() };
};

/** The JSON of a response; null without a body. Throws unless the status is a success. */
const bodyOf = (server: Server, { status, headers, text }: RawAnswer): unknown => {
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null) {
    throw new Error(`${server.url} has moved to ${location}: use that address`);
  }
  const body = text === '' ? null : parseJson(text);
  if (status >= 400) throw ServerError.of(server.url, status, headers, body);
  if (body === undefined) throw notSteno(server);
  return body;
};

const notSteno = ({ url }: Server): Error =>
  new Error(`${url} does not respond like a Steno server: is the address right?`);

const validated = <Answer>(server: Server, schema: z.ZodType<Answer>, body: unknown): Answer => {
  const answer = schema.safeParse(body);
  if (answer.success) return answer.data;
  // A newer server may say values that this release does not know.
  if (answer.error.issues.every(({ code }) => code === 'invalid_value')) return body as Answer;
  throw notSteno(server);
};

/** The pause before the next attempt; null if the error is permanent or the pause too long. */
const waitAfter = (error: unknown, attempt: number): number | null => {
  if (!isTemporary(error) || attempt >= attempts) return null;
  const backoffMs = firstBackoffMs * 2 ** (attempt - 1) * (0.5 + randomShare());
  const statedMs = error instanceof ServerError ? (error.retryAfterS ?? 0) * 1_000 : 0;
  return statedMs > longestWaitMs ? null : Math.max(statedMs, backoffMs);
};

async function* unlessBroken<Piece>(
  pieces: AsyncIterable<Piece>,
  brokenBy: (error: unknown) => NetworkError,
): AsyncGenerator<Piece> {
  try {
    yield* pieces;
  } catch (error) {
    throw brokenBy(error);
  }
}
