import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Operation } from '../../commands.ts';
import type { Call } from '../../kernel/call.ts';
import type { RefusalCode } from '../../kernel/refusal.ts';
import type { KeyScope } from '../../queries.ts';
import type { HeaderFields, HttpResponse } from './middleware/response.ts';
import { validationMessage } from './middleware/validation-messages.ts';

/** Which window counts a request: that of its key, or of its address; `none` is not counted at all. */
export type Counting = 'key' | 'ip' | 'public' | 'session' | 'visitor' | 'none';

/** One answer as the reference shows it. `schema` for JSON, `text` for other content types. */
export type Described = {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** A whole answer in JSON. */
  readonly example?: unknown;
  readonly text?: readonly string[];
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
  /** Honours `Idempotency-Key` of whoever is known by key or session. */
  readonly isIdempotent?: boolean;
  /** Honours `X-Dry-Run`: answers what it would cost, and keeps nothing under an `Idempotency-Key`. */
  readonly hasDryRun?: boolean;
  /** Its GET asks the platform and may be charged: it has no HEAD. */
  readonly readsPlatform?: boolean;
  /** Headers of its own that it reads, with what they mean. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
};

/** An operation that wants an API key. */
export type KeyEndpoint<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
> = Declared<P, Q, B> & {
  readonly access: 'key';
  /** A key with a list of scopes needs this one; null: any key. */
  readonly scope: KeyScope | null;
  /** Under which name usage counts its failures; null: usage does not know it. */
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
  readonly counting: Exclude<Counting, 'key'>;
  readonly cacheControl: string;
};

export type Endpoint = KeyEndpoint | OpenEndpoint;

/** For an endpoint without path parameters, or without query. */
export const noFields = z.object({});
/** For an endpoint that reads no body. */
export const noBody = z.undefined();

/** What a request brings, before any schema has seen it. */
export type RawInput = {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
};

/** A request that the router has found the route of. */
export type Routed = IncomingMessage & { readonly url: string; readonly params: unknown };

/** The request around the input, for what is not in a schema: cookies, Origin, the address. */
export type Visit = {
  /** For answers and logs: the caller may have chosen it. */
  readonly requestId: string;
  /** Made by the service: what web requests store is found by it. */
  readonly ownId: string;
  /** Of the client; behind a trusted proxy the one it names. */
  readonly address: string;
  /** Aborts when the caller is gone or its time is up. */
  readonly signal: AbortSignal;
  /** Of its key; empty: all of them, or no key. */
  readonly scopes: readonly KeyScope[];
  readonly request: Routed;
};

type Input<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> = {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
  readonly visit: Visit;
};

/** Who an open operation lets in, said before the body is read; throws for whom it does not. May add to the headers. */
export type Admission = (visit: Visit, headers: HeaderFields) => Promise<Call | null>;

/** One endpoint and what answers it. `prepare` validates (throws a ZodError); what it returns does the work. */
export type Route = {
  readonly endpoint: Endpoint;
  /** Without one, an open operation lets everybody in. */
  readonly admit?: Admission;
  readonly prepare: (raw: RawInput) => (visit: Visit, call: Call | null) => Promise<HttpResponse>;
  /** Answers a repeat under an `Idempotency-Key` from state, so that the first answer need not be kept. */
  readonly reread?: Route['prepare'];
};

/** What answers an operation under an API key. */
type KeyHandler<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> = (
  input: Input<P, Q, B> & { readonly call: Call },
) => Promise<HttpResponse>;

/** Binds an operation under an API key to the code that answers it. `reread`: see `Route`. */
export const keyRoute = <P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  endpoint: KeyEndpoint<P, Q, B>,
  answer: KeyHandler<P, Q, B>,
  reread?: KeyHandler<P, Q, B>,
): Route => {
  const preparing =
    (handler: KeyHandler<P, Q, B>): Route['prepare'] =>
    (raw) => {
      const { params, query, body } = parse(endpoint, raw);
      return (visit, call) => {
        assert(call !== null, 'a request reaches a key route with its key known');
        return handler({ params, query, body, visit, call });
      };
    };
  return {
    endpoint,
    prepare: preparing(answer),
    ...(reread === undefined ? {} : { reread: preparing(reread) }),
  };
};

/** Binds an operation without API key to the code that answers it. */
export const openRoute = <P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  endpoint: OpenEndpoint<P, Q, B>,
  answer: (input: Input<P, Q, B>) => Promise<HttpResponse>,
  admit?: Admission,
): Route => ({
  endpoint,
  ...(admit === undefined ? {} : { admit }),
  prepare(raw) {
    const { params, query, body } = parse(endpoint, raw);
    return (visit) => answer({ params, query, body, visit });
  },
});

/** What answers an operation of a signed-in user. */
export type SessionHandler<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> = (
  input: Input<P, Q, B> & { readonly call: Call },
) => Promise<HttpResponse>;

/** Binds an operation of a signed-in user to the code that answers it; `admit` finds out who that is. */
export const sessionRoute = <P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  endpoint: OpenEndpoint<P, Q, B>,
  admit: Admission,
  answer: SessionHandler<P, Q, B>,
): Route => ({
  endpoint,
  admit,
  prepare(raw) {
    const { params, query, body } = parse(endpoint, raw);
    return (visit, call) => {
      assert(call !== null, 'a request reaches a session route with its user known');
      return answer({ params, query, body, visit, call });
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
