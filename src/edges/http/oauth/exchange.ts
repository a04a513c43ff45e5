import { IncomingMessage, type ServerResponse } from 'node:http';
import { oauthPaths, oauthScopes } from '../../../contract/oauth.ts';
import type { AuthorizationServer } from '../middleware/authorization-server.ts';
import { bytes, type HttpResponse } from '../middleware/response.ts';
import type { RequestInfo } from '../middleware/route.ts';

/** Cookies of the library. It would keep a session of its own beside that of the account; here each request is new. */
export const cookieNames = { session: 'oauth_session', interaction: 'oauth_consent', resume: 'oauth_resume' } as const;

/** Parameters of an authorization request that are read. Others are ignored (RFC 6749, 3.1). */
const authorizationParameters: ReadonlySet<string> = new Set([
  ...['response_type', 'client_id', 'redirect_uri', 'state', 'scope', 'resource', 'prompt'],
  ...['code_challenge', 'code_challenge_method'],
]);

/** The request as the library gets it: with the body that was read, and without what is not read of its query. */
export const innerRequest = (
  { request }: Pick<RequestInfo, 'request'>,
  body: Parameters<AuthorizationServer['answer']>[1],
): IncomingMessage => {
  const inner = new IncomingMessage(request.socket);
  const {
    'content-length': _length,
    'transfer-encoding': _coding,
    'content-encoding': _packed,
    ...headers
  } = { ...request.headers };
  inner.method = request.method ?? 'GET';
  inner.url = withKnownParameters(request.url);
  inner.headers = headers;
  if (body !== null) {
    inner.headers['content-type'] = body.contentType;
    inner.headers['content-length'] = String(Buffer.byteLength(body.text));
    inner.push(body.text);
  }
  inner.push(null);
  // Else its end would be that of the connection.
  inner.complete = true;
  return inner;
};

/** The address with the parameters that are read; without `scope` all of them are asked for. */
const withKnownParameters = (url: string): string => {
  const { pathname: path, searchParams } = new URL(url, 'http://localhost');
  if (path !== oauthPaths.authorization) return path;
  const known = [...searchParams].filter(([name]) => authorizationParameters.has(name));
  const parameters = new URLSearchParams(known);
  if ((parameters.get('scope') ?? '').trim() === '') parameters.set('scope', oauthScopes.join(' '));
  return `${path}?${parameters}`;
};

/** Headers of the library that this server sets, and its session, which is not kept. */
export const answerOf = (
  { status, body }: { readonly status: number; readonly body: unknown },
  response: ServerResponse,
): HttpResponse => {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (/^(content-|access-control-|date$|vary$)/.test(name) || value === undefined) continue;
    const values = [value].flat().map(String);
    headers[spelled(name)] = name === 'set-cookie' ? values.filter(isKept) : values.join(', ');
  }
  const type = response.getHeader('content-type');
  const text = body === null || body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  return bytes(text, { status, headers, contentType: typeof type === 'string' ? type : 'text/plain; charset=utf-8' });
};

const isKept = (setCookie: string): boolean => !setCookie.startsWith(cookieNames.session);

/** `set-cookie` as `Set-Cookie`: each header has one spelling in this server. */
const spelled = (name: string): string => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
