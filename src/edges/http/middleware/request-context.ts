import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Span } from '../../../kernel/tracing.ts';
import type { HeaderFields } from './response.ts';
import type { RequestInfo } from './route.ts';

/** The context of one request; middleware adds to it. Handlers get it as their `RequestInfo`. */
export type RequestContext = RequestInfo & {
  /** Monotonic, when the request arrived. */
  readonly startedMs: number;
  /** Aborts when the caller is gone or its time is up. */
  readonly abort: AbortController;
  /** Headers of the response, whatever it is. */
  headers: HeaderFields;
  endpoint: Endpoint | null;
  /** Both are set once the key is known. */
  call: Call | null;
  scopes: RequestInfo['scopes'];
  /** Of a failure. */
  code: string | null;
  /** Whether the captions came from what is kept; null where none were read. */
  isCacheHit: boolean | null;
  isTimeUp: boolean;
  /** Of the whole request; null: tracing is off. */
  readonly span: Span | null;
};

const ours = Symbol('context');

type ResponseWithContext = ServerResponse & { [ours]?: RequestContext };

/** Attaches the context of a request to its response. */
export const begin = (response: ResponseWithContext, context: RequestContext): void => {
  response[ours] = context;
};

/** The context that this response ends. */
export const contextOf = (response: ResponseWithContext): RequestContext => {
  const context = response[ours];
  assert(context !== undefined, 'the first middleware attaches a context to every request');
  return context;
};
