import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { allowedHeaders, isCrossOrigin } from './cross-origin.ts';
import type { MiddlewareDeps } from './dependencies.ts';
import { countAddress } from './rate-limit.ts';
import { contextOf } from './request-context.ts';
import { type HeaderFields, noContent, send } from './response.ts';

/**
 * The methods of a path. Every GET has a HEAD, which costs nothing, unless its headers need a call of the platform or cost credits.
 * OPTIONS is always allowed.
 */
export const methodsOf = (endpoints: readonly Endpoint[]): string[] => {
  const methods = endpoints.flatMap((endpoint) => (hasHead(endpoint) ? ['GET', 'HEAD'] : [endpoint.method]));
  return [...new Set([...methods, 'OPTIONS'])];
};

/** Whether HEAD is answered too: not where a GET would cause requests to the platform or a charge. */
export const hasHead = ({ method, readsPlatform, hasDryRun }: Endpoint): boolean =>
  method === 'GET' && readsPlatform !== true && hasDryRun !== true;

/** Answers OPTIONS, and every method that a path does not know. */
export const otherMethods = (deps: MiddlewareDeps, endpoints: readonly Endpoint[]) => {
  const allow = methodsOf(endpoints).join(', ');
  const headers = endpoints.some(({ path }) => isCrossOrigin(path)) ? preflight(allow, endpoints) : {};
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const context = contextOf(response);
    context.headers['Allow'] = allow;
    if (request.method !== 'OPTIONS') {
      const message = `${request.method} is not allowed here; allowed: ${allow}.`;
      throw new Refusal('METHOD_NOT_ALLOWED', message);
    }
    await countAddress(deps, context.headers, context.address, 'none');
    send(response, context, noContent(headers));
  };
};

const preflight = (allow: string, endpoints: readonly Endpoint[]): HeaderFields => ({
  'Access-Control-Allow-Methods': allow,
  'Access-Control-Allow-Headers': allowedHeaders(endpoints),
  'Access-Control-Max-Age': '600',
});
