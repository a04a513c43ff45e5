import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Operation } from '../../commands.ts';
import type { Call } from '../../kernel/call.ts';
import type { RefusalCode } from '../../kernel/refusal.ts';
import type { KeyScope } from '../../queries.ts';
import type { HeaderFields, HttpResponse } from './middleware/response.ts';
import { validationMessage } from './middleware/validation-messages.ts';

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

type Declared<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> = {
  /** `operationId` of the reference; unique. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Whole path with Express parameters, `/v1/jobs/:jobId`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** What the operation costs, and what it does beyond its summary. */
  readonly description?: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Bytes of JSON accepted; 256 KiB unless said otherwise. */
  readonly bodyLimit?: number;
  /** No body at all is read as `{}`. */
  readonly isBodyOptional?: boolean;
  readonly answers: Readonly<Record<number, Described>>;
  /** Refusals of its own; those that every route can give are added by the reference. */
  readonly refusals: readonly RefusalCode[];
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
export type KeyEndpoint<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
> = Declared<P, Q, B> & {
  readonly access: 'key';
  /** A key with a list of scopes needs this one; null: any key. */
  readonly scope: KeyScope | null;
  /** The name under which usage counts its failures; null: not counted. */
  readonly operation: Operation | null;
  readonly isIdempotent: boolean;
  /** What a 401 asks for in `WWW-Authenticate`. */
  readonly challenge?: string;
};

/** An operation without API key. `session`: its route admits signed-in users only. */
export type OpenEndpoint<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
> = Declared<P, Q, B> & {
  readonly access: 'anyone' | 'session';
  readonly rateLimit: Exclude<RateLimitPolicy, 'key'>;
  readonly cacheControl: string;
};

export type Endpoint = KeyEndpoint | OpenEndpoint;

/** For an endpoint without path parameters, or without query. */
export const noFields = z.object({});
/** For an endpoint that reads no body. */
export const noBody = z.undefined();

/** The input of a request before validation. */
export type RawInput = {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
};

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

type Input<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> = {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
  readonly requestInfo: RequestInfo;
};

/**
 * Authenticates a request without API key before its body is read; throws for a request that is not allowed. May add
 * headers.
 */
export type Authenticate = (
  requestInfo: RequestInfo,
  headers: HeaderFields,
) => Promise<Call | null>;

/** An endpoint with its handler. `prepare` validates (throws a ZodError) and returns the work. */
export type Route = {
  readonly endpoint: Endpoint;
  /** Absent: anonymous callers are allowed. */
  readonly authenticate?: Authenticate;
  readonly prepare: (
    raw: RawInput,
  ) => (requestInfo: RequestInfo, call: Call | null) => Promise<HttpResponse>;
  /** Answers a repeat under an `Idempotency-Key` from state, so that the first response need not be stored. */
  readonly reread?: Route['prepare'];
};

/** The handler of an operation with API key. */
type KeyHandler<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> = (
  input: Input<P, Q, B> & { readonly call: Call },
) => Promise<HttpResponse>;

/** Binds an operation with API key to its handler. `reread`: see `Route`. */
export const keyRoute = <P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  endpoint: KeyEndpoint<P, Q, B>,
  answer: KeyHandler<P, Q, B>,
  reread?: KeyHandler<P, Q, B>,
): Route => {
  const preparing =
    (handler: KeyHandler<P, Q, B>): Route['prepare'] =>
    (raw) => {
      const { params, query, body } = parse(endpoint, raw);
      return (requestInfo, call) => {
        assert(call !== null, 'a request reaches a key route with its key known');
        return handler({ params, query, body, requestInfo, call });
      };
    };
  return {
    endpoint,
    prepare: preparing(answer),
    ...(reread === undefined ? {} : { reread: preparing(reread) }),
  };
};

/** Binds an operation without API key to its handler. */
export const openRoute = <P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  endpoint: OpenEndpoint<P, Q, B>,
  answer: (input: Input<P, Q, B>) => Promise<HttpResponse>,
  authenticate?: Authenticate,
): Route => ({
  endpoint,
  ...(authenticate === undefined ? {} : { authenticate }),
  prepare(raw) {
    const { params, query, body } = parse(endpoint, raw);
    return (requestInfo) => answer({ params, query, body, requestInfo });
  },
});

/** The handler of an operation with session. */
export type SessionHandler<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> = (
  input: Input<P, Q, B> & { readonly call: Call },
) => Promise<HttpResponse>;

/** Binds an operation with session to its handler; `authenticate` finds the user. */
export const sessionRoute = <P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  endpoint: OpenEndpoint<P, Q, B>,
  authenticate: Authenticate,
  answer: SessionHandler<P, Q, B>,
): Route => ({
  endpoint,
  authenticate,
  prepare(raw) {
    const { params, query, body } = parse(endpoint, raw);
    return (requestInfo, call) => {
      assert(call !== null, 'a request reaches a session route with its user known');
      return answer({ params, query, body, requestInfo, call });
    };
  },
});

const inWords = { error: validationMessage };

const parse = <P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  { params, query, body }: { readonly params: P; readonly query: Q; readonly body: B },
  raw: RawInput,
) => ({
  params: params.parse(raw.params, inWords),
  query: query.parse(raw.query, inWords),
  body: body.parse(raw.body, inWords),
});
