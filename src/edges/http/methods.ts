import type { RequestHandler, Response } from 'express';
import { Refusal } from '../../kernel/refusal.ts';
import type { Edge } from './edge.ts';
import type { Endpoint } from './endpoint.ts';
import { exchangeOf } from './exchange.ts';
import { countAddress } from './rate-limit.ts';

/**
 * What the methods of one path are. A read under an API key has no HEAD: it would be charged and bring
 * nothing. OPTIONS is answered everywhere.
 */
export const methodsOf = (endpoints: readonly Endpoint[]): string[] => {
  const methods = endpoints.flatMap(({ method, access }) =>
    method === 'GET' && access !== 'key' ? ['GET', 'HEAD'] : [method],
  );
  return [...new Set([...methods, 'OPTIONS'])];
};

/** Answers OPTIONS, and every method that a path does not know. */
export const otherMethods = (edge: Edge, endpoints: readonly Endpoint[]): RequestHandler => {
  const allow = methodsOf(endpoints).join(', ');
  return async (request, response) => {
    response.setHeader('Allow', allow);
    if (request.method !== 'OPTIONS') {
      const message = `${request.method} is not possible here; ${allow} is.`;
      throw new Refusal('METHOD_NOT_ALLOWED', message);
    }
    await countAddress(edge, response, exchangeOf(response).address, 'none');
    if (request.path.startsWith('/v1/')) setPreflight(response, allow);
    response.status(204).end();
  };
};

const setPreflight = (response: Response, allow: string): void => {
  response.setHeader('Access-Control-Allow-Methods', allow);
  response.setHeader(
    'Access-Control-Allow-Headers',
    'Authorization, X-API-Key, Content-Type, Idempotency-Key, X-Request-ID, traceparent',
  );
  response.setHeader('Access-Control-Max-Age', '600');
};
