import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { Operation } from '../../commands.ts';
import type { Call } from '../../kernel/call.ts';
import type { RefusalCode } from '../../kernel/refusal.ts';
import type { KeyScope } from '../../queries.ts';
import type { HeaderFields, HttpResponse } from './middleware/response.ts';

/** The rate limit that counts a request: of its key, or of its address; `none`: not counted. */
export type RateLimitPolicy = 'key' | 'ip' | 'public' | 'session' | 'visitor' | 'none';

/** A response in the reference. `schema` for JSON, `text` for other content types, `events` for server-sent events. */
export type Described = {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly text?: readonly string[];
  /** What the `data` of each kind of event holds; `name` is that of an event among the schemas. */
  readonly events?: {
    readonly name: string;
    readonly data: Readonly<Record<string, z.ZodType>>;
  };
  readonly headers?: Readonly<Record<string, string>>;
};

type Declared = {
  /** `operationId` of the reference; unique. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Whole path with Express parameters, `/v1/jobs/:jobId`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** What the operation costs, and what it does beyond its summary. */
  readonly description?: string;
  /** Absent: the path has no parameters. */
  readonly params?: z.ZodObject;
  /** Absent: no parameter of the query is read. */
  readonly query?: z.ZodObject;
  /** Absent: no body is read. */
  readonly body?: z.ZodType;
  /** Bytes of JSON accepted; 256 KiB unless said otherwise. */
  readonly bodyLimit?: number;
  /** No body at all is read as `{}`. */
  readonly isBodyOptional?: boolean;
  readonly answers: Readonly<Record<number, Described>>;
  /** Refusals of its own; those that every route can give are added by the reference. */
  readonly refusals?: readonly RefusalCode[];
  /** Honours `Idempotency-Key` of a caller with key or session. */
  readonly isIdempotent?: boolean;
  /** Honours `X-Dry-Run`: returns the cost, and stores nothing under an `Idempotency-Key`. */
  readonly hasDryRun?: boolean;
  /** Its GET calls the platform and may be charged, so there is no HEAD. */
  readonly readsPlatform?: boolean;
  /** Headers of its own that it reads, with what they mean. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
};

/** An operation with API key. */
export type KeyEndpoint = Declared & {
  readonly access: 'key';
  /** A key with a list of scopes needs this one; null: any key. */
  readonly scope: KeyScope | null;
  /** The name under which usage counts its failures; absent: not counted. */
  readonly operation?: Operation;
  /** What a 401 asks for in `WWW-Authenticate`. */
  readonly challenge?: string;
};

/** An operation without API key. `session`: its route admits signed-in users only. */
export type OpenEndpoint = Declared & {
  readonly access: 'anyone' | 'session';
  readonly rateLimit: Exclude<RateLimitPolicy, 'key'>;
  readonly cacheControl: string;
};

export type Endpoint = KeyEndpoint | OpenEndpoint;

/** A request after routing. */
export type Routed = IncomingMessage & { readonly url: string; readonly params: unknown };

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
  readonly request: Routed;
};

type Output<Declaring, Part extends 'params' | 'query' | 'body'> = Declaring extends {
  readonly [Name in Part]: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : undefined;

/** A validated request; `call` is null for a caller who is not known. */
export type Input<E extends Endpoint, Caller = Call | null> = {
  readonly params: Output<E, 'params'>;
  readonly query: Output<E, 'query'>;
  readonly body: Output<E, 'body'>;
  readonly requestInfo: RequestInfo;
  readonly call: Caller;
};

/**
 * Authenticates a request without API key before its body is read; throws for a request that is not allowed. May add
 * headers.
 */
export type Authenticate = (
  requestInfo: RequestInfo,
  headers: HeaderFields,
) => Promise<Call | null>;

type AnyInput = {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly requestInfo: RequestInfo;
  readonly call: Call | null;
};

/** An endpoint with its handler. */
export type Route = {
  readonly endpoint: Endpoint;
  /** Absent: anonymous callers are allowed. */
  readonly authenticate?: Authenticate;
  answer(input: AnyInput): Promise<HttpResponse>;
  /** Answers a repeat under an `Idempotency-Key` from state, so that the first response need not be stored. */
  reread?(input: AnyInput): Promise<HttpResponse>;
};

/** Binds an operation with API key to its handler. `reread`: see `Route`. */
export const keyRoute = <E extends KeyEndpoint>(
  endpoint: E,
  answer: (input: Input<E, Call>) => Promise<HttpResponse>,
  reread?: (input: Input<E, Call>) => Promise<HttpResponse>,
): Route => ({ endpoint, answer, ...(reread === undefined ? {} : { reread }) });

/** Binds an operation without API key to its handler. */
export const openRoute = <E extends OpenEndpoint>(
  endpoint: E,
  answer: (input: Input<E>) => Promise<HttpResponse>,
  authenticate?: Authenticate,
): Route => ({ endpoint, answer, ...(authenticate === undefined ? {} : { authenticate }) });
