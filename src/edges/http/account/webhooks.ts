import { forOwner } from '../../../contract/account.ts';
import type { Route } from '../middleware/route.ts';
import { asUser, type SessionDeps } from '../middleware/session.ts';

/** The routes of keys, by session. */
export const accountWebhooks = (deps: SessionDeps, ofKeys: readonly Route[]): Route[] =>
  ofKeys.map((route) => asUser(deps, { ...route, endpoint: forOwner(route.endpoint) }));
