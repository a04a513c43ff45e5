import type { Command } from '@event-driven-io/emmett';
import { type AuthorizationEnded, requireOwn, type State } from './authorization.ts';

export type EndAuthorization = Command<'EndAuthorization', Omit<AuthorizationEnded['data'], 'at'>, { now: Date }>;

/** Idempotent. Throws NOT_FOUND for an authorization of another account. */
export const decide = ({ data, metadata }: EndAuthorization, state: State): AuthorizationEnded[] => {
  const { accountId, authorizationId, why, by } = data;
  if (requireOwn(state, accountId).status === 'ended') return [];
  return [
    { type: 'AuthorizationEnded', data: { accountId, authorizationId, why, by, at: metadata.now.toISOString() } },
  ];
};
