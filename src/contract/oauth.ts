import { z } from 'zod';
import { capCredits } from './caps.ts';
import { endpointsWith, type OpenEndpoint, ofUser } from './endpoint.ts';
import type { KeyScope } from './key-scopes.ts';
import { answer200, listedId, member, named, timestamp } from './schemas.ts';

/** What an application can be authorized for, in the order of the consent page. */
export const oauthScopes = ['transcripts', 'ai', 'jobs', 'usage'] as const satisfies readonly KeyScope[];

export type OAuthScope = (typeof oauthScopes)[number];

/** Whether an application can be authorized for it. */
export const isOAuthScope = (scope: string): scope is OAuthScope => oauthScopes.some((known) => known === scope);

/** The paths of the authorization server, below the address of the service. */
export const oauthPaths = {
  authorization: '/oauth/authorize',
  consent: '/oauth/consent',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  /** Not served: no token is signed. */
  jwks: '/oauth/jwks',
  serverMetadata: '/.well-known/oauth-authorization-server',
  resourceMetadata: '/.well-known/oauth-protected-resource/mcp',
} as const;

/** The path of the endpoint for agents, under which idempotency keys count: the resource that access tokens are for. */
export const mcpPath = '/mcp';

/** The fields of the consent page; `scope` is one of those that the application asked for, by name or several with blanks. */
export const consentFields = z.object({
  credits_per_day: capCredits,
  credits_total: capCredits,
  expires_at: z.iso.date().refine((date) => date < '9999-12-31'),
});

/** An application that the owner of an account has authorized. */
export const grantSchema = named('AuthorizedApplication', {
  id: member.id,
  client_id: z.string().describe('The client id of the application.'),
  client_name: z.string().describe('The name that the application gives itself.'),
  scopes: z.array(z.string()).describe('What the application may do.'),
  credits_per_day: z.int().describe('Credits that it may spend per UTC day.'),
  credits_total: z.int().describe('Credits that it may spend in total.'),
  credits_used: z.int().describe('Credits that it has spent in total, including those reserved by its jobs.'),
  credits_used_today: z.int().describe('Credits that it has spent on this UTC day.'),
  created_at: member.createdAt,
  expires_at: timestamp.describe('When the authorization expires.'),
  ended_at: timestamp.nullable().describe('When it was ended; null: not ended.'),
});

const ofGrants = endpointsWith({ ...ofUser, tag: 'Grants' });

export const listGrants = {
  ...ofGrants('listGrants', 'GET', '/api/account/grants'),
  summary: 'The applications that this account has authorized',
  description: 'With their budgets and spending, including ended and expired ones.',
  answers: answer200('The newest first.', 'AuthorizedApplications', {
    grants: z.array(grantSchema).describe('Authorized applications.'),
  }),
} satisfies OpenEndpoint;

export const endGrant = {
  ...ofGrants('endGrant', 'DELETE', '/api/account/grants/:id'),
  summary: 'End the authorization of an application',
  description: 'Its tokens are refused everywhere within a second. Repeating this changes nothing.',
  params: listedId,
  answers: { 204: { description: 'The application has lost its access.' } },
  refusals: ['NOT_FOUND'],
} satisfies OpenEndpoint;

export const grantEndpoints = [listGrants, endGrant] as const;
