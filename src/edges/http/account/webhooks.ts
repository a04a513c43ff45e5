import { z } from 'zod';
import type { Endpoint, OpenEndpoint } from '../../../contract/endpoint.ts';
import { webhookEndpoints } from '../../../contract/webhooks.ts';
import type { Route } from '../middleware/route.ts';
import { asUser, ofUser, type SessionDeps } from '../middleware/session.ts';

/** The operation of a key for a signed-in owner: another path, and strict about unknown fields. */
const forOwner = ({ body, ...endpoint }: Endpoint): OpenEndpoint => ({
  ...endpoint,
  ...ofUser,
  id: `account${endpoint.id.charAt(0).toUpperCase()}${endpoint.id.slice(1)}`,
  path: endpoint.path.replace('/v1/', '/api/account/'),
  ...(body === undefined ? {} : { body: body instanceof z.ZodObject ? body.strict() : body }),
});

export const accountWebhookEndpoints: readonly OpenEndpoint[] = webhookEndpoints.map(forOwner);

/** The routes of keys, by session. */
export const accountWebhooks = (deps: SessionDeps, ofKeys: readonly Route[]): Route[] =>
  ofKeys.map((route) => asUser(deps, { ...route, endpoint: forOwner(route.endpoint) }));
