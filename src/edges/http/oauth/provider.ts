import assert from 'node:assert/strict';
import { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { errors, Provider } from 'oidc-provider';
import { isOAuthScope, mcpPath, oauthPaths } from '../../../contract/oauth.ts';
import { newId } from '../../../kernel/ids.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { currentTraceparent } from '../../../kernel/tracing.ts';
import type { AuthorizationServer } from '../middleware/authorization-server.ts';
import type { RequestInfo } from '../middleware/route.ts';
import { shownClientName } from './client-metadata.ts';
import { answerOf, innerRequest } from './exchange.ts';
import { configurationOf, type ProviderDeps } from './provider-configuration.ts';

/** The library of the authorization server, behind requests and answers of this server. */
export type OpenProvider = Pick<AuthorizationServer, 'answer' | 'consentRequest' | 'claim' | 'decide'>;

/** How long the second of two equal forms waits for the decision of the first. */
const [claimWaits, claimWaitMs] = [30, 100];

/** Opens the authorization server. */
export const openProvider = (deps: ProviderDeps): OpenProvider => {
  const { issuer, commands, state } = deps;
  const resource = `${issuer}${mcpPath}`;
  /** The ends of authorizations that an answer waits for, and what went wrong, by the exchange that caused them. */
  const ends = new WeakMap<object, Promise<void>[]>();
  const faults = new WeakMap<object, unknown>();
  const revoke = (authorizationId: string, why: 'client' | 'replay'): Promise<void> =>
    commands.revokeAuthorization(
      { requestId: newId('req'), traceparent: currentTraceparent() },
      { authorizationId, why },
    );

  const provider = new Provider(
    issuer,
    configurationOf(deps, resource, (id) => revoke(id, 'replay')),
  );
  // Behind a proxy, and in the names of cookies, the address of the service is the configured one.
  const { protocol, host } = new URL(issuer);
  Object.defineProperties(provider.request, {
    protocol: { get: () => protocol.slice(0, -1) },
    host: { get: () => host },
  });
  provider.on('grant.revoked', (ctx, authorizationId) => {
    const why = ctx.oidc.route === 'revocation' ? 'client' : 'replay';
    ends.set(ctx.req, [...(ends.get(ctx.req) ?? []), revoke(authorizationId, why)]);
  });
  provider.on('server_error', (ctx, error) => void faults.set(ctx.req, error));
  // The application of the library is one function; a server around it is not needed.
  const [run] = provider.middleware;
  assert(run !== undefined, 'the library has its routes');

  return {
    answer: async (requestInfo, body) => {
      const request = innerRequest(requestInfo, body);
      const response = new ServerResponse(request);
      const context = provider.createContext(request, response);
      context.respond = false;
      // As the callback of the library does it.
      response.statusCode = 404;
      await run(context, async () => {});
      await Promise.all(ends.get(request) ?? []);
      // The database is away, or a mistake: answered as everywhere.
      if (faults.has(request)) throw faults.get(request);
      return answerOf(context, response);
    },
    consentRequest: async (requestInfo) => {
      const { params, clientId, client } = await interactionOf(provider, requestInfo);
      const { redirect_uri: redirectUri, scope } = params;
      return {
        clientId,
        clientName: shownClientName(client.clientName, clientId),
        redirectUri: String(redirectUri),
        scopes: String(scope).split(' ').filter(isOAuthScope),
      };
    },
    claim: claimIn(provider, state),
    decide: async (requestInfo, consent) => {
      const { request, response, clientId } = await interactionOf(provider, requestInfo);
      if (consent === null) {
        const denied = { error: 'access_denied', error_description: 'the user has not agreed' };
        return pathOf(await provider.interactionResult(request, response, denied));
      }
      const { accountId, authorizationId, scopes, expiresAt } = consent;
      const grant = new provider.Grant({ accountId, clientId });
      grant.jti = authorizationId;
      grant.exp = Math.floor(Date.parse(expiresAt) / 1000);
      grant.addResourceScope(resource, scopes.join(' '));
      await grant.save();
      // Whoever registered without being used is forgotten; this application is used.
      await state.keepForGood({ kind: 'Client', id: clientId });
      const login = { accountId, remember: false };
      const result = { login, consent: { grantId: authorizationId } };
      return pathOf(await provider.interactionResult(request, response, result));
    },
  };
};

/** The request for consent that a browser was sent here with. Its session is not that of the library. */
const interactionOf = async (provider: Provider, requestInfo: RequestInfo) => {
  const request = innerRequest(requestInfo, null);
  const response = new ServerResponse(request);
  const gone = new Refusal('NOT_FOUND', 'There is no such request for consent, or it has expired.');
  const details = await provider.interactionDetails(request, response).catch((error: unknown) => {
    throw error instanceof errors.SessionNotFound ? gone : error;
  });
  const { uid, params, returnTo, result } = details;
  const [path = ''] = requestInfo.request.url.split('?');
  const clientId = String(params['client_id']);
  // What it publishes may be gone since it asked.
  const client = await provider.Client.find(clientId).catch((error: unknown) => {
    throw error instanceof errors.OIDCProviderError ? gone : error;
  });
  if (path !== `${oauthPaths.consent}/${uid}` || client === undefined) throw gone;
  return { request, response, uid, params, returnTo, result, clientId, client };
};

/** Path and query: the browser stays on the host that it came by. */
const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
};

/** See `claim` of `AuthorizationServer`. */
const claimIn =
  (provider: Provider, state: ProviderDeps['state']): AuthorizationServer['claim'] =>
  async (requestInfo) => {
    const { uid } = await interactionOf(provider, requestInfo);
    if (await state.consume({ kind: 'Interaction', id: uid })) return null;
    for (let waits = 0; waits < claimWaits; waits += 1) {
      const { returnTo, result } = await interactionOf(provider, requestInfo);
      if (result !== undefined) return pathOf(returnTo);
      await pause(claimWaitMs);
    }
    throw new Refusal('SERVICE_UNAVAILABLE', 'This form is still being processed.', null, 1);
  };
