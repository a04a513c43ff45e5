import type { OpenEndpoint } from '../../../contract/endpoint.ts';
import { oauthPaths } from '../../../contract/oauth.ts';
import type { Limiter } from '../../../kernel/limiter.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import type { AuthorizationServer } from '../middleware/authorization-server.ts';
import { readForm, readJson } from '../middleware/body.ts';
import { countedAddress } from '../middleware/client-address.ts';
import { type HttpResponse, json } from '../middleware/response.ts';
import { openRoute, type RequestInfo, type Route } from '../middleware/route.ts';
import { clientMetadataOf } from './client-metadata.ts';

type Deps = {
  readonly authorizationServer: AuthorizationServer;
  readonly limiter: Limiter;
  readonly oauthRegistrationsPerHour: number;
};

const bodyLimit = 16 * 1024;
const hourS = 3_600;

const post = (id: string, path: string, summary: string) =>
  ({
    ...{ id, path, summary, method: 'POST', access: 'anyone', rateLimit: 'session', tag: 'OAuth' },
    ...{ cacheControl: 'no-store', answers: {} },
  }) as const satisfies OpenEndpoint;

const document = (id: string, path: string, summary: string) =>
  ({
    ...{ id, path, summary, method: 'GET', access: 'anyone', rateLimit: 'public', tag: 'OAuth' },
    ...{ cacheControl: 'public, max-age=300', answers: {} },
  }) as const satisfies OpenEndpoint;

/** The endpoints of the authorization server that programs ask; those for browsers are pages. */
export const oauthRoutes = (deps: Deps): Route[] => {
  const { authorizationServer: server } = deps;
  const form = (requestInfo: RequestInfo): Promise<HttpResponse> =>
    inOAuthShape(async () => {
      const fields = await readForm(requestInfo.request, bodyLimit);
      return server.answer(requestInfo, { contentType: 'application/x-www-form-urlencoded', text: String(fields) });
    });
  return [
    openRoute(
      post('oauthToken', oauthPaths.token, 'Exchange a code or a refresh token for tokens'),
      ({ requestInfo }) => form(requestInfo),
    ),
    openRoute(post('oauthRevoke', oauthPaths.revocation, 'Revoke a token'), ({ requestInfo }) => form(requestInfo)),
    openRoute(post('oauthRegister', oauthPaths.registration, 'Register an application'), ({ requestInfo }) =>
      inOAuthShape(() => registered(deps, requestInfo)),
    ),
    openRoute(document('oauthServer', oauthPaths.serverMetadata, 'Authorization-server metadata'), async () =>
      json(await server.serverMetadata(), { headers: anyOrigin }),
    ),
    openRoute(document('oauthResource', oauthPaths.resourceMetadata, 'Protected-resource metadata'), async () =>
      json(await server.resourceMetadata(), { headers: anyOrigin }),
    ),
  ];
};

const anyOrigin = { 'Access-Control-Allow-Origin': '*' } as const;

/** Dynamic registration (RFC 7591). Every application is a public one: it proves itself by PKCE. */
const registered = async (
  { authorizationServer, limiter, oauthRegistrationsPerHour: limit }: Deps,
  requestInfo: RequestInfo,
): Promise<HttpResponse> => {
  const key = `oauth-registrations:${countedAddress(requestInfo.address)}`;
  const verdict = await limiter.consume({ key, limit, windowS: hourS });
  if (!verdict.isAllowed) {
    const message = `More than ${limit} applications were registered from this address in this hour.`;
    const details = { policy: 'oauth_registrations', limit, reset: verdict.resetAt };
    throw new Refusal('RATE_LIMITED', message, details, verdict.resetInS);
  }
  const described = clientMetadataOf(await readJson(requestInfo.request, { limit: bodyLimit, isOptional: false }));
  if (described === null) {
    const error_description = 'the description of the application is not valid';
    return json({ error: 'invalid_client_metadata', error_description }, { status: 400 });
  }
  const { client_id: _, ...metadata } = described;
  return authorizationServer.answer(requestInfo, {
    contentType: 'application/json',
    text: JSON.stringify({ ...metadata, token_endpoint_auth_method: 'none' }),
  });
};

/** What is wrong with a body, as OAuth says it (RFC 6749, 5.2). */
const inOAuthShape = async (answer: () => Promise<HttpResponse>): Promise<HttpResponse> => {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof Refusal) || !bodyRefusals.has(error.code)) throw error;
    return json({ error: 'invalid_request', error_description: error.message }, { status: 400 });
  }
};

const bodyRefusals: ReadonlySet<string> = new Set(['INVALID_REQUEST', 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE']);
