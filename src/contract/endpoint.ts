import type { z } from 'zod';
import type { UsageKind } from '../credits/prices.ts';
import type { RefusalCode } from '../kernel/refusal.ts';
import type { KeyScope } from './key-scopes.ts';

/** The rate limit that counts a request: of its key, or of its address; `none`: not counted. */
export type RateLimitPolicy = 'key' | 'ip' | 'public' | 'session' | 'visitor' | 'none';

/**
 * A response in the reference. `schema` for JSON, `text` for other types of text, `bytes` for types that are no text, `events` for
 * server-sent events.
 */
export type ResponseDescription = {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly text?: readonly string[];
  readonly bytes?: readonly string[];
  /** What the `data` of each kind of event holds; `name` is that of an event among the schemas. */
  readonly events?: { readonly name: string; readonly data: Readonly<Record<string, z.ZodType>> };
  readonly headers?: Readonly<Record<string, string>>;
};

type EndpointDeclaration = {
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
  readonly answers: Readonly<Record<number, ResponseDescription>>;
  /** Refusals of its own; those that every route can give are added by the reference. */
  readonly refusals?: readonly RefusalCode[];
  /** Honours `Idempotency-Key` of a caller with key or session. */
  readonly isIdempotent?: boolean;
  /** Costs credits: honours `X-Cost-Tag`, and `X-Dry-Run`, which returns the cost and stores nothing under an `Idempotency-Key`. */
  readonly hasDryRun?: boolean;
  /** May take longer than the time limit of a request, once its answer has begun. */
  readonly isLong?: boolean;
  /** Its GET calls the platform and may be charged, so there is no HEAD. */
  readonly readsPlatform?: boolean;
  /** Headers of its own that it reads, with what they mean. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
};

/** An operation with API key. */
export type KeyEndpoint = EndpointDeclaration & {
  readonly access: 'key';
  /** A key with a list of scopes needs this one; null: every key may. */
  readonly scope: KeyScope | null;
  /** The name under which usage counts its failures; absent: not counted. */
  readonly operation?: UsageKind;
};

/** An operation without API key. `session`: its route admits signed-in users only. */
export type OpenEndpoint = EndpointDeclaration & {
  readonly access: 'anyone' | 'session';
  readonly rateLimit: Exclude<RateLimitPolicy, 'key'>;
  readonly cacheControl: string;
};

export type Endpoint = KeyEndpoint | OpenEndpoint;

/** A validated part of a request, as its schema makes it; undefined: the endpoint reads none. */
export type InputPart<Declaring, Part extends 'params' | 'query' | 'body'> = Declaring extends {
  readonly [Name in Part]: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : undefined;

/** What endpoints share; what it returns is spread into the declaration of one of them, before the members of its own. */
export const endpointsWith =
  <const Shared extends Partial<Endpoint>>(shared: Shared) =>
  <const Method extends Endpoint['method']>(id: string, method: Method, path: string) => ({
    ...shared,
    id,
    method,
    path,
  });

/** Common members of the endpoints with session. */
export const ofUser = {
  access: 'session',
  rateLimit: 'session',
  cacheControl: 'no-store',
  bodyLimit: 16 * 1024,
} as const;
