import { generateKeyPairSync } from 'node:crypto';
import { type Configuration, errors, interactionPolicy } from 'oidc-provider';
import type { Commands, FetchDocument, OAuthState } from '../../../commands.ts';
import { isOAuthScope, oauthPaths, oauthScopes } from '../../../contract/oauth.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { clientMetadataOf } from './client-metadata.ts';
import { cookieNames } from './exchange.ts';
import { stateAdapter } from './state-adapter.ts';

export type ProviderDeps = {
  readonly commands: Pick<Commands, 'revokeAuthorization'>;
  readonly clock: Clock;
  readonly state: OAuthState;
  readonly fetchDocument: FetchDocument;
  /** What this server signs its cookies with, the newest first. */
  readonly cookieKeys: readonly string[];
  readonly accessTokenTtlMs: number;
  /** The absolute base of the service. */
  readonly issuer: string;
};

/** How long a request for consent waits for its user, who may have to register first. */
const consentTtlS = 3_600;
/** A refresh token is good for this time, at most as long as its authorization. */
const refreshTokenTtlS = 30 * 86_400;
/** How long a description that an application publishes is believed, at least and at most. */
const documentKept = { min: 60, max: 3_600 } as const;

/** What the library of the authorization server does here, and what it does not. */
export const configurationOf = (
  { clock, state, fetchDocument, cookieKeys, accessTokenTtlMs }: ProviderDeps,
  resource: string,
  onReplay: (authorizationId: string) => Promise<void>,
): Configuration => ({
  adapter: stateAdapter({ state, clock, onReplay }),
  // No token is signed, but the library wants to have a key.
  jwks: { keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })] },
  clientDefaults: {
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    id_token_signed_response_alg: 'ES256',
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  clientAuthMethods: ['none'],
  responseTypes: ['code'],
  scopes: [...oauthScopes],
  pkce: { required: () => true },
  routes: {
    authorization: oauthPaths.authorization,
    token: oauthPaths.token,
    registration: oauthPaths.registration,
    revocation: oauthPaths.revocation,
    jwks: oauthPaths.jwks,
  },
  cookies: { keys: [...cookieKeys], names: cookieNames },
  interactions: { policy: [consentPrompt()], url: (_ctx, { uid }) => `${oauthPaths.consent}/${uid}` },
  features: {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    revocation: { enabled: true, allowedPolicy: endsAuthorization },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx, wanted) => {
        if (wanted !== resource) throw new errors.InvalidTarget(`the resource of this server is ${resource}`);
        const accessTokenTTL = Math.max(1, Math.round(accessTokenTtlMs / 1000));
        return { scope: oauthScopes.join(' '), audience: resource, accessTokenFormat: 'opaque', accessTokenTTL };
      },
    },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      cacheDuration: documentKept,
      allowFetch: () => true,
      allowClient: () => true,
    },
  },
  fetch: async (url) => {
    const { status, headers, body } = await fetchDocument(String(url));
    if (status !== 200) return new Response(null, { status: 502 });
    const { client_secret: secret, ...given } = { ...JSON.parse(body) };
    const described = clientMetadataOf(given);
    if (described === null || secret !== undefined) return new Response(null, { status: 502 });
    return new Response(JSON.stringify(described), { status, headers: { ...headers } });
  },
  ttl: {
    AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? 60,
    AuthorizationCode: 60,
    RefreshToken: (ctx) => Math.max(1, Math.min(refreshTokenTtlS, ctx.oidc.entities.Grant?.remainingTTL ?? 1)),
    Grant: (_ctx, grant) => grant.remainingTTL,
    Interaction: consentTtlS,
    Session: consentTtlS,
  },
  // Each is said, because the library warns of what is left to its defaults.
  issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
  rotateRefreshToken: () => true,
  expiresWithSession: () => false,
  clientBasedCORS: () => false,
  loadExistingGrant: async ({ oidc }) => {
    const grantId = oidc.result?.consent?.grantId;
    return grantId === undefined ? undefined : await oidc.provider.Grant.find(grantId);
  },
  findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  renderError: (ctx, { error, error_description }) => {
    ctx.type = 'json';
    ctx.body = { error, error_description };
  },
});

type Revocation = NonNullable<NonNullable<Configuration['features']>['revocation']>;

/**
 * Whether revoking a token ends its authorization. An access token ends alone: the library would end the refresh token
 * too, and leave an authorization that is active but of no use.
 */
const endsAuthorization: NonNullable<Revocation['allowedPolicy']> = async (_ctx, client, token) => {
  const isOwn = token.clientId === client.clientId;
  if (isOwn && token.kind === 'AccessToken') await token.destroy();
  return isOwn && token.kind !== 'AccessToken';
};

/** Consent is asked at every authorization: what was agreed before is another budget. */
const consentPrompt = () => {
  const { Check, Prompt } = interactionPolicy;
  return new Prompt(
    { name: 'consent', requestable: true },
    new Check('budget', 'the user agrees to a budget', (ctx) => {
      const scopes = ctx.oidc.params?.['scope'];
      if (typeof scopes !== 'string' || !scopes.split(' ').some(isOAuthScope)) {
        throw new errors.InvalidScope('no scope of this server is asked for', String(scopes));
      }
      return ctx.oidc.result?.consent === undefined;
    }),
  );
};
