import { mcpPath, oauthPaths, oauthScopes } from '../../../contract/oauth.ts';
import { once } from '../../../kernel/memoize.ts';
import type { AuthorizationServer } from '../middleware/authorization-server.ts';
import type { ProviderDeps } from './provider-configuration.ts';

/**
 * The authorization server of this service. Its library is loaded by the first request for it: most processes of
 * development and tests never see one.
 */
export const authorizationServer = ({
  baseUrl,
  ...deps
}: Omit<ProviderDeps, 'issuer'> & {
  /** The absolute base of links, once it is known. */
  readonly baseUrl: () => Promise<string>;
}): AuthorizationServer => {
  const provider = once(async () => {
    const [issuer, { openProvider }] = await Promise.all([baseUrl(), import('./provider.ts')]);
    return openProvider({ ...deps, issuer });
  });
  return {
    answer: async (requestInfo, body) => (await provider()).answer(requestInfo, body),
    consentRequest: async (requestInfo) => (await provider()).consentRequest(requestInfo),
    claim: async (requestInfo) => (await provider()).claim(requestInfo),
    decide: async (requestInfo, consent) => (await provider()).decide(requestInfo, consent),
    resource: async () => `${await baseUrl()}${mcpPath}`,
    serverMetadata: async () => serverMetadataOf(await baseUrl()),
    resourceMetadata: async () => resourceMetadataOf(await baseUrl()),
    challenge: async (error, scope) => challengeOf(await baseUrl(), error, scope),
  };
};

/** RFC 8414: what clients need to know before they ask. */
const serverMetadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}${oauthPaths.authorization}`,
  token_endpoint: `${issuer}${oauthPaths.token}`,
  registration_endpoint: `${issuer}${oauthPaths.registration}`,
  revocation_endpoint: `${issuer}${oauthPaths.revocation}`,
  scopes_supported: oauthScopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${issuer}/docs/mcp`,
});

/** RFC 9728: which authorization server gives tokens for the resource. */
const resourceMetadataOf = (issuer: string) => ({
  resource: `${issuer}${mcpPath}`,
  authorization_servers: [issuer],
  scopes_supported: oauthScopes,
  bearer_methods_supported: ['header'],
  resource_name: 'Steno',
  resource_documentation: `${issuer}/docs/mcp`,
});

const challengeOf = (issuer: string, error: string | null, scope: readonly string[]): string =>
  [
    'Bearer realm="mcp"',
    ...(error === null ? [] : [`error="${error}"`]),
    `scope="${[...new Set(scope)].join(' ')}"`,
    `resource_metadata="${issuer}${oauthPaths.resourceMetadata}"`,
  ].join(', ');
