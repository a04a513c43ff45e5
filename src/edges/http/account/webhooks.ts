import { z } from 'zod';
import type { KeyEndpoint, OpenEndpoint, Route } from '../endpoint.ts';
import { type SessionDeps, userRoute } from '../middleware/session.ts';
import { webhookEndpoints } from '../v1/webhook-endpoints.ts';
import { type WebhookDeps, webhooksBoundBy } from '../v1/webhooks.ts';

/** The operation of a key for a signed-in owner: another path, and strict about unknown fields. */
const forOwner = <P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  endpoint: KeyEndpoint<P, Q, B>,
): OpenEndpoint<P, Q, B> => {
  const { scope: _scope, operation: _operation, ...declared } = endpoint;
  const { body } = endpoint;
  return {
    ...declared,
    access: 'session',
    rateLimit: 'session',
    cacheControl: 'no-store',
    id: `account${endpoint.id.charAt(0).toUpperCase()}${endpoint.id.slice(1)}`,
    path: endpoint.path.replace('/v1/', '/api/account/'),
    bodyLimit: 16 * 1024,
    body: body instanceof z.ZodObject ? (body.strict() as typeof body) : body,
  };
};

const ofKeys: readonly KeyEndpoint[] = webhookEndpoints;

export const accountWebhookEndpoints: readonly OpenEndpoint[] = ofKeys.map((endpoint) =>
  forOwner(endpoint),
);

/** The operations of `v1/webhooks.ts`, by session. */
export const accountWebhooks = (deps: SessionDeps & WebhookDeps): Route[] =>
  webhooksBoundBy((endpoint, answer) => userRoute(deps, forOwner(endpoint), answer), deps);
