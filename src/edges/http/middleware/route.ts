import type { IncomingMessage } from 'node:http';
import type { Commands } from '../../../commands.ts';
import type { Endpoint, InputPart, KeyEndpoint, OpenEndpoint } from '../../../contract/endpoint.ts';
import type { KeyScope } from '../../../contract/key-scopes.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Queries } from '../../../queries.ts';
import type { HeaderFields, HttpResponse } from './response.ts';

/** The commands and queries that a handler calls, by their names. */
export type Application<Command extends keyof Commands = never, Query extends keyof Queries = never> = {
  readonly commands: Pick<Commands, Command>;
  readonly queries: Pick<Queries, Query>;
};

/** All of them: for what puts the handlers together. */
export type WholeApplication = Application<keyof Commands, keyof Queries>;

/** A request; the router sets its `params`. */
export type RoutedRequest = IncomingMessage & { readonly url: string; readonly params?: unknown };

/** The request beside its validated input: ids, address, headers, cookies. */
export type RequestInfo = {
  /** For responses and logs; the caller may have chosen it. */
  readonly requestId: string;
  /** Made by the service; events of web requests are stored with it. */
  readonly ownId: string;
  /** The address of the client; behind a trusted proxy the forwarded one. */
  readonly address: string;
  /** Aborts when the client disconnects or the request times out. */
  readonly signal: AbortSignal;
  /** Of its key; empty: all of them, or no key. */
  readonly scopes: readonly KeyScope[];
  readonly request: RoutedRequest;
};

/** A validated request; `call` is null for a caller who is not known. */
export type Input<E extends Endpoint, Caller = Call | null> = {
  readonly params: InputPart<E, 'params'>;
  readonly query: InputPart<E, 'query'>;
  readonly body: InputPart<E, 'body'>;
  readonly requestInfo: RequestInfo;
  readonly call: Caller;
};

/**
 * Authenticates a request without API key before its body is read; throws for a request that is not allowed. May add
 * headers.
 */
export type Authenticate = (requestInfo: RequestInfo, headers: HeaderFields) => Promise<Call | null>;

type AnyInput = Readonly<Record<'params' | 'query' | 'body', unknown>> & Pick<Input<Endpoint>, 'requestInfo' | 'call'>;

/** How a route with key takes access tokens of authorized applications too. */
export type TakesTokens = {
  /** The resource that a token must be for. */
  resource(): Promise<string>;
  /** What a 401 asks for in `WWW-Authenticate`. `isSent`: there was a key or a token, which is not good. */
  challenge(isSent: boolean): Promise<string>;
};

/** An endpoint with its handler. */
export type Route = {
  readonly endpoint: Endpoint;
  /** Absent: keys alone. */
  readonly tokens?: TakesTokens;
  /** Absent: anonymous callers are allowed. */
  readonly authenticate?: Authenticate;
  answer(input: AnyInput): Promise<HttpResponse>;
  /** Answers a repeat under an `Idempotency-Key` from state, so that the first response need not be stored. */
  reread?(input: AnyInput): Promise<HttpResponse>;
};

/** Binds an endpoint with API key to its handler. `reread`: see `Route`. */
export const keyRoute = <E extends KeyEndpoint>(
  endpoint: E,
  answer: (input: Input<E, Call>) => Promise<HttpResponse>,
  reread?: (input: Input<E, Call>) => Promise<HttpResponse>,
): Route => ({ endpoint, answer, ...(reread === undefined ? {} : { reread }) });

/** Binds an endpoint without API key to its handler. */
export const openRoute = <E extends OpenEndpoint>(
  endpoint: E,
  answer: (input: Input<E>) => Promise<HttpResponse>,
): Route => ({ endpoint, answer });
